// Package failure is what ends a run, as all parts of the engine know it. Package bsplib shows it
// to programs as Error.
package failure

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Kind classifies what ended a run: see package bsplib.
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

// Error says what ended a run, and where. Its fields are those of bsplib.Error.
type Error struct {
	Kind      Kind
	Pid       int // -1 where no single process is to blame
	Rank      int
	Superstep int
	Site      string // file:line of the program's call, if known
	Text      string
	Stack     string // of the process, after a panic
	Err       error  // the cause, nil if Text says all
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

// OfEngine is an error of the engine below on a rank.
func OfEngine(err error, rank, superstep int) *Error {
	return &Error{Kind: Engine, Pid: -1, Rank: rank, Superstep: superstep, Text: err.Error(), Err: err}
}

// PanicStack is the stack of the panic that is being recovered, from the frame
// that panicked on.
func PanicStack() string {
	lines := strings.SplitAfter(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			return strings.Join(lines[i+2:], "")
		}
	}
	return strings.Join(lines, "")
}

// Causes of errors that are no failures of the engine.
var (
	// ErrNotVerified: the result did not pass the program's check.
	ErrNotVerified = errors.New("the result is not verified")
	// ErrCheckpointed: the run was asked for a checkpoint, and that is on disk.
	ErrCheckpointed = errors.New("the run has been checkpointed")
)

// Unreadable says why a run cannot go on from its checkpoint; all ranks have the same.
type Unreadable struct {
	Rank int // that could not read it
	Text string
}

func (e *Unreadable) Error() string { return e.Text }

// Unplaced is the error of an initial mapping that does not fit the run; all ranks have the same.
type Unplaced struct{ Text string }

func (e *Unplaced) Error() string { return e.Text }

// MismatchText says in the words of a program in another language that some processes have ended
// and others go on; "": in ours.
var MismatchText string

// Owner returns the process whose memory an address lies in, -1 if it is none's. It is set where
// programs name memory by addresses: there an access to memory that fails is an error of the program.
var Owner func(address uintptr) (pid int)

// OfFault returns the address of an access to memory that failed, from the value of a panic. Panics
// on such accesses are those of debug.SetPanicOnFault.
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

// FaultText is the text of the error for such an access.
func FaultText(address uintptr) string {
	return fmt.Sprintf("access to memory at %#x, in an area or an argument of a put or get: no memory is there, or it is read-only", address)
}
