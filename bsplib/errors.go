package bsplib

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Kind classifies what ended a run.
type Kind int

// The kinds of misuse and failure. The names follow the error codes of
// BSPlib's descendants.
const (
	KindFailed             Kind = iota // a process returned an error or panicked
	KindAborted                        // a process called Abort
	KindNotRegistered                  // an area was used outside its registration
	KindRegisterMismatch               // processes registered, popped or made queues differently
	KindCollectiveMismatch             // processes were in different collectives
	KindEndMismatch                    // some processes ended while others synchronised
	KindPidOutOfRange                  // no such process
	KindOutOfBounds                    // beyond the end of an area
	KindQueueEmpty                     // a message was taken from an empty queue
	KindNotPlain                       // a type that cannot be sent as bytes
	KindOutOfMemory                    // more memory than there is
	KindEngine                         // the engine below failed
	KindNestedStages                   // a stage loop within a stage
	KindNoSuchPlace                    // a process asked to go where nothing is
	KindUnmovable                      // a state that cannot be taken elsewhere, or did not arrive as it left
	KindBadLoad                        // a load that is no amount
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

	returned bool // by the process's program, which waits for the barrier to be known
	known    bool // all ranks have the same error
}

// Error gives all on one line, without the stack.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "superstep %d, ", e.Superstep)
	if e.Pid >= 0 {
		fmt.Fprintf(&b, "process %d, ", e.Pid)
	}
	fmt.Fprintf(&b, "rank %d", e.Rank)
	if e.Site != "" {
		fmt.Fprintf(&b, ", %s", e.Site)
	}
	fmt.Fprintf(&b, ": %s", e.Text)
	return b.String()
}

// Unwrap returns the cause, nil if Text says all.
func (e *Error) Unwrap() error { return e.Err }

// leave is the panic that takes a process out of its program once the run has
// ended elsewhere, or the process itself has moved.
type leave struct{}

// looked is what a rank keeps of the program's lines and types. To look something up takes
// more of a stack than a process has that only calls Sync.
type looked struct {
	sites site.Names              // by return address
	plain map[reflect.Type]uint64 // hashes of types whose values can be sent as bytes
}

// ErrNotVerified is what a program returns on all processes when its result
// did not pass its check and it has said so itself.
var ErrNotVerified = app.ErrNotVerified
