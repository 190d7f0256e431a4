package process

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Program is the program of a run, and how its states travel.
type Program struct {
	Run func(*Process, unsafe.Pointer) error // with the state as NewState has made it
	// Plan is how states become bytes. Its error says why they cannot travel.
	Plan func() (*state.Plan, error)

	// Caught is the error that a program has panicked with, nil if v is none. InBarrier makes one
	// of what an operation has panicked with in a barrier, for the first process that comes back.
	Caught    func(v any) *failure.Error
	InBarrier func(v any) any
	// Raise panics with an error as programs know it, which Caught returns.
	Raise func(*failure.Error)
	// New returns n zero processes, each with its Owner, next to one another in memory.
	New func(n int) []*Process

	Here bool // each rank has one process, which stays, and runs on the goroutine of the rank

	newState   func() unsafe.Pointer      // a stateWithAreas[S]
	registered uintptr                    // where it is in that
	fixed      func(unsafe.Pointer) Fixed // memory of a state that stays at its addresses, nil if there is none
}

// stateWithAreas is what travels: the program's state, and the memory that it has
// registered, which may be part of the state's slices or the other way round.
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

// HasFixed reports whether states have memory that stays at its addresses.
func (g *Program) HasFixed() bool { return g.fixed != nil }

// Identity names the program's state and how it is encoded, if it can be.
func (g *Program) Identity() (name string, layout uint64) {
	plan, err := g.Plan()
	if err != nil {
		return "", 0
	}
	return plan.Identity()
}

// registered is where the process's state keeps what it has registered while it travels.
func (p *Process) registered() *[][]byte {
	return (*[][]byte)(unsafe.Add(p.State, p.Home.Program.registered))
}
