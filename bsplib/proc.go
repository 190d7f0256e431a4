package bsplib

import (
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Proc is one logical process of a run: what BSPlib calls a processor. It is
// used by the program's own goroutine only, never by goroutines the program
// starts.
type Proc struct {
	data stream.Process // its end of the data path. It is first: see procOf

	pid, n int
	rank   *rank
	index  int            // in rank.procs
	state  unsafe.Pointer // a stateWithAreas[S]

	yield   func(struct{}) bool // of the worker that it is on, as next and stop: nil if on none
	next    func() (struct{}, bool)
	site    uintptr // of its last Sync
	at      uintptr // where the program is, 0 if Go's runtime knows
	count   int     // the superstep by the program's count, 0 if it is the engine's
	failure *Error

	gone     bool // to another rank: this Proc must leave
	leaving  bool // its program, to go on with a loop of EachStage
	finished bool // the program, or the stage, has returned, rather than panicked
	ended    bool

	stage   func(k int) error // of the EachStage that it is in, nil if in none
	stages  stages            // how far it is
	request *placementRequest // to be elsewhere, nil if there is none
	telling telling           // of its load: load.go

	pinned   bool  // it must not move
	cameFrom int32 // 1 more than the rank that it has just come from, 0 if it has not

	stop func()

	collectives *collective.Member // nil before the first
}

// procOf is the Proc of a process's end of the data path: areas and queues know that only.
func procOf(d *stream.Process) *Proc { return (*Proc)(unsafe.Pointer(d)) }

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
func (p *Proc) Engine() string { return p.rank.comm.Engine() }

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

// Sync ends the superstep: when it returns, all processes have called it and
// all communication of the superstep has taken effect (bsp_sync).
//
// Order: Gets read; Gets write; Puts write, by sender's pid and program order;
// messages arrive in the same order; registrations and Pops take effect.
//
// Errors: if some processes end, or registered other things, the run ends.
//
// BSP cost: max over the processes of max(sent, received) * g + l.
//
//go:noinline
func (p *Proc) Sync() { p.sync(site.OfCall()) }

func (p *Proc) sync(site uintptr) { p.meet(site, flagSync) }

// meet ends the superstep for the process, with Sync or as the end of a stage.
func (p *Proc) meet(site uintptr, how mpi.Flags) {
	r, now := p.rank, p.rank.now
	if now.closed || p.failure != nil || p.gone || p.leaving || p.data.Computing {
		p.mustNotCompute("Sync, or the end of a stage,")
		panic(leave{})
	}
	p.end(site, how)
	if len(r.crew.procs) == 1 {
		now.inline = true
		now.failure = r.barrier()
		now.inline = false
		if now.failure != nil {
			now.closed = true
			panic(leave{})
		}
		if p.gone {
			panic(leave{})
		}
		if !now.rearranged {
			p.resumed()
			return
		}
	}
	if r.crew.many {
		p.suspended()
	}
	if !p.yield(struct{}{}) {
		panic(leave{})
	}
	p.resumed()
}

// end ends the process's part of the superstep.
func (p *Proc) end(site uintptr, how mpi.Flags) {
	r, now := p.rank, p.rank.now
	p.site = site
	p.data.Out.Burst().Finish()
	if p.data.Out.Untold {
		r.stream.Registry.Tell(&p.data)
	}
	if now.measuring {
		r.timing.worked(p, now.step)
	}
	if p.stages.inside {
		how |= flagInside
	}
	now.flags |= how
	if now.site == 0 {
		now.site = site
	}
	if p.request.asks() {
		now.flags |= flagCall
	}
}

// Abort ends the run on all ranks with a message and exit code 1 (bsp_abort).
// It does not return.
func (p *Proc) Abort(format string, args ...any) {
	p.fail(KindAborted, format, args...)
}

// program is what every process of a run runs, and how its state travels.
type program struct {
	run        func(*Proc, unsafe.Pointer) error
	newState   func() unsafe.Pointer       // a stateWithAreas[S]
	registered uintptr                     // where it is in that
	plan       func() (*state.Plan, error) // the error says why states cannot travel
	fixed      func(unsafe.Pointer) Fixed  // memory of a state that stays at its addresses, nil if there is none
}

// stateWithAreas is what travels: the program's state, and the memory that it has
// registered, which may be part of the state's slices or the other way round.
type stateWithAreas[S any] struct {
	Program    S
	Registered [][]byte
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

// registered is where the process's state keeps what it has registered while it travels.
func (p *Proc) registered() *[][]byte {
	return (*[][]byte)(unsafe.Add(p.state, p.rank.program.registered))
}

// stateless is a program without a state.
func stateless(f func(*Proc) error) *program {
	return programOf(func(p *Proc, _ *struct{}) error { return f(p) })
}

// fail ends the run with an error of this process at the program's line. The
// process keeps it: a program that recovers does not hide it.
func (p *Proc) fail(kind Kind, format string, args ...any) {
	p.failure = p.errorHere(fmt.Sprintf(format, args...))
	p.failure.Kind, p.failure.Site = kind, p.failSite()
	panic(p.failure)
}

// errorHere is an error of this process in this superstep.
func (p *Proc) errorHere(text string) *Error {
	e := &Error{Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.now.step, Text: text}
	if p.count > 0 {
		e.Superstep = p.count
	}
	return e
}
