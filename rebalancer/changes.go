package rebalancer

import (
	"math"
	"slices"
)

// What has not changed is not reported.
//
// A rank leaves a process out of its report if the managers expect it to be as it is: as
// it was last reported, with the work of the supersteps since as that of the last one of
// their class was. They put in what they expect. Differences count from the last report, not
// from the last call, so that they never add up. Whoever moves is reported in full by the rank
// where it is next, and all are when managers have changed (Controller.Forget).

const (
	// reportedAlways is how many processes a run has whose reports are always whole: below, their
	// bytes take less than the way does.
	reportedAlways = 1024
	// unchanged is by what part a figure may differ from what it is expected to be. It is
	// as much as auto must gain for anything to move: twice as much would hide what is worth
	// a move, and half of it leaves out few whose times are measured.
	unchanged = 0.02
)

// reported is what managers know of a process: its last report, and the classes of the
// supersteps in its RecentWork. They are of the reports of calls that all have made.
type reported struct {
	process *Process
	classes []int
}

// reports are what a controller has told, or has been told.
type reports struct {
	last []reported       // by pid; nil in runs whose reports are always whole
	open []reported       // of the call that is being made; of two of a process the later one counts
	on   map[*int][]int32 // for the call that is being made: by the classes of a report, see columns
}

// note keeps what is reported until the call is over.
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
		p := *is.process // it may stay longer than the others of its report
		r.last[p.Pid] = reported{&p, is.classes}
	}
	for _, m := range moves {
		r.last[m.Pid] = reported{}
	}
	r.open = nil
	clear(r.on)
}

// forget has all processes reported in full.
func (r *reports) forget() { clear(r.last); r.open = nil }

// columns returns, for each superstep with these classes, which of those of an earlier report
// it is expected to be like: the same one if classes are the same, or else the last of its
// class; nil if there is none for some.
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

// expected is what a process is expected to be at a call whose supersteps have these classes;
// false if there is nothing to expect it by.
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

// same reports whether a process is as it is expected to be.
func (p *Process) same(as *Process) bool {
	if p.Rank != as.Rank || p.Pinned != as.Pinned || p.Request >= 0 || as.Request >= 0 || p.SinceMove != as.SinceMove ||
		!asExpected(float64(p.State), float64(as.State)) || !asExpected(p.Work, as.Work) || !asExpected(p.Time, as.Time) || p.Regularity != as.Regularity {
		return false
	}
	// What is left of a potential is a difference: its parts count beside the largest.
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
