package ledger_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

// measuredRun is a run of supersteps whose barriers take the time predicted by a model, with noise.
type measuredRun struct {
	steps   int
	ways    func(i int) [Ways]int64
	l, more float64
	g       [Ways]float64
	noise   float64 // relative, one-sided
	hiccups int     // one superstep in so many takes a millisecond more; 0 none
}

func (r *measuredRun) account() *Account {
	run := TwoRanks()
	a := AccountOf(run)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range r.steps {
		s := Sample(i+1, "x", 10*US, 10*US)
		s.Talks, s.Ways = 0, r.ways(i)
		y := r.l
		for way, h := range s.Ways {
			if h > 0 {
				s.Talks = 1
			}
			y += r.g[way] * float64(h)
		}
		y += r.more * float64(s.Talks)
		y *= 1 + r.noise*random.ExpFloat64()
		if r.hiccups > 0 && random.IntN(r.hiccups) == 0 {
			y += 1e-3
		}
		s.Comm = time.Duration(y * 1e9)
		s.Total = s.WorkMax + s.Comm
		a.Enter(s)
	}
	return a
}

func near(got, want, within float64) bool { return math.Abs(got-want) <= within*want }

// The fit recovers g and l from clean supersteps, from noisy ones, and if some take a hundred times
// longer than the others.
func TestFitFindsTheMachine(t *testing.T) {
	sizes := func(i int) (w [Ways]int64) {
		switch i % 3 {
		case 1:
			w[WithinNode] = int64(1000 * (1 + i%97))
		case 2:
			w[WithinNode] = int64(100 * (1 + i%31))
			w[BetweenSets] = int64(500 * (1 + i%53))
		}
		return w
	}
	for _, c := range []struct {
		name   string
		r      measuredRun
		within float64
	}{
		{"clean", measuredRun{steps: 300}, 0.01},
		{"noisy", measuredRun{steps: 3000, noise: 0.1}, 0.2},
		{"with hiccups", measuredRun{steps: 3000, noise: 0.02, hiccups: 50}, 0.2},
		{"long", measuredRun{steps: 200_000, noise: 0.05, hiccups: 1000}, 0.2},
	} {
		c.r.ways, c.r.l, c.r.more = sizes, 20e-6, 30e-6
		c.r.g[WithinNode], c.r.g[BetweenSets] = 1e-9, 12e-9
		a := c.r.account()
		if u := a.Unknown(); u != (Unknown{}) {
			t.Errorf("%s: %+v is not known", c.name, u)
		}
		a.Fit(nil)
		m := a.Machine
		noise := 1 + c.r.noise // its mean
		if !near(m.L, 20e-6*noise, c.within) || !near(m.Latency, 30e-6*noise, c.within) || len(m.Classes) != 2 ||
			!near(m.Classes[0].PerByte, 1e-9*noise, c.within) || !near(m.Classes[1].PerByte, 12e-9*noise, c.within) {
			t.Errorf("%s: %+v", c.name, m)
		}
		if m.R2 < 0.8 || m.Supersteps != c.r.steps || m.From != FromRun {
			t.Errorf("%s: R2 %.3f of %d supersteps, %s", c.name, m.R2, m.Supersteps, m.From)
		}
		whole := a.Whole()
		predicted, took := m.Predict(&whole.Step), whole.Step.Comm.Seconds()
		if hiccups := a.Budget(&whole).Unexplained; predicted > 1.01*took || predicted+hiccups < 0.99*took {
			t.Errorf("%s: %.4g s predicted of %.4g s, %.4g s unexplained", c.name, predicted, took, hiccups)
		}
	}
}

