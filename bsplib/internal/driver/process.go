package driver

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Process is a process and its execution context. Most fields that a barrier uses lie within its
// first 320 bytes: package ahead.
type Process struct {
	Rank    *Rank
	yield   func(struct{}) bool // of its worker, as next and stop; nil without one
	next    func() (struct{}, bool)
	Failure *failure.Error

	Gone     bool // to another rank: this Process must leave
	leaving  bool // its program, to continue with a loop of EachStage
	finished bool // the program, or the stage, has returned, rather than panicked
	ended    bool
	returned bool  // the program has returned Failure, which all ranks learn of at the barrier
	depth    int16 // of calls of Aside that it is in

	process.Process

	site  uintptr // of its last Sync
	index int32   // in crew.procs
	N     int32   // processes in all, 0 once it is gone
	At    uintptr // the program's current line, 0 if Go's runtime finds it
	Count int     // the superstep by the program's count, 0 if it is the engine's

	stop        func()
	stage       func(k int) error  // of the EachStage that it is in, nil if in none
	since       time.Duration      // when it went into the outermost Aside, or the superstep began after that
	Collectives *collective.Member // nil before the first

	// 408 bytes in all
}

// Owner is the driver's interface to the object that a program uses for a process.
type Owner interface {
	stream.Owner
	Driven() *Process
	// Refuse ends the run because the process ends a superstep within the operation of a collective.
	Refuse()
}

// Of returns the Process that d belongs to.
func Of(d *stream.Process) *Process { return d.Owner.(Owner).Driven() }

// join assigns a new Process to a rank.
func (p *Process) join(r *Rank) *Process {
	p.Rank, p.N = r, int32(len(r.Home.Where))
	return p
}

// Leave is the panic value that unwinds a process's program once the run has ended elsewhere, or the
// process itself has moved.
type Leave struct{}

// Pid returns the process's number.
func (p *Process) Pid() int { return p.Data.Pid }

// Meet ends the superstep for the process, with Sync or as the end of a stage, at that line of
// the program. The goroutine that runs the process calls it.
func (p *Process) Meet(site uintptr, how mpi.Flags) {
	r, now := p.Rank, p.Rank.Now
	if now.closed || p.Failure != nil || p.Gone || p.leaving || p.Data.Computing {
		if p.Data.Computing {
			p.Data.Owner.(Owner).Refuse()
		}
		panic(Leave{})
	}
	p.end(site, how)
	if len(r.crew.procs) == 1 {
		now.inline = true
		now.failure = r.barrier()
		now.inline = false
		if now.failure != nil {
			now.closed = true
			panic(Leave{})
		}
		if p.Gone {
			panic(Leave{})
		}
		if !now.rearranged {
			p.resumed()
			return
		}
	}
	if r.crew.marks.Many {
		r.crew.marks.Suspend(int(p.index), len(r.crew.procs), p.next)
	}
	if !p.yield(struct{}{}) {
		panic(Leave{})
	}
	p.resumed()
}

// EachStage leaves the program for a loop of stages: see run.
func (p *Process) EachStage(stage func(k int) error, site uintptr) {
	p.stage, p.leaving, p.site = stage, true, site
	panic(Leave{})
}

// Fails sets the process's failure from v, the value that its program has panicked with, or nil if it
// has called runtime.Goexit.
func (p *Process) Fails(v any) {
	if v == nil {
		p.Failure = p.ErrorHere("the process called runtime.Goexit")
		p.Failure.Site = site.OfProgram()
		return
	}
	if _, left := v.(Leave); left {
		return
	}
	if e := p.Home.Program.Caught(v); e != nil {
		if e.Pid < 0 {
			e.Pid, e.Rank, e.Superstep = p.Pid(), p.Home.Comm.Rank(), p.Rank.Now.Step
		}
		p.Failure = e
		return
	}
	p.Failure = p.ErrorHere(fmt.Sprintf("panic: %v", v))
	p.Failure.Site, p.Failure.Stack = site.OfProgram(), failure.PanicStack()
}

// ErrorHere returns an error of this process in this superstep.
func (p *Process) ErrorHere(text string) *failure.Error {
	e := &failure.Error{Pid: p.Pid(), Rank: p.Home.Comm.Rank(), Superstep: p.Rank.Now.Step, Text: text}
	if p.Count > 0 {
		e.Superstep = p.Count
	}
	return e
}

