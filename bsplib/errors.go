package bsplib

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Kind classifies the errors that end a run.
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
	KindOutOfMemory        = failure.OutOfMemory        // more memory than available
	KindEngine             = failure.Engine             // the engine below failed
	KindNestedStages       = failure.NestedStages       // a stage loop within a stage
	KindNoSuchPlace        = failure.NoSuchPlace        // Migrate to a rank, host or process that does not exist
	KindUnmovable          = failure.Unmovable          // a state that cannot be moved, or did not arrive as it left
	KindBadLoad            = failure.BadLoad            // a load that is negative, infinite or NaN
	KindForeignUse         = failure.ForeignUse         // a goroutine used a process that it does not run
)

// Error is the error that ended a run, with its location: the superstep, the
// process, its rank and the line of the program.
type Error struct {
	Kind      Kind
	Pid       int // -1 if no single process is to blame
	Rank      int
	Superstep int
	Site      string // file:line of the program's call, if known
	Text      string
	Stack     string // of the process, after a panic
	Err       error  // the cause: an error that the process returned, an error of the engine, ErrCheckpointed
}

// Error returns the error on one line, without the stack.
func (e *Error) Error() string { return (*failure.Error)(e).Error() }

// Unwrap returns the cause, or nil if Text is the whole error.
func (e *Error) Unwrap() error { return e.Err }

// ErrNotVerified is the error that a program returns on all processes if its
// result failed its check and it has reported the failure itself.
var ErrNotVerified = failure.ErrNotVerified

// caught returns the package's error that a program has panicked with, nil if v is another value.
func caught(v any) *failure.Error {
	e, _ := v.(*Error)
	return (*failure.Error)(e)
}

// caughtInBarrier returns the error for a value that an operation has panicked with in a barrier.
// The first process that leaves the barrier fails with it.
func caughtInBarrier(v any) any {
	if e, is := v.(*Error); is {
		return e
	}
	return &Error{Pid: -1, Text: fmt.Sprintf("panic: %v", v), Site: site.OfProgram(), Stack: failure.PanicStack()}
}
