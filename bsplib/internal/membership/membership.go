// Package membership tracks which ranks take part in supersteps: the ranks that have processes. The
// others sleep (mpi.Comm.Attend), from the beginning of the run or from the call that moved their
// last process away. A sleeping rank costs the others no time.
//
// Some operations need all ranks: a rescheduling call, a checkpoint, each kind of end of the run,
// and, while rank 0 is away, the account. The ranks that take part call the others back first
// (Recall). A recalled rank receives the current superstep and the reason (Call), takes part in the
// operation, and leaves again if it still has no processes (Dismiss).
//
// Invariants: all ranks hold the same mapping, and therefore agree on the ranks that take part. This
// set changes only between two supersteps, while all ranks are present. Data that are the same on all
// ranks do not change on a rank while it is away; a Call carries the data that may have changed
// since.
//
// Package watch, in a subdirectory, detects lost ranks.
package membership

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Needs are the reasons to call all ranks back.
type Needs uint16

// The reasons.
const (
	Checkpoint Needs = 1 << iota
	Refusal          // of a checkpoint without a directory; rank 0 prints it
	Unrest           // processes move for a test of the program
	Decision         // a rescheduling call
	Requests         // processes or ranks have requests to that call
	Ship             // the account goes to rank 0
	RollCall         // ranks that are away may have a request for a checkpoint
	End              // all processes have ended
	Failed           // a process has returned an error
	Mismatch         // some processes have ended, others have not
	Misfit           // processes have registered different things
	Apart            // processes are in different collectives
)

// Agree returns the needs of all present ranks, which call it together.
func Agree(c *control.Channel, mine Needs) (all Needs, err error) {
	flags, err := c.Exchange(mpi.Flags(mine))
	return Needs(flags), err
}

// A Call is the message to a recalled rank.
type Call struct {
	Needs      Needs
	Step       int
	Registered bool                // areas have changed since the rank left
	Stages     int                 // since the last checkpoint
	Progress   rebalancer.Progress // of rescheduling, if the run reschedules
	Wrong      *Wrong              // with Misfit
}

// Wrong is an error that all ranks are about to report.
type Wrong struct {
	Pid, Rank int
	Text      string
}

// RollCallEvery is the longest time for which a request for a checkpoint waits if it was made only on a
// rank that is away. Tests change it.
var RollCallEvery = 15 * time.Second

// Members is one rank's view of the ranks that take part.
type Members struct {
	comm    mpi.Comm
	here    []int
	absent  int           // number of ranks that are away
	away    bool          // this rank does not take part
	present []bool        // at the last Dismiss
	woke    time.Duration // time of the last Recall, 0 once Waking has returned it
	asked   time.Duration // time of the last roll call
}

// New returns the members of a run that begins: all ranks.
func New(comm mpi.Comm) *Members {
	m := &Members{comm: comm, present: slices.Repeat([]bool{true}, comm.Size())}
	m.gather()
	return m
}

func (m *Members) gather() {
	m.here, m.absent, m.away = m.here[:0], 0, false
	for rank := range m.comm.Size() {
		m.here = append(m.here, rank)
	}
}

// Here returns the ranks that take part, in order. It is valid until the next change.
func (m *Members) Here() []int { return m.here }

// Absent returns the number of ranks that do not take part.
func (m *Members) Absent() int { return m.absent }

// Away reports whether this rank does not take part.
func (m *Members) Away() bool { return m.away }

// Stayed reports whether a rank took part before the others were called back.
func (m *Members) Stayed(rank int) bool { return m.present[rank] }

// Inhabited reports for each rank whether it has processes, given each process's rank, and whether
// these ranks differ from the ranks that took part last.
func (m *Members) Inhabited(where []int32) (present []bool, changed bool) {
	present = make([]bool, m.comm.Size())
	for _, rank := range where {
		present[rank] = true
	}
	return present, !slices.Equal(present, m.present)
}

// Dismiss sets the ranks that take part. All ranks call it, while all are present. A rank that leaves
// calls Await next.
func (m *Members) Dismiss(present []bool) error {
	m.present = present
	m.here, m.away = m.here[:0], !present[m.comm.Rank()]
	for rank, is := range present {
		if is {
			m.here = append(m.here, rank)
		}
	}
	m.absent = len(present) - len(m.here)
	if m.away {
		return nil
	}
	_, err := m.comm.Attend(present, nil)
	return err
}

// Recall calls back the ranks that are away. now is the time on the run's clock. All present ranks
// call it with the same Call.
func (m *Members) Recall(c *Call, now time.Duration) error {
	note, err := wire.Append(nil, c)
	if err == nil {
		_, err = m.comm.Attend(nil, note)
	}
	m.woke = now
	m.gather()
	return err
}

// Await sleeps until this rank, which is away, is called back.
func (m *Members) Await() (*Call, error) {
	note, err := m.comm.Attend(m.present, nil)
	c := new(Call)
	if err == nil {
		err = wire.Read(note, c)
	}
	m.gather()
	return c, err
}

// Woken records the time at which this rank was called back.
func (m *Members) Woken(now time.Duration) { m.woke = now }

// Waking returns the time since the last Recall, or 0 if Waking has been called since.
func (m *Members) Waking(now time.Duration) time.Duration {
	if m.woke == 0 {
		return 0
	}
	took := now - m.woke
	m.woke = 0
	return took
}

// RollCallDue reports whether this rank is the first that takes part and must begin a roll call.
func (m *Members) RollCallDue(now time.Duration) bool {
	return m.here[0] == m.comm.Rank() && now-m.asked >= RollCallEvery
}

// RollCalled records the time of a roll call.
func (m *Members) RollCalled(now time.Duration) { m.asked = now }
