package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// On equal hosts of a busy machine supersteps vary, and now and then one waits for a quota. If no
// saving is possible, all calls together take a small share of the run, and as much again after the
// first persistent change. The first call, the call about that change, and a share of the possible
// saving of a leap that is never observed for long enough come on top.
func TestCallsTakeLittleWhereNothingIsToBeGained(t *testing.T) {
	const stages, most = 800, 2 * spentShare
	for _, hope := range []float64{0, 0.3} {
		for _, cost := range []float64{1, 3, 8} { // typical supersteps
			took, run, over := 0.0, 0.0, 0
			for seed := range uint64(20) {
				now, calls, free := busyRun(t, rand.New(rand.NewPCG(seed, 1)), stages, cost*0.005, hope)
				took, run = took+calls, run+now
				if calls > (most+2*hopeShare*hope)*now+free {
					over++
				}
			}
			name := fmt.Sprintf("calls of %g supersteps, hope of %g of the run", cost, hope)
			t.Logf("%s: %.2f%% of the time, %d of 20 runs beyond", name, 100*took/run, over)
			if mean := 0.015 + hopeShare*hope; took > mean*run {
				t.Errorf("%s: calls take %.2f%% of the time on average, want %g%% at most", name, 100*took/run, 100*mean)
			}
			if over > 0 {
				t.Errorf("%s: in %d of 20 runs calls take more than %g%% of the time", name, over, 100*(most+2*hopeShare*hope))
			}
		}
	}
}

// busyRun runs stages of typically 5 ms. It returns the end time, the total time of its calls, and the
// time of the first two, which are free.
func busyRun(t *testing.T, random *rand.Rand, stages int, cost, hope float64) (now, calls, free float64) {
	r := newRun(t, "auto", 0, stages)
	for call := 0; r.left > 1; {
		length := 0.005 * (0.4 + 0.6*random.ExpFloat64())
		if random.IntN(60) == 0 {
			length += 0.08 * random.Float64()
		}
		if r.stages(1, length, 0.1); !r.vote.Alarm && !r.Due(r.vote, false) {
			continue
		}
		took := cost * (0.5 + random.ExpFloat64()/2)
		calls += took
		if call++; call < 3 {
			free += took
		}
		step, rest := r.Elapsed(r.now)/float64(r.steps), float64(r.left)
		d := *r.controller.last
		d.Call, d.Step, d.Forecast = call, r.Observations(), Forecast{Horizon: r.left, After: step * rest}
		d.Learned.Bank = &Bank{Limit: 1e9, Hope: hope * step * rest}
		if hope > 0 {
			d.Learned.Bank.ripe = d.Step + 1
		}
		state := r.State(r.now, r.left, r.vote.Alarm)
		r.controller.paceFor(&Snapshot{Step: d.Step, Ranks: []RankState{state}, Spreads: []StepSpread{{Steps: r.steps, Count: 2, Sum: 2, Min: 0.1, Max: 1.9}}}, &d)
		r.controller.last = &d
		r.called(took, 0, 0)
	}
	return r.now, calls, free
}
