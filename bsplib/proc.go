package bsplib

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Pid is the process's number, 0 <= Pid() < NProcs() (bsp_pid).
func (p *Proc) Pid() int { return p.pid }

// NProcs is the number of processes (bsp_nprocs).
func (p *Proc) NProcs() int { return p.n }

// Rank is the rank that runs the process now, and NRanks how many there are.
func (p *Proc) Rank() int { return p.rank.comm.Rank() }

// NRanks: see Rank.
func (p *Proc) NRanks() int { return p.rank.comm.Size() }

// Host is the name of a rank's host, and Set the number of the Set that it is in.
func (p *Proc) Host(rank int) string { return p.rank.cluster.Hosts[rank] }

// Set: see Host.
func (p *Proc) Set(rank int) int { return p.rank.cluster.Platform.Ranks[rank].Set }

// Engine says in a few words what carries the bytes.
func (p *Proc) Engine() string { return p.rank.comm.Engine().Text }

// Superstep is the number of the current superstep, from 1.
func (p *Proc) Superstep() int { return p.rank.now.step }

// Time is the time since the run began, by the rank's own monotonic clock
// (bsp_time). Clocks of different ranks are not synchronised. On an emulated
// platform it is that platform's time. After a restart it goes on from the time
// of the checkpoint.
func (p *Proc) Time() time.Duration {
	return p.rank.timing.earlier + p.rank.timing.clock.Time()
}

// Emulated reports whether Time is that of an emulated platform.
func (p *Proc) Emulated() bool { return p.rank.timing.clock.Emulated() }

// Abort ends the run on all ranks with a message and exit code 1 (bsp_abort).
// It does not return.
func (p *Proc) Abort(format string, args ...any) {
	p.fail(KindAborted, format, args...)
}

func programOf[S any](f func(*Proc, *S) error) *program {
	return &program{
		run:        func(p *Proc, at unsafe.Pointer) error { return f(p, &(*stateWithAreas[S])(at).Program) },
		newState:   func() unsafe.Pointer { return unsafe.Pointer(new(stateWithAreas[S])) },
		registered: unsafe.Offsetof(stateWithAreas[S]{}.Registered),
		fixed:      fixedOf[S](),
		plan: sync.OnceValues(func() (*state.Plan, error) {
			if _, err := state.PlanFor(reflect.TypeFor[S](), stream.Handles{}); err != nil {
				return nil, err
			}
			return state.PlanFor(reflect.TypeFor[stateWithAreas[S]](), stream.Handles{})
		}),
	}
}

// stateless is a program without a state.
func stateless(f func(*Proc) error) *program {
	return programOf(func(p *Proc, _ *struct{}) error { return f(p) })
}
