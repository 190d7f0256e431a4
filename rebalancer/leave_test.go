package rebalancer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// leaving is a platform of two Sets of two hosts with two ranks each, whose ranks leave
// barriers when they have no processes.
func leaving() View {
	v := fartherView(0, 0)
	p := v.Platform
	p.Arrivals, p.Leave, p.Barrier = nil, true, 4
	p.Links = [][]Link{{{Latency: 0.5}, {Latency: 2}}, {{Latency: 2}, {Latency: 0.25}}}
	for r, host := range []string{"a1", "a2", "b1", "b1"} {
		p.Ranks[r].Host = host
	}
	return v
}

// A barrier is one of the hosts and Sets that have processes.
func TestBarriersOfThoseThatStay(t *testing.T) {
	v := leaving()
	for _, c := range []struct {
		where []int32
		want  float64
	}{
		{[]int32{0, 0, 0}, 0}, {[]int32{2, 3, 2}, 0}, {[]int32{0, 1, 0}, 1}, {[]int32{0, 1, 2}, 4}, {[]int32{0, 3, 3}, 4},
	} {
		if got := cost.Barrier(v.Platform, c.where); !near(got, c.want) {
			t.Errorf("%v: %g, want %g", c.where, got, c.want)
		}
	}
}

// Processes whose barriers take longer than their work gather on one host, unless
// idle ranks stay in the barrier.
func TestAutoGathersOnOneHost(t *testing.T) {
	v := leaving()
	for _, c := range []struct {
		barrier, barriers float64 // seconds, and how many in a superstep
		leave             bool
		together          bool
	}{
		{4, 0, true, true},
		{0.05, 0, true, false}, // short compared with the work, unless it recurs often
		{0.05, 80, true, true},
		{0.05, 80, false, false},
	} {
		v.Platform.Barrier, v.Snapshot.Barriers, v.Platform.Leave = c.barrier, c.barriers, c.leave
		where := costMoved(v.Where, chooseAuto(v, 0.02))
		used := make(map[int32]bool)
		for _, rank := range where {
			used[rank] = true
		}
		if alone := cost.Barrier(v.Platform, where) == 0; c.leave && alone != c.together || !c.leave && len(used) < 3 {
			t.Errorf("%+v: processes on %v", c, where)
		}
	}
}

// One host is too slow for all processes and links between Sets are slow, so the processes gather in
// one Set, neighbours together, regardless of the search effort.
func TestAutoGathersInOneSet(t *testing.T) {
	const procs = 32
	speeds, sets := []float64{0.3, 0.3, 0.3, 0.15, 0.15, 0.15, 0.25, 0.1}, []int{0, 0, 0, 1, 1, 1, 2, 2}
	where := make([]int32, procs)
	for pid := range where {
		where[pid] = int32(pid * len(speeds) / procs)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for _, remaining := range []int{300, 1000, 1000, 1000, 1000, 10000} {
		work := make([][]float32, procs)
		for pid := range work {
			work[pid] = make([]float32, 4)
			for c := range work[pid] {
				work[pid][c] = float32(0.00014 * math.Exp(random.NormFloat64()/4))
			}
		}
		v := plainView(work, where, speeds)
		p := v.Platform
		p.Sets, p.Leave, p.Barrier, p.Links = []Set{{}, {Manager: 3}, {Manager: 6}}, true, 0.008, make([][]Link, 3)
		for a := range p.Sets {
			for b := range p.Sets {
				link := Link{Latency: 0.002, PerByte: 2e-7}
				if a == b {
					link = Link{Latency: 0.0001, PerByte: 1e-7}
				}
				p.Links[a] = append(p.Links[a], link)
			}
		}
		for r := range p.Ranks {
			p.Ranks[r].Set, p.Ranks[r].Host = sets[r], string(rune('a'+r))
			v.Snapshot.Ranks[r].Remaining = remaining
		}
		for pid := range v.Snapshot.Processes {
			v.Snapshot.Processes[pid].State = 20000
			for _, from := range []int{pid - 1, pid + 1} {
				if from >= 0 && from < procs {
					v.Snapshot.Processes[pid].Partners = append(v.Snapshot.Processes[pid].Partners, Traffic{Pid: from, Bytes: 10000})
				}
			}
		}
		after := costMoved(v.Where, chooseAuto(v, 0.02))
		apart := 0
		for pid, rank := range after {
			if sets[rank] != 0 {
				t.Fatalf("%d supersteps: %v", remaining, after)
			}
			if pid > 0 && rank != after[pid-1] {
				apart++
			}
		}
		if apart > 4 {
			t.Errorf("%d supersteps: %v, where neighbours are apart %d times", remaining, after, apart)
		}
	}
}

// A rank without processes that skipped supersteps does not report them, and reaches
// the same decision as the others once it receives the superstep number.
func TestRanksThatTakeNoPart(t *testing.T) {
	spec := must.Get(Parse("auto"))(t)
	where := []int32{0, 0}
	here, away := New(Uniform(2, Link{}), where, spec), New(Uniform(2, Link{}), where, spec)
	trigger, late := NewTrigger(here, 1), NewTrigger(away, 1)
	now := 0.0
	for range 40 {
		now++
		trigger.Superstep()
		if o, watched := trigger.Close(); watched {
			o.Processes = []Measure{{Pid: 0, Time: 1}, {Pid: 1, Time: 0.5}}
			here.Observe(o)
		}
		trigger.StageEnded(now, 0, Vote{})
	}
	late.CatchUp(now+1000, trigger.Progress(now)) // by another clock
	if late.Observations() != trigger.Observations() || late.Watching() != trigger.Watching() {
		t.Errorf("%d observations, want %d", late.Observations(), trigger.Observations())
	}
	if trigger.Barriers() != 1 || late.Barriers() != 1 {
		t.Errorf("%g and %g barriers in one superstep", trigger.Barriers(), late.Barriers())
	}
	a, b := trigger.State(now, 5, false), late.State(now+1000, 5, false)
	if a.Steps != b.Steps || !near(a.Elapsed, b.Elapsed) || a.Remaining != b.Remaining {
		t.Errorf("state %+v, want %+v", b, a)
	}
	a.Available, b.Available, b.Rank = 1, 1, 1
	detail := func(int) Detail { return Detail{Request: -1} }
	r := Report{Ranks: []RankState{b}, Classes: away.Report([]RankState{}, detail).Classes}
	s, err := Merge(trigger.Observations(), r, here.Report([]RankState{a}, detail))
	if err != nil || len(s.Spreads) != 39 || len(s.Ranks) != 2 || len(s.Processes) != 2 {
		t.Errorf("%v: %d supersteps, %d ranks, %d processes", err, len(s.Spreads), len(s.Ranks), len(s.Processes))
	}
	if !slices.Equal(r.Classes, s.Classes) {
		t.Errorf("classes %v, want %v", r.Classes, s.Classes)
	}
}
