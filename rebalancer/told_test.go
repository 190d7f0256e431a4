package rebalancer

import (
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// What a program says of its load stands in the snapshot beside the work of the same
// supersteps, also of a process whose history has come from another controller.
func TestToldLoads(t *testing.T) {
	p := Uniform(2, Link{Latency: 1e-5, PerByte: 1e-9})
	spec := must.Get(Parse("auto"))(t)
	where := []int32{0, 0, 1}
	a, b := New(p, where, spec), New(p, where, spec)
	for step := 1; step <= 50; step++ {
		load := 0.0
		if step > 10 {
			load = float64(step)
		}
		a.Observe(Observation{Step: step, Processes: []Measure{{Pid: 0, Time: 1, Load: load}, {Pid: 1, Time: 2}}})
		b.Observe(Observation{Step: step, Processes: []Measure{{Pid: 2, Time: 1, Load: 3}}})
		if step == 45 {
			var arrived History
			must.Do(t, arrived.UnmarshalBinary(must.Get(a.Depart(0).AppendBinary(nil))(t)))
			a.Arrive(0, arrived)
		}
	}
	report := func(c *Controller, rank int) Report {
		states := []RankState{{Rank: rank, Available: 1, Steps: 50, Elapsed: 50}}
		return c.Report(states, func(pid int) Detail { return Detail{Request: -1, Load: []float64{51, 0, 3}[pid]} })
	}
	mine, other := report(a, 0), report(b, 1)
	mine.Processes = slices.DeleteFunc(mine.Processes, func(p Process) bool { return p.Rank != 0 })
	other.Processes = slices.DeleteFunc(other.Processes, func(p Process) bool { return p.Rank != 1 })
	s := must.Get(Merge(50, mine, other))(t)
	for pid, want := range []*Told{{Coming: 51}, nil, {Coming: 3}} {
		got := s.Processes[pid].Told
		if (got == nil) != (want == nil) || got != nil && got.Coming != want.Coming {
			t.Fatalf("process %d has told %+v, want %+v", pid, got, want)
		}
		for i := 0; got != nil && i < len(got.Recent); i++ {
			load := 3
			if pid == 0 {
				load = 50 - len(got.Recent) + 1 + i
			}
			if got.Recent[i] != float32(load) || len(got.Recent) != len(s.Processes[pid].RecentWork) {
				t.Fatalf("process %d: load %v in the %d. of %d supersteps, want %d", pid, got.Recent[i], i, len(got.Recent), load)
			}
		}
	}
	other.Told[0].Recent = other.Told[0].Recent[1:]
	if _, err := Merge(50, mine, other); err == nil {
		t.Error("loads of other supersteps than the work were taken")
	}
}
