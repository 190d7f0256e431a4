package process

import (
	"math/bits"
	"reflect"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Program is the program of a run, with the encoding of its states.
type Program struct {
	Run func(*Process, unsafe.Pointer) error // with the state allocated by NewState
	// Plan returns the plan that encodes states, or the reason why they cannot be sent.
	Plan func() (*state.Plan, error)

	// Caught returns the error in the panic value of a program, nil if v is not such an error.
	// InBarrier converts the panic value of an operation in a barrier to the panic value of the
	// first process that returns from it.
	Caught    func(v any) *failure.Error
	InBarrier func(v any) any
	// Raise panics with an error in the form that programs receive. Caught returns it.
	Raise func(*failure.Error)
	// New returns n zero processes, each with its Owner, next to one another in memory.
	New func(n int) []*Process

	Here bool // each rank has one process, which cannot move, and runs on the rank's goroutine

	newState   func() unsafe.Pointer      // returns a new stateWithAreas[S]
	registered uintptr                    // offset of Registered in it
	fixed      func(unsafe.Pointer) Fixed // memory of a state at fixed addresses, nil without such memory
}

// stateWithAreas is the value that is sent: the program's state and its registered memory. Slices of
// the state and registered memory may overlap.
type stateWithAreas[S any] struct {
	Program    S
	Registered [][]byte
}

// ProgramOf returns a program with a state of type S, in which processes are values of type P.
func ProgramOf[P, S any](run func(P, *S) error, as func(*Process) P) *Program {
	return &Program{
		Run:        func(p *Process, at unsafe.Pointer) error { return run(as(p), &(*stateWithAreas[S])(at).Program) },
		newState:   func() unsafe.Pointer { return unsafe.Pointer(new(stateWithAreas[S])) },
		registered: unsafe.Offsetof(stateWithAreas[S]{}.Registered),
		fixed:      fixedOf[S](),
		Plan: sync.OnceValues(func() (*state.Plan, error) {
			if _, err := state.PlanFor(reflect.TypeFor[S](), stream.Handles{}); err != nil {
				return nil, err
			}
			return state.PlanFor(reflect.TypeFor[stateWithAreas[S]](), stream.Handles{})
		}),
	}
}

// NewState gives the process a zero state.
func (p *Process) NewState() { p.State = p.Home.Program.newState() }

// HasFixed reports whether states have memory at fixed addresses.
func (g *Program) HasFixed() bool { return g.fixed != nil }

// Identity returns the name of the program's state and a digest of its encoding in images, or zero
// values if it cannot be encoded.
func (g *Program) Identity() (name string, layout uint64) {
	plan, err := g.Plan()
	if err != nil {
		return "", 0
	}
	name, layout = plan.Identity()
	_, image := imagePlan().Identity()
	return name, layout ^ bits.RotateLeft64(image, 1)
}

// registered returns a pointer to the registered memory in the process's state, which is set only
// while the state is encoded or decoded.
func (p *Process) registered() *[][]byte {
	return (*[][]byte)(unsafe.Add(p.State, p.Home.Program.registered))
}
