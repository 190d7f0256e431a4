package rebalancer

import (
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// evenRun returns a controller of processes that are mapped cyclically to ranks of one Set, and the
// observation of a superstep.
func evenRun(procs, ranks int, spec string) (*Controller, Observation) {
	where := make([]int32, procs)
	o := Observation{Count: 1}
	for pid := range where {
		where[pid] = int32(pid % ranks)
		o.Processes = append(o.Processes, Measure{Pid: pid, Time: 1, Comm: 0.1, Received: []Traffic{
			{Pid: (pid + 1) % procs, Bytes: 100}, {Pid: (pid + 2) % procs, Bytes: int64(pid)},
		}})
	}
	s, err := Parse(spec)
	if err != nil {
		panic(err)
	}
	return New(Uniform(ranks, Link{Latency: 1e-4, PerByte: 1e-9}), where, s), o
}

func freeDetail(int) Detail { return Detail{State: 1000, Request: -1} }

func rankStates(n int) []RankState { return statesOf(n, RankState{Remaining: 100}) }

// statesOf returns n ranks in the same state, with all of their cores and memory.
func statesOf(n int, s RankState) []RankState {
	s.Available, s.Free = 1, -1
	ranks := slices.Repeat([]RankState{s}, n)
	for i := range ranks {
		ranks[i].Rank = i
	}
	return ranks
}

func TestObserveAllocatesNothing(t *testing.T) {
	c, o := evenRun(50, 5, "percent")
	for range 2 * mostSpreads {
		c.Observe(o)
	}
	if n := testing.AllocsPerRun(100, func() { c.Observe(o) }); n != 0 {
		t.Errorf("%g allocations per superstep", n)
	}
}

// The list is bounded for any number of supersteps and represents all of them.
func TestExtentsAreBounded(t *testing.T) {
	c, o := evenRun(2, 2, "one")
	const supersteps = 3*mostSpreads + 5
	for i := range supersteps {
		o.Count = 1 + i%2
		c.Observe(o)
	}
	r := c.Report(rankStates(2), freeDetail)
	steps := 0
	for _, e := range r.Spreads {
		steps += e.Steps
		if e.Min != 1 || e.Max != 1 || e.Sum != float64(e.Count) {
			t.Fatalf("%+v", e)
		}
	}
	if want := supersteps + supersteps/2; steps != want || len(r.Spreads) > mostSpreads {
		t.Errorf("%d extents stand for %d supersteps, want %d", len(r.Spreads), steps, want)
	}
	if c.Adopt(c.Decide(must.Get(Merge(1, r))(t))); len(c.spreads) != 0 {
		t.Errorf("%d extents after a call", len(c.spreads))
	}
}

// The more processes, the fewer supersteps of work are kept for each.
func TestPhasesKept(t *testing.T) {
	for n, want := range map[int]int{0: 32, 1: 32, 32768: 32, 65536: 16, 1 << 18: 4, 1 << 30: 4} {
		if got := mostRecentWork(n); got != want {
			t.Errorf("%d processes: %d, want %d", n, got, want)
		}
	}
	c, o := evenRun(1, 1, "one")
	for i := range 40 {
		o.Class, o.Processes[0].Time = i, float64(i)
		c.Observe(o)
	}
	r := c.Report(rankStates(1), freeDetail)
	p := r.Processes[0]
	if len(p.RecentWork) != 32 || p.RecentWork[0] != 8 || p.RecentWork[31] != 39 || r.Classes[0] != 8 || r.Classes[31] != 39 || p.SinceMove != 32 {
		t.Errorf("%v, %v, %d", p.RecentWork, r.Classes, p.SinceMove)
	}
}

// The heaviest senders, by bytes per superstep with recorded traffic.
func TestPartners(t *testing.T) {
	c, o := evenRun(12, 2, "one")
	o.Processes[0].Received = nil
	for pid := 1; pid < 12; pid++ {
		o.Processes[0].Received = append(o.Processes[0].Received, Traffic{Pid: pid, Bytes: int64(100 * pid)})
	}
	c.Observe(o)
	c.Observe(o)
	for i := range o.Processes {
		o.Processes[i].Received = nil
	}
	c.Observe(o)
	got := c.Report(rankStates(2), freeDetail).Processes[0].Partners
	var want []Traffic
	for pid := 11; pid > 0; pid-- {
		want = append(want, Traffic{Pid: pid, Bytes: int64(100 * pid)})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for procs, named := range map[int]int{409: 10, 512: 8, 1000000: 8} {
		if got := c.own[0].heaviest(procs); !slices.Equal(got, want[:named]) {
			t.Errorf("of %d processes: %v, want %v", procs, got, want[:named])
		}
	}
}

// Partners are kept while traffic is not recorded after a call, and replaced once it is.
func TestPartnersAreRemembered(t *testing.T) {
	var h History
	hear := func(received ...Traffic) {
		h.communicate(0, received, nil, 0.1, 0.1)
	}
	hear(Traffic{Pid: 1, Bytes: 300})
	hear(Traffic{Pid: 1, Bytes: 500})
	for range 2 {
		h.restart()
		if got, want := h.heaviest(9), []Traffic{{Pid: 1, Bytes: 400}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	hear(Traffic{Pid: 2, Bytes: 70})
	if got, want := h.heaviest(9), []Traffic{{Pid: 2, Bytes: 70}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	h.restart()
	hear()
	if got := h.heaviest(9); len(got) != 0 {
		t.Errorf("%v, of one that is sent nothing any more", got)
	}
}

func TestMergeRefuses(t *testing.T) {
	c, o := evenRun(4, 2, "one")
	c.Observe(o)
	parts := func() (Report, Report) {
		return c.Report(rankStates(2)[:1], freeDetail), c.Report(rankStates(2)[1:], freeDetail)
	}
	for name, change := range map[string]func(a, b *Report) []Report{
		"a rank twice": func(a, b *Report) []Report {
			return []Report{*a, *b, {Ranks: b.Ranks, Spreads: b.Spreads, Classes: b.Classes}}
		},
		"no first rank": func(_, b *Report) []Report { return []Report{*b} },
		"no process 1":  func(a, b *Report) []Report { b.Processes = b.Processes[1:]; return []Report{*a, *b} },
		"a process twice": func(a, b *Report) []Report {
			b.Processes = append(b.Processes, b.Processes[0])
			return []Report{*a, *b}
		},
		"a foreign rank":   func(a, b *Report) []Report { b.Processes[0].Rank = 7; return []Report{*a, *b} },
		"a superstep less": func(a, b *Report) []Report { b.Spreads = nil; return []Report{*a, *b} },
		"another class":    func(a, b *Report) []Report { b.Classes = []int{5}; return []Report{*a, *b} },
		"too many phases":  func(a, b *Report) []Report { b.Processes[0].RecentWork = make([]float32, 9); return []Report{*a, *b} },
		"loads of others than the supersteps": func(a, b *Report) []Report {
			a.Told = []Told{{Pid: 0, Coming: 1, Recent: make([]float32, 9)}}
			return []Report{*a, *b}
		},
		"a negative process": func(a, b *Report) []Report { a.Processes[0].Pid = -1; return []Report{*a, *b} },
	} {
		a, b := parts()
		if _, err := Merge(1, change(&a, &b)...); err == nil || !strings.HasPrefix(err.Error(), "rebalancer: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, b := parts()
	must.Get(Merge(1, b, a))(t)
}

// Reports of another run move no process.
func TestDecideRefusesForeignReports(t *testing.T) {
	c, o := evenRun(4, 2, "auto")
	c.Observe(o)
	s := must.Get(Merge(1, c.Report(rankStates(2), freeDetail)))(t)
	for name, change := range map[string]func(s *Snapshot){
		"a rank less":     func(s *Snapshot) { s.Ranks = s.Ranks[:1] },
		"a process less":  func(s *Snapshot) { s.Processes = s.Processes[:3] },
		"another mapping": func(s *Snapshot) { s.Processes[0].Rank = 1 },
	} {
		other := s
		other.Processes = slices.Clone(s.Processes)
		change(&other)
		if d := c.Decide(other); len(d.Moves) > 0 || !strings.Contains(d.WhyNone, "report") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
