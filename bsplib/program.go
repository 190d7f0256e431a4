package bsplib

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/state"
)

// program is what every process of a run runs, and how its state travels.
type program struct {
	run      func(*Proc, *luggage) error
	newState func() *luggage
	plan     func() (*state.Plan, error) // the error says why states cannot travel
}

// luggage is a process's state with what belongs to it.
type luggage struct {
	at         unsafe.Pointer // a packed[S]
	registered *[][]byte      // in it
}

// packed is what travels: the program's state, and the memory that it has
// registered, which may be part of the state's slices or the other way round.
type packed[S any] struct {
	Program    S
	Registered [][]byte
}

func programOf[S any](f func(*Proc, *S) error) *program {
	return &program{
		run: func(p *Proc, l *luggage) error { return f(p, &(*packed[S])(l.at).Program) },
		newState: func() *luggage {
			s := new(packed[S])
			return &luggage{unsafe.Pointer(s), &s.Registered}
		},
		plan: sync.OnceValues(func() (*state.Plan, error) {
			if _, err := state.PlanFor(reflect.TypeFor[S](), handles{}); err != nil {
				return nil, err
			}
			return state.PlanFor(reflect.TypeFor[packed[S]](), handles{})
		}),
	}
}

// stateless is a program without a state.
func stateless(f func(*Proc) error) *program {
	return programOf(func(p *Proc, _ *struct{}) error { return f(p) })
}
