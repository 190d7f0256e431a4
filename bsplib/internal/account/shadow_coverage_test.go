package account

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The error that is said beside a saving is a standard error: the truth is within it in at least
// half of all runs, and within twice as much in four of five, also where what disturbs a run
// lasts longer than a superstep, and where few supersteps were seen before the moves.
func TestShadowIsAsSureAsItSays(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int
		memory        float64 // of what disturbs: part that a superstep has of the one before
		work, comm    float64
	}{
		{"noise", 60, 200, 0, 0.3, 0.3},
		{"few supersteps before", 5, 200, 0, 0.3, 0.3},
		{"disturbances that last", 60, 200, 0.9, 0.3, 0.3},
		{"lasting, and few", 10, 100, 0.9, 0.3, 0.3},
		{"lasting in messages", 60, 100, 0.9, 0.02, 0.5},
	} {
		within, twice := 0, 0
		const runs = 300
		for seed := range uint64(runs) {
			random := rand.New(rand.NewPCG(seed, 7))
			w := newWorld()
			w.random, w.noise = random, 0
			w.shares = []float64{0.3, 0.25, 0.25, 0.15}
			usual := append([]float64(nil), w.shares...)
			walk := make([]float64, len(usual)+1)
			const base = 0.02
			comm := base
			w.comm = func(string, float64) float64 { return comm }
			said, unmoved, seen := w.compareWith(c.before, c.after, spread8, 0.9, func() {
				for i := range walk {
					walk[i] = c.memory*walk[i] + math.Sqrt(1-c.memory*c.memory)*random.NormFloat64()
				}
				for i := range usual {
					w.shares[i] = usual[i] * math.Exp(-c.work*math.Abs(walk[i])/2)
				}
				comm = base * math.Exp(c.comm*walk[len(usual)])
			})
			off := math.Abs((said.Unmoved - said.Seen) - (unmoved - seen))
			if off <= said.Error {
				within++
			}
			if off <= 2*said.Error {
				twice++
			}
		}
		t.Logf("%s: %d%% within, %d%% within twice", c.name, 100*within/runs, 100*twice/runs)
		if within < runs*50/100 || twice < runs*80/100 {
			t.Errorf("%s: the truth is within the error in %d and within twice as much in %d of %d runs", c.name, within, twice, runs)
		}
		if within > runs*95/100 {
			t.Errorf("%s: the error is too large in nearly all runs", c.name)
		}
	}
}
