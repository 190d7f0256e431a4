package rebalancer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A call's forecast is compared with the measured supersteps until the next call. The last
// sixteen errors determine the confidence interval of the next forecast.
func TestForecastsKnowHowFarTheyWereOff(t *testing.T) {
	spec := must.Get(Parse("auto"))(t)
	c := New(Uniform(2, Link{}), []int32{0, 1}, spec)
	s := Snapshot{Ranks: []RankState{{Elapsed: 6, Steps: 4}, {Elapsed: 6, Steps: 4}}}
	if got := errorsAfter(c.last, &s); got != nil {
		t.Errorf("errors %v before there was a forecast", got)
	}
	c.last.Forecast = Forecast{Horizon: 1, After: 1}
	for range 20 {
		c.last.Learned.Errors = errorsAfter(c.last, &s)
	}
	if n, last := len(c.last.Learned.Errors), c.last.Learned.Errors[15]; n != errorsMost || math.Abs(float64(last)-math.Log(1.5)) > 1e-6 {
		t.Errorf("%d errors, the last %g, want %d and log 1.5", n, last, errorsMost)
	}
	d := Decision{Forecast: Forecast{Horizon: 10, After: 20}, Learned: Learned{Errors: []float32{0.1, -0.1, 0.05}}}
	if d.sure(); d.Prediction.High != 0 {
		t.Errorf("three errors give the interval %g to %g", d.Prediction.Low, d.Prediction.High)
	}
	d.Learned.Errors = append(d.Learned.Errors, 0.02)
	if d.sure(); math.Abs(d.Prediction.Low-2*math.Exp(-0.1)) > 1e-6 || math.Abs(d.Prediction.High-2*math.Exp(0.1)) > 1e-6 {
		t.Errorf("a superstep takes %g to %g, want 2 e^-0.1 to 2 e^0.1", d.Prediction.Low, d.Prediction.High)
	}
}

// No forecast promises more than the work that it foretells allows: each superstep takes the
// longest process on the fastest rank at least, and all work over all speed.
func TestNoForecastIsBelowTheBound(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		v := autoCase{pids: 24, ranks: 2 + rng.IntN(5), phases: 8, unequal: true, rotating: seed%3 == 0, talk: rng.IntN(2)}.view(rng)
		if seed%4 == 0 {
			v = waveView(24, 3+rng.IntN(20), 8)
		}
		moves := chooseAuto(v, 0)
		f := forecastOf(v, moves)
		m := newForecastModel(v)
		fastest, all := m.speeds()
		_, longest := m.Longest()
		totals, least := m.Totals(), 0.0
		for c, total := range totals {
			least += max(longest[c]/fastest, total/all) / float64(len(totals))
		}
		if f.After < float64(f.Horizon)*least*(1-1e-9) {
			t.Errorf("seed %d: %d moves are to bring %d supersteps from %g s to %g s; they take %g s at least", seed, len(moves), f.Horizon, f.Before, f.After, float64(f.Horizon)*least)
		}
	}
}
