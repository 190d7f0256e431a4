// Package membership keeps which ranks take part in supersteps: those that have processes.
// The others sleep (mpi.Comm.Attend), from the beginning of the run or from the call that
// moved their last process away, and cost the others nothing.
//
// What needs all ranks calls them back first (Recall): a rescheduling call, a checkpoint, the
// end of the run for whatever reason, and, while rank 0 is away, the account. A rank that is
// called back learns how far the others are and what they need it for (Call), does the same
// as they do, and leaves again if it still has no processes (Dismiss).
//
// Invariants: all ranks know the same mapping, and so who takes part. That changes only
// between two supersteps, while all ranks are present. What is the same on all ranks stays
// on a rank that is away as it was when the rank left; a Call tells what may have changed
// since.
//
// Package watch, below this one, finds ranks that are lost.
package membership

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Needs are the reasons to call all ranks back.
type Needs uint16

// The reasons.
const (
	Checkpoint Needs = 1 << iota
	Refusal          // of a checkpoint that has no directory: rank 0 prints it
	Unrest           // processes move without a reason, in tests
	Decision         // a rescheduling call
	Requests         // processes or ranks have requests to that call
	Ship             // the account goes to rank 0
	RollCall         // ranks that are away may have a request for a checkpoint
	End              // all processes have ended
	Failed           // a process has returned an error
	Mismatch         // some processes have ended, others have not
	Misfit           // processes have registered different things
)

// Call is what a rank learns when it is called back.
type Call struct {
	Needs      Needs
	Step       int
	Registered bool                // areas have changed since the rank left
	Stages     int                 // since the last checkpoint
	Progress   rebalancer.Progress // of rescheduling, where there is any
	Wrong      *Wrong              // with Misfit
}

// Wrong is an error that all ranks are about to report.
type Wrong struct {
	Pid, Rank int
	Text      string
}

// RollCallEvery is the longest time that a request for a checkpoint waits which was made on a
// rank that is away, and on no other. Tests change it.
var RollCallEvery = 15 * time.Second

// Members are the ranks that take part, as one rank knows them.
type Members struct {
	comm    mpi.Comm
	here    []int
	absent  int           // how many are not here
	away    bool          // this rank does not take part
	present []bool        // at the last Dismiss
	woke    time.Duration // when the others were last called back, 0 once that has been counted
	asked   time.Duration // when the last roll call was
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

// Absent returns how many ranks do not take part.
func (m *Members) Absent() int { return m.absent }

// Away reports whether this rank does not take part.
func (m *Members) Away() bool { return m.away }

// Stayed reports whether a rank took part before the others were called back.
func (m *Members) Stayed(rank int) bool { return m.present[rank] }

// Inhabited returns by rank whether it has processes, given each process's rank, and reports
// whether these are other ranks than those that took part last.
func (m *Members) Inhabited(where []int32) (present []bool, changed bool) {
	present = make([]bool, m.comm.Size())
	for _, rank := range where {
		present[rank] = true
	}
	return present, !slices.Equal(present, m.present)
}

// Dismiss makes these the ranks that take part. All ranks call it, while all are present. One
// that is away then calls Await next.
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

// Recall calls back the ranks that are away, at a time on the run's clock. All that are present
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

// Woken notes on a rank that was called back when that was.
func (m *Members) Woken(now time.Duration) { m.woke = now }

// Waking returns the time since the last Recall that nobody has asked for yet, 0 if there was
// none.
func (m *Members) Waking(now time.Duration) time.Duration {
	if m.woke == 0 {
		return 0
	}
	took := now - m.woke
	m.woke = 0
	return took
}

// RollCallDue reports whether this rank, the first that takes part, has to begin a roll call.
func (m *Members) RollCallDue(now time.Duration) bool {
	return m.here[0] == m.comm.Rank() && now-m.asked >= RollCallEvery
}

// RollCalled notes a roll call.
func (m *Members) RollCalled(now time.Duration) { m.asked = now }
