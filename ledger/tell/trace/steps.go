package trace

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// step draws a superstep, or several that were added up.
func (t *tracer) step(s *ledger.Step) {
	if s.First > t.to {
		t.past = true
		return
	}
	t.last = s.Last
	if s.Last < t.from {
		return
	}
	at := min(latest, max(s.At, t.drawn))
	t.start(at)
	takes := min(latest, s.Total)
	for _, w := range s.Work {
		takes = max(takes, min(latest, w))
	}
	t.drawn = min(latest, at+takes)
	a := t.describe(s)
	t.out.complete(s.Site, t.ofRun(supersteps), at, takes, a)
	t.out.counter("imbalance", t.ofRun(0), at, args(nil).number("w max / w avg", s.Imbalance()))
	for rank, w := range s.Work {
		t.rank(rank, s, at, min(latest, w), takes, a)
	}
	t.made.Steps += s.Count
}

// start draws the mapping of processes at the beginning of the first superstep.
func (t *tracer) start(at time.Duration) {
	if t.begun {
		return
	}
	t.begun = true
	for rank := range t.procs {
		t.count(rank, at)
	}
}

// rank draws a rank's superstep: its work, then the rest.
func (t *tracer) rank(rank int, s *ledger.Step, at, work, takes time.Duration, a args) {
	name := s.Site
	if s.Count > 1 {
		name = fmt.Sprintf("%d supersteps", s.Count)
	}
	if work > 0 {
		t.out.complete(name, track{rank, computing}, at, work, args(nil).int("step", int64(s.First)).text("site", s.Site))
	}
	if rest := takes - work; rest > 0 {
		t.out.complete("wait + communicate", track{rank, waiting}, at+work, rest, a)
	}
}

// describe returns the arguments that are the same on all ranks.
func (t *tracer) describe(s *ledger.Step) args {
	a := args(nil).int("step", int64(s.First))
	if s.Count > 1 {
		a = a.int("last", int64(s.Last)).int("supersteps", int64(s.Count))
	}
	a = a.text("site", s.Site).int("h", s.H).text("w_max", ledger.Seconds(s.WorkMax))
	if lost := s.Denied + s.Lost; lost > 0 {
		a = a.text("CPU not granted", ledger.Seconds(lost))
	}
	if t.machine != nil {
		a = a.text("predicted", ledger.Seconds(after(t.machine.Predict(s))))
	}
	return a
}

// count draws the number of processes on a rank.
func (t *tracer) count(rank int, at time.Duration) {
	t.out.counter("processes", track{rank, 0}, at, args(nil).int("processes", int64(t.procs[rank])))
}
