package bsplib

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/app"
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

// programSite is the innermost line on the stack that is outside this package.
func programSite() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !ownLine(f) {
			return siteName(f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ownFolder is where this package's files are. Their lines are told by it, not
// by the names of functions: those change when the compiler inlines.
var ownFolder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(file)
}()

// ownLine tells this package's lines, and the runtime's, from all others.
func ownLine(f runtime.Frame) bool {
	return path.Dir(f.File) == ownFolder && !strings.HasSuffix(f.File, "_test.go") ||
		strings.HasPrefix(f.Function, "runtime.")
}

func siteName(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// callSite is where the function that calls it was called: the program's line,
// when Sync asks. It takes a nanosecond or two where frame pointers can be
// followed, and a walk of the stack elsewhere.
//
//go:noinline
func callSite() uintptr {
	if framesWork {
		return secondCallerPC()
	}
	return slowCallerPC(4)
}

// framesWork reports whether following frame pointers leads to the same place as
// a walk of the stack.
var framesWork = hasSecondCallerPC && compareCallers()

//go:noinline
func compareCallers() bool { return compareFromBelow() }

//go:noinline
func compareFromBelow() bool { return secondCallerPC() == slowCallerPC(4) }

// slowCallerPC walks the stack; skip 3 gives the return address of the function
// that calls it, 4 that of the one above.
func slowCallerPC(skip int) uintptr {
	var pc [1]uintptr
	runtime.Callers(skip, pc[:])
	return pc[0]
}

// pcName is file:line of a return address, "" for none.
func pcName(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	if foreignSite(pc) {
		return foreign.name(pc)
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return siteName(f.File, f.Line)
}

// siteName is pcName, looked up once: very many processes come to the same line.
func (r *rank) siteName(pc uintptr) string {
	name, known := r.looked.sites[pc]
	if !known {
		name = pcName(pc)
		r.looked.sites[pc] = name
	}
	return name
}

// looked is what a rank keeps of the program's lines and types. To look something up takes
// more of a stack than a process has that only calls Sync.
type looked struct {
	sites map[uintptr]string      // by return address
	plain map[reflect.Type]uint64 // hashes of types whose values can be sent as bytes
	calls [knownCalls]knownCall   // of collectives
}

// ErrNotVerified is what a program returns on all processes when its result
// did not pass its check and it has said so itself.
var ErrNotVerified = app.ErrNotVerified
