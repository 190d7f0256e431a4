package bsplib

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Kind classifies what ended a run.
type Kind int

// The kinds of misuse and failure. The names follow the error codes of
// BSPlib's descendants.
const (
	Failed           Kind = iota // a process returned an error or panicked
	Aborted                      // a process called Abort
	NotRegistered                // an area was used outside its registration
	RegisterMismatch             // processes registered, popped or made queues differently
	EndMismatch                  // some processes ended while others synchronised
	PidOutOfRange                // no such process
	OutOfBounds                  // beyond the end of an area
	QueueEmpty                   // a message was taken from an empty queue
	NotPlain                     // a type that cannot be sent as bytes
	OutOfMemory                  // more memory than there is
	Engine                       // the engine below failed
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
	Err       error  // what the process returned

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

// Unwrap returns the error that the process returned, if that ended the run.
func (e *Error) Unwrap() error { return e.Err }

// leave is the panic that takes a process out of its program once the run has
// ended elsewhere.
type leave struct{}

// fail ends the run with an error of this process at the program's line.
func (p *Proc) fail(kind Kind, format string, args ...any) {
	panic(&Error{
		Kind:      kind,
		Pid:       p.pid,
		Rank:      p.rank.comm.Rank(),
		Superstep: p.rank.step,
		Site:      programSite(),
		Text:      fmt.Sprintf(format, args...),
	})
}

// programSite is the innermost line on the stack that is outside this package.
func programSite() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !ownFunction(f.Function) {
			return siteName(f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

const ownPath = "github.com/migbsp/migbsp/bsplib"

// ownFunction tells this package's functions from its tests' and all others.
func ownFunction(name string) bool {
	return strings.HasPrefix(name, ownPath+".") || strings.HasPrefix(name, "runtime.")
}

func siteName(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}
