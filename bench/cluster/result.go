package main

import (
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// result has all runs of an experiment.
type result struct {
	experiment *experiment
	speeds     map[string]float64 // by host, before the event
	runs       [][]run            // by scenario
	excess     float64            // of a superstep after the event, without rescheduling: see excessOf
	alone      []*ledger.History  // of runs on one host, if the experiment has them
	launches   [][]*outcome       // by round, of runs that decide where processes start
}

// run has the figures of one run.
type run struct {
	seconds  float64
	possible float64 // seconds of the same run with the best placement of processes
	calls    int
	moves    int
	history  *ledger.History
	event    int // superstep in which it happened
	recovery int // calls until the event was dealt with, -1 if never
	reaction     // until supersteps were near the best mapping's
	deciding float64
	checked  float64 // time of computing in the barrier's eyes, over that by the ranks' speeds
}

func newResult(e *experiment, bed *testbed) *result {
	r := &result{experiment: e, speeds: make(map[string]float64), runs: make([][]run, len(scenarios))}
	for _, h := range bed.state.Hosts {
		r.speeds[h.Name] = h.Speed
	}
	return r
}

// take adds a run of a scenario; the first of a round is that without
// rescheduling.
func (r *result) take(scenario int, o *outcome) run {
	h := o.history
	new := run{seconds: o.seconds(), calls: len(h.Calls), moves: len(h.Moves), history: h, event: o.event, deciding: h.Account.Whole().DecideTime}
	excess := r.excessOf(o)
	least := 0.0
	for i := range h.Steps {
		least += h.Steps[i].Total.Seconds() - excess[i]
	}
	new.possible = least + new.seconds - frame.Sum(durations(h.Steps))
	new.checked = r.check(o)
	if r.experiment.event != nil {
		after := excess[firstAfter(h.Steps, o.event):]
		if scenario == 0 {
			r.excess = frame.Median(after)
		}
		new.recovery = recovery(h, o.event, after, r.excess)
		new.reaction = reactionTo(h.Steps[firstAfter(h.Steps, o.event):], after)
	}
	r.runs[scenario] = append(r.runs[scenario], new)
	return new
}

// speedsAt are the speeds of the ranks of a run in its supersteps.
func (r *result) speedsAt(o *outcome) func(step int) []float64 {
	before := make([]float64, len(o.history.Account.Run().Ranks))
	for rank, is := range o.history.Account.Run().Ranks {
		before[rank] = r.speeds[is.Host]
	}
	after := slices.Clone(before)
	if e := r.experiment.event; e != nil && o.event > 0 {
		for rank, is := range o.history.Account.Run().Ranks {
			if is.Host == e.host {
				after[rank] = e.speed
			}
		}
	}
	return func(step int) []float64 {
		if o.event > 0 && step > o.event {
			return after
		}
		return before
	}
}

// excessOf returns for each superstep how much longer it took than necessary: with a link
// that changes, than the supersteps before; else than with the best placement of processes.
func (r *result) excessOf(o *outcome) []float64 {
	steps := o.history.Steps
	excess := make([]float64, len(steps))
	at := r.speedsAt(o)
	usual, empty := 0.0, 0.0
	if end := o.history.End; end != nil && end.Machine != nil {
		empty = end.Machine.L
	}
	if e := r.experiment.event; e != nil && e.link && o.event > 0 {
		usual = frame.Median(durations(steps[:firstAfter(steps, o.event)]))
	}
	for i := range steps {
		if usual > 0 && steps[i].First > o.event {
			excess[i] = max(0, steps[i].Total.Seconds()-usual)
			continue
		}
		one := steps[i : i+1]
		excess[i] = steps[i].Total.Seconds() - best(one, r.experiment.procs, r.experiment.even, empty, at)
	}
	return excess
}

// check compares the times of supersteps with the times expected by the speeds of the
// testbed.
func (r *result) check(o *outcome) float64 {
	took := 0.0
	for i := range o.history.Steps {
		s := &o.history.Steps[i]
		took += (s.Total - s.Comm).Seconds()
	}
	if should := slowestWork(o.history.Steps, r.speedsAt(o)).Seconds(); should > 0 {
		return took / should
	}
	return 1
}

// recovery returns the number of rescheduling calls between an event and the superstep from
// which on the excess of supersteps is at most a fifth of the typical one without
// rescheduling: in that superstep, typically in the next five, and typically in all later
// ones. It is -1 if there is none.
func recovery(h *ledger.History, event int, after []float64, excess float64) int {
	const window, part = 5, 0.2
	first := firstAfter(h.Steps, event)
	for i := 0; i+window <= len(after); i++ {
		if max(after[i], frame.Median(after[i:i+window]), frame.Median(after[i:])) > part*excess {
			continue
		}
		calls := 0
		for _, c := range h.Calls {
			if c.Step > event && c.Step < h.Steps[first+i].First {
				calls++
			}
		}
		return calls
	}
	return -1
}

// reaction is how long a run took to deal with an event.
type reaction struct {
	until float64 // in seconds
	steps int     // -1 if it never did
}

// near is the part by which supersteps may take longer than the best, and count as near it.
const near = 0.15

// reactionTo is how long it takes, from the first two supersteps that are not near the best on,
// until one is, with typically the next five and typically all to come. The event itself is known
// to within some supersteps only, for the record is written twice a second.
func reactionTo(steps []ledger.Step, excess []float64) reaction {
	const window = 5
	part := make([]float64, len(steps))
	for i := range steps {
		part[i] = excess[i] / (steps[i].Total.Seconds() - excess[i])
	}
	first := 0
	for first+1 < len(part) && min(part[first], part[first+1]) <= near {
		first++
	}
	if first+1 >= len(part) {
		return reaction{}
	}
	count := 0
	for i := first; i+window <= len(part); i++ {
		if max(part[i], frame.Median(part[i:i+window]), frame.Median(part[i:])) <= near {
			return reaction{(steps[i].At - steps[first].At).Seconds(), count}
		}
		count += steps[i].Count
	}
	return reaction{0, -1}
}

// firstAfter is the index of the first superstep after the given one.
func firstAfter(steps []ledger.Step, step int) int {
	for i := range steps {
		if steps[i].First > step {
			return i
		}
	}
	return len(steps)
}

func durations(steps []ledger.Step) []float64 {
	return frame.Each(steps, func(s ledger.Step) float64 { return s.Total.Seconds() })
}