// If all supersteps send the same bytes, the run alone cannot separate g from l: measured values
// determine the ratio, and the run the sum.
func TestFitWithWhatWasMeasured(t *testing.T) {
	r := measuredRun{steps: 500, l: 20e-6, more: 10e-6, noise: 0.02, ways: func(int) (w [Ways]int64) {
		w[WithinSet] = 10_000
		return w
	}}
	r.g[WithinSet] = 3e-9
	a := r.account()
	if u := a.Unknown(); !u.Barrier || !u.Ways[WithinSet] || u.Ways[WithinNode] {
		t.Fatalf("%+v is unknown", u)
	}
	// An idle network: every parameter is half of its value in the run.
	a.Fit(&Machine{L: 10e-6, Latency: 5e-6, Classes: []LinkClass{{Way: WithinSet, PerByte: 1.5e-9}}, From: FromMeasuring})
	m := a.Machine
	t.Log(m)
	if !near(m.L, 20e-6, 0.3) || !near(m.Latency, 10e-6, 0.35) || !near(m.Classes[0].PerByte, 3e-9, 0.3) {
		t.Errorf("%+v", m)
	}
	if whole := a.Whole(); !near(m.Predict(&whole.Step), whole.Step.Comm.Seconds(), 0.03) {
		t.Errorf("%.4g s predicted, %v measured", m.Predict(&whole.Step), whole.Step.Comm)
	}
	if m.From != FromMeasuring {
		t.Errorf("source: %s", m.From)
	}
}

// One superstep, none, supersteps without messages, without any time, and of an hour.
func TestFitOfWhatSaysLittle(t *testing.T) {
	nothing := func(int) (w [Ways]int64) { return w }
	for name, r := range map[string]measuredRun{
		"none": {ways: nothing}, "one": {steps: 1, ways: nothing, l: 1e-6}, "no time": {steps: 100, ways: nothing},
		"no messages": {steps: 100, ways: nothing, l: 2e-7}, "an hour each": {steps: 100, ways: nothing, l: 3600},
		"within a rank": {steps: 100, l: 1e-6, g: [Ways]float64{1e-9}, ways: func(i int) [Ways]int64 { return [Ways]int64{int64(i)} }},
	} {
		a := r.account()
		a.Fit(nil)
		if few := r.steps < 12 || r.l == 0; few != (a.Machine == nil) {
			t.Errorf("%s: %+v", name, a.Machine)
		} else if !few {
			whole := a.Whole()
			if p, took := a.Machine.Predict(&whole.Step), whole.Step.Comm.Seconds(); math.Abs(p-took) > 0.01*took+1e-6 {
				t.Errorf("%s: %g s predicted, %g s measured: %v", name, p, took, a.Machine)
			}
		}
		a.Fit(&Machine{L: 1e-6, From: FromMeasuring})
		if a.Machine == nil || math.IsNaN(a.Machine.L) || a.Machine.L < 0 {
			t.Errorf("%s with what was measured: %+v", name, a.Machine)
		}
	}
}

// A parameter is omitted everywhere if its error covers 0.
func TestNoFigureWithoutEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		r    measuredRun
		g, l bool
	}{
		"words within noise": {measuredRun{steps: 2000, l: 20e-6, noise: 0.5, g: [Ways]float64{WithinNode: 1e-12}, ways: func(i int) (w [Ways]int64) {
			w[WithinNode] = int64(8 * (i % 7))
			return w
		}}, false, true},
		"always the same": {measuredRun{steps: 500, l: 20e-6, noise: 0.1, g: [Ways]float64{WithinNode: 1e-9}, ways: func(int) (w [Ways]int64) {
			w[WithinNode] = 10_000
			return w
		}}, false, false},
		"bytes that take all of the time": {measuredRun{steps: 500, l: 1e-9, noise: 0.1, g: [Ways]float64{WithinNode: 1e-9}, ways: func(i int) (w [Ways]int64) {
			w[WithinNode] = int64(100_000 * (1 + i%50))
			return w
		}}, true, false},
	} {
		a := c.r.account()
		a.Fit(nil)
		whole, said := a.Whole(), "not known"
		if a.Machine != nil {
			said = a.Machine.String()
		}
		if g := strings.Contains(said, "g = "); g != c.g || g != (a.Budget(&whole).Transfer > 0) || g != strings.Contains(said, "R2") {
			t.Errorf("%s: %s", name, said)
		}
		if l := strings.Contains(said, "l = "); l != c.l || l != (a.Budget(&whole).Latency > 0) {
			t.Errorf("%s: %s", name, said)
		}
	}
}
