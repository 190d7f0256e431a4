package rebalancer

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// toldRun is four processes on two ranks, with loads that last for some stages. The program's load
// forecasts may be right, in another unit, late, or wrong.
type toldRun struct {
	loads func(pid, stage int) float64
	told  func(pid, stage int) float64 // 0: no forecast
}

// decide returns the decision of auto after a number of stages.
func (r toldRun) decide(t *testing.T, stages int) Decision {
	t.Helper()
	spec := must.Get(Parse("auto,alpha=1000"))(t)
	c := New(Uniform(2, Link{Latency: 1e-6, PerByte: 1e-10}), []int32{0, 0, 1, 1}, spec)
	elapsed := 0.0
	for stage := range stages {
		o := Observation{Step: stage + 1, Count: 1}
		took := [2]float64{} // of the ranks
		for pid := range 4 {
			o.Processes = append(o.Processes, Measure{Pid: pid, Time: r.loads(pid, stage), Load: r.told(pid, stage)})
			took[pid/2] += r.loads(pid, stage)
		}
		elapsed += max(took[0], took[1])
		c.Observe(o)
	}
	report := c.Report(statesOf(2, RankState{Elapsed: elapsed, Steps: stages, Remaining: 1000}), func(pid int) Detail {
		return Detail{State: 1000, Request: -1, Load: r.told(pid, stages)}
	})
	return c.Decide(must.Get(Merge(stages, report))(t))
}

// adapted is work that is refined at a random process every ten stages: only the program can predict
// it.
func adapted(pid, stage int) float64 {
	random := rand.New(rand.NewPCG(uint64(pid), uint64(stage/10)))
	return 0.01 * (1 + 9*random.Float64())
}

// Load forecasts of the program determine the mapping if they have been right.
func TestToldLoadsDecide(t *testing.T) {
	next := [4]float64{6, 6, 1, 1} // from stage 40 on
	loads := func(pid, stage int) float64 {
		if stage >= 40 {
			return 0.01 * next[pid]
		}
		return adapted(pid, stage)
	}
	right := func(pid, stage int) float64 { return 1e6 * loads(pid, stage) }
	d := toldRun{loads, right}.decide(t, 40)
	if d.Foretelling == nil || !d.Foretelling.Used || d.Foretelling.Told > 1e-3 {
		t.Fatalf("%+v", d.Foretelling)
	}
	where := costMoved([]int32{0, 0, 1, 1}, d.Moves)
	work := [2]float64{}
	for pid, rank := range where {
		work[rank] += next[pid]
	}
	if math.Abs(work[0]-7) > 1e-9 {
		t.Errorf("moves %v: the ranks will have %v of the work, want 7 each", d.Moves, work)
	}
	var why strings.Builder
	d.Why(&why, &Platform{})
	if !strings.Contains(why.String(), "predicted by the loads that the program tells") {
		t.Errorf("%s", why.String())
	}
}

// Load forecasts that are wrong, or no better than the past, are ignored.
func TestLoadsThatAreWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	steady := func(pid, _ int) float64 { return 0.01 * float64(1+pid) }
	silent := func(int, int) float64 { return 0 }
	for name, r := range map[string]toldRun{
		"nonsense":   {adapted, func(int, int) float64 { return random.ExpFloat64() }},
		"constant":   {adapted, func(int, int) float64 { return 1 }},
		"the past":   {steady, func(pid, _ int) float64 { return float64(1 + pid) }},
		"only now":   {adapted, func(pid, stage int) float64 { return adapted(pid, stage) * float64(stage/40) }},
		"of nothing": {silent, func(pid, stage int) float64 { return adapted(pid, stage) }},
	} {
		got, want := r.decide(t, 40), toldRun{r.loads, silent}.decide(t, 40)
		if got.Foretelling != nil && got.Foretelling.Used {
			t.Errorf("%s: %v", name, got.Foretelling)
		}
		got.Foretelling = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decided\n%+v\nwithout what was told\n%+v", name, got, want)
		}
	}
}

// A forecast ends where loads will have changed.
func TestToldLoadsReachAsFarAsTheyLast(t *testing.T) {
	for every, want := range map[int][2]int{1: {0, 3}, 10: {2, 30}} {
		loads := func(pid, stage int) float64 { return adapted(pid, stage*10/every) }
		d := toldRun{loads, loads}.decide(t, 40)
		if d.Foretelling == nil || !d.Foretelling.Used {
			t.Fatalf("%+v", d.Foretelling)
		}
		if len(d.Moves) == 0 && every > 1 {
			t.Errorf("loads of %d stages: nothing moves: %s", every, d.WhyNone)
		}
		if len(d.Moves) > 0 && (d.Forecast.Horizon < want[0] || d.Forecast.Horizon > want[1]) {
			t.Errorf("loads of %d stages: forecast for %d", every, d.Forecast.Horizon)
		}
	}
}
