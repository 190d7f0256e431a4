package bsplib

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Proc is one logical process of a run, which BSPlib calls a processor. It must be used only by the
// goroutine that runs the program's function, and by coroutines of that goroutine (iter.Pull). A
// Sync, a registration, a collective or the first Put or Send of a superstep on another goroutine
// ends the run; the race detector finds other uses.
type Proc struct{ process driver.Process }

// procOf returns the Proc that d belongs to. Areas and queues have only d.
func procOf(d *stream.Process) *Proc { return (*Proc)(d.Owner.(*owner)) }

// newProcs returns the processes of n Procs.
func newProcs(n int) []*process.Process {
	procs, all := make([]Proc, n), make([]*process.Process, n)
	for i := range procs {
		p := &procs[i].process
		p.Data.Owner, all[i] = (*owner)(&procs[i]), &p.Process
	}
	return all
}

// owner is a Proc with the methods of driver.Owner and collective.Caller, which are not exported to programs.
type owner Proc

func (o *owner) Driven() *driver.Process { return &o.process }
func (o *owner) UsedElsewhere()          { o.process.UsedElsewhere() }
func (o *owner) Refuse()                 { (*Proc)(o).refuseToCommunicate("Sync, or the end of a stage,") }

// Pid returns the process's number, 0 <= Pid() < NProcs() (bsp_pid).
func (p *Proc) Pid() int { return p.process.Data.Pid }

// NProcs returns the number of processes (bsp_nprocs).
func (p *Proc) NProcs() int { return int(p.process.N) }

// Rank returns the rank that runs the process now, and NRanks the number of ranks.
func (p *Proc) Rank() int { return p.process.Home.Comm.Rank() }

// NRanks: see Rank.
func (p *Proc) NRanks() int { return p.process.Home.Comm.Size() }

// Superstep returns the number of the current superstep, from 1.
func (p *Proc) Superstep() int { return p.process.Rank.Now.Step }

// Time returns the time since the run began, by the rank's own monotonic clock
// (bsp_time). Clocks of different ranks are not synchronised. On an emulated
// platform it is the platform's time. After a restart it continues from the time
// of the checkpoint.
func (p *Proc) Time() time.Duration {
	return p.process.Rank.Timing.Time()
}

// Abort ends the run on all ranks with a message and exit code 1 (bsp_abort).
// It does not return.
func (p *Proc) Abort(format string, args ...any) {
	p.fail(KindAborted, format, args...)
}

// programOf returns a program in the form that the engine runs.
func programOf[S any](f func(*Proc, *S) error) *process.Program {
	// A function between f and ProgramOf's would take some of each process's stack.
	g := process.ProgramOf(f, func(p *process.Process) *Proc { return procOf(&p.Data) })
	g.New, g.Caught, g.InBarrier = newProcs, caught, caughtInBarrier
	g.Raise = func(e *failure.Error) { panic((*Error)(e)) }
	return g
}

// fail ends the run with an error of this process at the program's line. The
// process keeps the error: a program that recovers does not hide it.
func (p *Proc) fail(kind Kind, format string, args ...any) {
	p.process.MustBeOwn()
	e := p.process.ErrorHere(fmt.Sprintf(format, args...))
	if e.Kind, e.Site = kind, site.OfProgram(); p.process.At != 0 {
		e.Site = site.Name(p.process.At)
	}
	p.process.Failure = e
	panic((*Error)(e))
}

// mustNotCompute ends the run if the process is in the operation of a collective.
func (p *Proc) mustNotCompute(what string) {
	p.process.MustBeOwn()
	if p.process.Data.Computing {
		p.refuseToCommunicate(what)
	}
}

//go:noinline
func (p *Proc) refuseToCommunicate(what string) {
	p.fail(KindCollectiveMismatch, collective.Refusal, what)
}
