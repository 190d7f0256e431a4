package ledger

import (
	"fmt"
	"math"
)

// Load is what the processes did in one superstep, or in several that ended at one
// place of the program, added up. It does not depend on where they ran, so that the
// same can be asked of another platform.
type Load struct {
	First int    // number of the (first) superstep
	Last  int    // of the last; others in between may have ended elsewhere
	Count int    // supersteps added up
	Site  string // file:line where they ended, as in Step; SeveralSites where that differs

	Work     []float64 // by process: seconds on a rank of speed 1
	Messages []Message // by receiver and sender, each pair once
	State    []int64   // by process: bytes that a move would take along; nil if that is as it was
	Over     float64   // seconds beside all this, on any platform
}

// Message is what one process gave another.
type Message struct {
	From, To int
	Bytes    float64
}

// SeveralSites is the Site of supersteps that ended at several places.
const SeveralSites = "several"

// check looks for what no superstep can be.
func (l *Load) check(run *Run) error {
	if l.Count < 1 || l.First < 1 || l.Last < l.First || l.Count > l.Last-l.First+1 {
		return fmt.Errorf("workload: %d supersteps between %d and %d", l.Count, l.First, l.Last)
	}
	if len(l.Work) != run.Procs {
		return fmt.Errorf("workload of superstep %d: work of %d processes; expected %d, as the run has", l.First, len(l.Work), run.Procs)
	}
	if len(l.State) != run.Procs && l.State != nil {
		return fmt.Errorf("workload of superstep %d: state of %d processes; expected %d, as the run has", l.First, len(l.State), run.Procs)
	}
	if !(l.Over >= 0) || math.IsInf(l.Over, 0) {
		return fmt.Errorf("workload of superstep %d: %g s over; expected a number from 0 on", l.First, l.Over)
	}
	for pid, work := range l.Work {
		if !(work >= 0) || math.IsInf(work, 0) {
			return fmt.Errorf("workload of superstep %d: process %d works %g s; expected a number from 0 on", l.First, pid, work)
		}
	}
	for pid, bytes := range l.State {
		if bytes < 0 {
			return fmt.Errorf("workload of superstep %d: the state of process %d has %d bytes; expected a number from 0 on", l.First, pid, bytes)
		}
	}
	for _, m := range l.Messages {
		if m.From < 0 || m.From >= run.Procs || m.To < 0 || m.To >= run.Procs || !(m.Bytes >= 0) || math.IsInf(m.Bytes, 0) {
			return fmt.Errorf("workload of superstep %d: %g bytes from process %d to %d; expected a number from 0 on, and processes below %d",
				l.First, m.Bytes, m.From, m.To, run.Procs)
		}
	}
	return nil
}