// CutOff leaves the program because the engine has failed.
func (p *Process) CutOff(err error) {
	p.Rank.Now.failure = p.Rank.engineError(err)
	p.Rank.Now.closed = true
	panic(Leave{})
}

// BeginAside excludes the time from now until EndAside from the process's load.
func (p *Process) BeginAside() {
	if p.depth++; p.depth == 1 {
		p.since = p.Rank.Timing.Clock.Time()
	}
}

// EndAside ends the interval of the last BeginAside. Intervals may be nested.
func (p *Process) EndAside() {
	if p.depth--; p.depth == 0 {
		p.leaveOut(p.Rank.Timing.Clock.Time())
	}
}

// leaveOut counts the time until now as not part of the load.
func (p *Process) leaveOut(now time.Duration) {
	if p.Rank.Now.measuring {
		p.Data.Did.Aside += max(0, now-p.since)
	}
	p.since = now
}

// resumed continues the process after a barrier.
func (p *Process) resumed() {
	if p.depth > 0 {
		p.since = p.Rank.Timing.Clock.Time()
	}
}

// run runs the process until its program or a stage of EachStage ends. At a Sync in between the
// process keeps its worker.
func (p *Process) run() {
	if p.stage == nil || p.Stages.Left == 0 {
		p.enter()
	}
	if p.stage != nil && !p.ended && !p.Gone {
		p.runStage()
	}
}

// enter runs the program to its end, or to its next loop of EachStage.
func (p *Process) enter() {
	defer p.catch()
	if p.stage != nil {
		p.stage, p.Stages = nil, process.Stages{Resumed: true, At: process.Position{Loop: p.Stages.At.Loop + 1}}
	}
	err := p.Home.Program.Run(&p.Process, p.State)
	p.finished = true
	if err != nil && p.Failure == nil && !p.leaving {
		p.fail(err)
	}
}

// runStage runs the next stage of EachStage to its end.
func (p *Process) runStage() {
	defer p.catch()
	s := &p.Stages
	p.finished = false
	p.BeginStage()
	err := p.stage(s.At.Stage)
	switch {
	case p.Rank.Now.closed || p.Failure != nil || p.Gone:
		panic(Leave{})
	case err != nil:
		p.finished = true
		p.fail(err)
		return
	}
	s.At.Stage++
	s.Left--
	p.end(p.site, p.StageFlags())
	p.finished, p.leaving = true, true
}

// fail ends the process with the error that its program has returned.
//
//go:noinline
func (p *Process) fail(err error) {
	p.Failure = p.ErrorHere(err.Error())
	p.Failure.Err, p.returned = err, true
}

// catch turns a panic of the program into the process's failure.
func (p *Process) catch() {
	v := recover()
	if p.leaving {
		p.leaving = false
		if _, left := v.(Leave); left || v == nil && p.finished {
			p.finished = false
			return
		}
	}
	p.ended = true
	if v != nil || !p.finished && p.Failure == nil {
		p.Fails(v)
	}
}

// end ends the process's part of the superstep.
func (p *Process) end(site uintptr, how mpi.Flags) {
	r, now := p.Rank, p.Rank.Now
	p.site = site
	p.Data.Out.Burst().Finish()
	if p.Data.Out.Untold {
		r.Home.Stream.Registry.Tell(&p.Data)
	}
	if now.measuring {
		if p.depth > 0 {
			p.leaveOut(r.Timing.Clock.Time())
		}
		r.Timing.Worked(&p.Data.Did, now.Step, site)
	}
	if p.Stages.Inside {
		how |= flagInside
	}
	now.flags |= how
	if now.site == 0 {
		now.site = site
	}
	if p.Request.Asks() {
		now.flags |= flagCall
	}
}

// StageFlags returns the process's flags for the barrier at the end of a stage.
func (p *Process) StageFlags() mpi.Flags {
	how, r := FlagStage, p.Rank
	p.CameFrom = 0
	if p.Stages.Left == 0 {
		how |= flagLast
		if r.Outcome.screen != nil {
			r.Outcome.screen.Erase() // before any process prints its results
		}
	}
	if r.balance != nil && r.crew.procs[0] == p {
		v := r.balance.Vote(p.Stages.Left, p.Stages.Open, len(r.crew.procs))
		if v.Worth {
			how |= flagWorth
		}
		if v.Alarm {
			how |= flagCall
		}
		if v.Short {
			how |= flagShort
		}
	}
	if r.crew.procs[0] == p && r.emptying.Due() {
		how |= flagCall
	}
	return how
}
