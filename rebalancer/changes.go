package rebalancer

import (
	"math"
	"slices"
)

// Reports omit unchanged processes.
//
// A rank omits a process from its report if the process is as the managers expect: as in its last
// report, with the work of each superstep since equal to the work of the last superstep of the same
// class. The managers fill in the expected values. Differences are taken from the last report, not from
// the last call, so they do not accumulate. A process that has moved is reported in full by its new
// rank, and all processes are if the managers have changed (Controller.Forget).

const (
	// reportedAlways is the largest number of processes with always complete reports: their bytes take
	// less time than the latency of the message.
	reportedAlways = 1024
	// unchanged is the largest relative difference of a figure that counts as expected. It equals the
	// least gain for which auto moves a process: twice as much would hide differences that justify a
	// move, and half of it would omit few processes, because their times are measured.
	unchanged = 0.02
)

// reported is a process as the managers know it: its last report, and the classes of the supersteps in
// its RecentWork. It comes from the reports of completed calls.
type reported struct {
	process *Process
	classes []int
}

// reports holds the process reports that a controller has sent or received.
type reports struct {
	last []reported       // by pid; nil in runs whose reports are always complete
	open []reported       // of the current call; the later of two reports of a process counts
	on   map[*int][]int32 // for the current call: by the classes of a report, see columns
}

// note keeps a report until the call is over.
func (r *reports) note(p *Process, classes []int) {
	if r.last != nil {
		r.open = append(r.open, reported{p, classes})
	}
}

func (r *reports) close(moves []Move) {
	if r.last == nil {
		return
	}
	for _, is := range r.open {
		p := *is.process // a copy, because the original would keep its whole report in memory
		r.last[p.Pid] = reported{&p, is.classes}
	}
	for _, m := range moves {
		r.last[m.Pid] = reported{}
	}
	r.open = nil
	clear(r.on)
}

// forget discards all reports, so that all processes are reported in full.
func (r *reports) forget() { clear(r.last); r.open = nil }

// columns returns, for each superstep with the classes is, the superstep of an earlier report with the
// classes was that it is expected to equal: the same index if the classes are equal, otherwise the last
// of its class. It returns nil if some class is missing.
func (r *reports) columns(was, is []int) []int32 {
	if len(was) == 0 || len(is) == 0 {
		return nil
	}
	if on, known := r.on[&was[0]]; known {
		return on
	}
	var on []int32
	for c, class := range is {
		last := c
		if !slices.Equal(was, is) {
			for last = len(was) - 1; last >= 0 && was[last] != class; last-- {
			}
		}
		if last < 0 {
			on = nil
			break
		}
		on = append(on, int32(last))
	}
	r.on[&was[0]] = on
	return on
}

// expected returns the expected report of a process at a call whose supersteps have these classes, or
// false if no earlier report applies.
func (r *reports) expected(pid int, classes []int) (p Process, known bool) {
	if r.last == nil || r.last[pid].process == nil {
		return p, false
	}
	was := r.last[pid]
	on := r.columns(was.classes, classes)
	if on == nil || len(was.process.RecentWork) != len(was.classes) || was.process.SinceMove != len(was.classes) {
		return p, false
	}
	p = *was.process
	p.RecentWork = make([]float32, len(on))
	for c, from := range on {
		p.RecentWork[c] = was.process.RecentWork[from]
	}
	p.SinceMove = len(on)
	return p, true
}

// same reports whether a process is as expected.
func (p *Process) same(as *Process) bool {
	if p.Rank != as.Rank || p.Pinned != as.Pinned || p.Request >= 0 || as.Request >= 0 || p.SinceMove != as.SinceMove ||
		!asExpected(float64(p.State), float64(as.State)) || !asExpected(p.Work, as.Work) || !asExpected(p.Time, as.Time) || p.Regularity != as.Regularity {
		return false
	}
	// A potential is a difference, so errors are relative to its largest part.
	a, b := &p.Best, &as.Best
	margin := unchanged * max(math.Abs(b.Comp), math.Abs(b.Comm), math.Abs(b.Mem))
	if a.Set != b.Set || math.Abs(a.Comp-b.Comp) > margin || math.Abs(a.Comm-b.Comm) > margin || math.Abs(a.Mem-b.Mem) > margin {
		return false
	}
	return slices.EqualFunc(p.RecentWork, as.RecentWork, func(a, b float32) bool { return asExpected(float64(a), float64(b)) }) &&
		slices.EqualFunc(p.Partners, as.Partners, func(a, b Traffic) bool {
			return a.Pid == b.Pid && asExpected(float64(a.Bytes), float64(b.Bytes))
		}) &&
		slices.EqualFunc(p.Sets, as.Sets, func(a, b SetTraffic) bool {
			return a.Set == b.Set && a.Regularity == b.Regularity && asExpected(a.Bytes, b.Bytes) && asExpected(a.Time, b.Time)
		})
}

func asExpected(is, expected float64) bool {
	return math.Abs(is-expected) <= unchanged*math.Abs(expected)
}
