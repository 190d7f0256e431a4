// Package failure defines the errors that end a run. All parts of the engine use it. Package bsplib
// presents them to programs as Error.
package failure

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Kind classifies the error that ended a run: see package bsplib.
type Kind int

// The kinds.
const (
	Failed Kind = iota
	Aborted
	NotRegistered
	RegisterMismatch
	CollectiveMismatch
	EndMismatch
	PidOutOfRange
	OutOfBounds
	QueueEmpty
	NotPlain
	OutOfMemory
	Engine
	NestedStages
	NoSuchPlace
	Unmovable
	BadLoad
	ForeignUse
)

// Error is the error that ended a run, with its location. It has the fields of bsplib.Error.
type Error struct {
	Kind      Kind
	Pid       int // -1 unless a single process caused it
	Rank      int
	Superstep int
	Site      string // file:line of the program's call, if known
	Text      string
	Stack     string // of the process, after a panic
	Err       error  // the cause, nil if Text is complete
}

// Error returns a description on one line, without the stack.
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

// Unwrap returns the cause, nil if Text is complete.
func (e *Error) Unwrap() error { return e.Err }

// OfEngine returns an Error for an error of the underlying engine on a rank.
func OfEngine(err error, rank, superstep int) *Error {
	return &Error{Kind: Engine, Pid: -1, Rank: rank, Superstep: superstep, Text: err.Error(), Err: err}
}

// PanicStack returns the stack of the panic that is being recovered, starting at the frame that
// panicked.
func PanicStack() string {
	lines := strings.SplitAfter(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			return strings.Join(lines[i+2:], "")
		}
	}
	return strings.Join(lines, "")
}

// Causes of errors that are not failures of the engine.
var (
	// ErrNotVerified means that the result did not pass the program's check.
	ErrNotVerified = errors.New("the result is not verified")
	// ErrCheckpointed means that the run ended after a requested checkpoint was written to disk.
	ErrCheckpointed = errors.New("the run has been checkpointed")
)

// Unreadable is the error of a run that cannot continue from its checkpoint. It is the same on all
// ranks.
type Unreadable struct {
	Rank int // that could not read it
	Text string
}

func (e *Unreadable) Error() string { return e.Text }

// Unplaced is the error of an initial mapping that does not fit the run. It is the same on all ranks.
type Unplaced struct{ Text string }

func (e *Unplaced) Error() string { return e.Text }

// MismatchText is the text of the error that some processes have ended and others continue, in the
// terms of a program in another language. If it is empty, the default text is used.
var MismatchText string

// Owner returns the process whose memory contains an address, -1 if none does. It is set if programs
// pass addresses of memory; a failed access to memory is then an error of the program.
var Owner func(address uintptr) (pid int)

// OfFault returns the address of a failed access to memory, given the value of a panic caused by
// debug.SetPanicOnFault.
func OfFault(v any) (address uintptr, is bool) {
	fault, is := v.(interface {
		runtime.Error
		Addr() uintptr
	})
	if is {
		address = fault.Addr()
	}
	return address, is
}

// FaultText returns the text of the error for a failed access to memory.
func FaultText(address uintptr) string {
	return fmt.Sprintf("access to memory at %#x, in an area or an argument of a put or get: no memory is there, or it is read-only", address)
}
