package bsplib

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Kind classifies what ended a run.
type Kind = failure.Kind

// The kinds of misuse and failure. The names follow the error codes of
// BSPlib's descendants.
const (
	KindFailed             = failure.Failed             // a process returned an error or panicked
	KindAborted            = failure.Aborted            // a process called Abort
	KindNotRegistered      = failure.NotRegistered      // an area was used outside its registration
	KindRegisterMismatch   = failure.RegisterMismatch   // processes registered, popped or made queues differently
	KindCollectiveMismatch = failure.CollectiveMismatch // processes were in different collectives
	KindEndMismatch        = failure.EndMismatch        // some processes ended while others synchronised
	KindPidOutOfRange      = failure.PidOutOfRange      // no such process
	KindOutOfBounds        = failure.OutOfBounds        // beyond the end of an area
	KindQueueEmpty         = failure.QueueEmpty         // a message was taken from an empty queue
	KindNotPlain           = failure.NotPlain           // a type that cannot be sent as bytes
	KindOutOfMemory        = failure.OutOfMemory        // more memory than there is
	KindEngine             = failure.Engine             // the engine below failed
	KindNestedStages       = failure.NestedStages       // a stage loop within a stage
	KindNoSuchPlace        = failure.NoSuchPlace        // a process asked to go where nothing is
	KindUnmovable          = failure.Unmovable          // a state that cannot be taken elsewhere, or did not arrive as it left
	KindBadLoad            = failure.BadLoad            // a load that is no amount
	KindForeignUse         = failure.ForeignUse         // a goroutine used a process that it does not run
)

// Error says what ended a run, and where: the superstep, the process, the
// rank that ran it and the line of the program.
type Error struct {
	Kind      Kind
	Pid       int // -1 where no single process is to blame
	Rank      int
	Superstep int
	Site      string // file:line of the program's call, if known
	Text      string
	Stack     string // of the process, after a panic
	Err       error  // the cause: what the process returned, an error of the engine, ErrCheckpointed
}

// Error gives all on one line, without the stack.
func (e *Error) Error() string { return (*failure.Error)(e).Error() }

// Unwrap returns the cause, nil if Text says all.
func (e *Error) Unwrap() error { return e.Err }

// ErrNotVerified is what a program returns on all processes when its result
// did not pass its check and it has said so itself.
var ErrNotVerified = failure.ErrNotVerified

// caught is the error that a program has panicked with, nil if v is none.
func caught(v any) *failure.Error {
	e, _ := v.(*Error)
	return (*failure.Error)(e)
}

// caughtInBarrier makes an error of what an operation has panicked with in a barrier: for the
// first process that comes back.
func caughtInBarrier(v any) any {
	if e, is := v.(*Error); is {
		return e
	}
	return &Error{Pid: -1, Text: fmt.Sprintf("panic: %v", v), Site: site.OfProgram(), Stack: failure.PanicStack()}
}
