package bsplib

import (
	"fmt"
	"iter"

	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// This file is where processes run: on workers, each a coroutine (iter.Pull) with a stack.
// A worker runs one process up to its next barrier, or to its end. A process that is at
// a Sync keeps its worker, for where it is stands on that stack. One that has ended a
// stage of EachStage leaves its worker with nothing on it, and the worker goes on with
// the next process: then a single worker carries all processes of the rank.
//
// Invariants: the rank's goroutine makes and resumes its own workers, for a coroutine
// that is locked to a thread may not resume those of another. One of them runs at a time,
// or the rank's goroutine, and crew.at is the index of the process that is running. A
// process leaves its program by a private panic (leave), never by runtime.Goexit, which
// would end the rank with it.
//
// A stack has 2 kB, the least that Go gives, as long as some 1.1 kB of frames suffice; half
// of that are those below the program's own. So what every one of very many processes does
// (Register, Put, Sync) keeps its frames small: what is seldom needed, such as the text of
// an error, is in functions that are not inlined.

// superstep runs each process up to its next barrier, or to its end. A rank
// with a single process may run many supersteps here, up to one before which
// processes came or left.
func (c *crew) superstep() *Error {
	now := c.now
	for c.at = 0; c.at < len(c.procs); c.at++ {
		p := c.procs[c.at]
		c.lookFrom(c.at)
		if p.next != nil {
			p.next()
		} else if !p.ended {
			c.worker().next()
		}
		if now.failure != nil || now.rearranged {
			return now.failure
		}
		if f := c.procs[c.at].failure; f != nil {
			if !f.returned {
				return f
			}
			now.flags |= flagFail
		}
	}
	return nil
}

// worker is an idle one, or a new one.
func (c *crew) worker() *worker {
	if n := len(c.idle); n > 0 {
		w := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return w
	}
	w := new(worker)
	if c.here {
		w.yield, w.stop = func(struct{}) bool { return false }, func() {}
		w.next = func() (struct{}, bool) { c.work(w); return struct{}{}, true }
		return w
	}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		c.work(w)
	})
	return w
}

// work runs on a worker: the process at hand, as many supersteps as it takes, and those
// after it that are on no worker.
func (c *crew) work(w *worker) {
	for {
		p := c.procs[c.at]
		p.yield, p.next, p.stop = w.yield, w.next, w.stop
		p.run()
		p.yield, p.next, p.stop = nil, nil, nil
		if c.now.closed || p.gone {
			return
		}
		if !c.now.rearranged && c.now.failure == nil {
			if p.ended {
				c.stream.Registry.Retract()
				c.stream.Out.Burst().Finish()
				if c.now.measuring {
					c.timing.worked(p, c.now.step)
				}
				c.now.flags |= flagEnd
			} else if after := c.at + 1; after < len(c.procs) && c.procs[after].next == nil {
				c.at = after
				c.lookFrom(after)
				continue
			}
		}
		c.idle = append(c.idle, w)
		if !w.yield(struct{}{}) {
			return
		}
	}
}

// end ends the workers, and with them the processes that are still on one.
func (c *crew) end() {
	c.now.closed = true
	for _, p := range c.procs {
		if p.stop != nil {
			p.stop()
		}
	}
	for _, w := range c.idle {
		w.stop()
	}
	c.idle = nil
}

// run takes the process to the end of its part of a superstep: that of its program, or
// that of a stage. If it waits for barriers on the way it keeps its worker.
func (p *Proc) run() {
	if p.stage == nil || p.stages.left == 0 {
		p.enter()
	}
	if p.stage != nil && !p.ended && !p.gone {
		p.runStage()
	}
}

// enter runs the program to its end, or to its next loop of EachStage.
func (p *Proc) enter() {
	defer p.catch()
	if p.stage != nil {
		p.stage, p.stages = nil, stages{resumed: true, at: position{p.stages.at.Loop + 1, 0}}
	}
	err := p.rank.program.run(p, p.state)
	p.finished = true
	if err != nil && p.failure == nil && !p.leaving {
		p.returned(err)
	}
}

// runStage runs the next stage of EachStage to its end.
func (p *Proc) runStage() {
	defer p.catch()
	s := &p.stages
	p.finished = false
	p.beginStage()
	err := p.stage(s.at.Stage)
	switch {
	case p.rank.now.closed || p.failure != nil || p.gone:
		panic(leave{})
	case err != nil:
		p.finished = true
		p.returned(err)
		return
	}
	s.at.Stage++
	s.left--
	p.end(p.site, p.stageFlags())
	p.finished, p.leaving = true, true
}

// returned ends the process with what its program has returned.
//
//go:noinline
func (p *Proc) returned(err error) {
	p.failure = p.errorHere(err.Error())
	p.failure.Err, p.failure.returned = err, true
}

// catch turns a panic of the program into the process's failure.
func (p *Proc) catch() {
	v := recover()
	if p.leaving {
		p.leaving = false
		if _, left := v.(leave); left || v == nil && p.finished {
			p.finished = false
			return
		}
	}
	p.ended = true
	if v != nil || !p.finished && p.failure == nil {
		p.fails(v)
	}
}

// fails makes the process's failure of what its program has panicked with, nil if it has called
// runtime.Goexit.
func (p *Proc) fails(v any) {
	switch v := v.(type) {
	case nil:
		p.failure = p.errorHere("the process called runtime.Goexit")
		p.failure.Site = site.OfProgram()
	case leave:
	case *Error:
		if v.Pid < 0 {
			v.Pid, v.Rank, v.Superstep = p.pid, p.rank.comm.Rank(), p.rank.now.step
		}
		p.failure = v
	default:
		p.failure = p.errorHere(fmt.Sprintf("panic: %v", v))
		p.failure.Site, p.failure.Stack = site.OfProgram(), panicStack()
	}
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

// stageFlags is what the process says of the stage that it ends.
func (p *Proc) stageFlags() mpi.Flags {
	how, r := flagStage, p.rank
	p.cameFrom = 0
	if p.stages.left == 0 {
		how |= flagLast
		if r.outcome.screen != nil {
			r.outcome.screen.Erase() // before any process prints what it has found
		}
	}
	if r.balance != nil && r.crew.procs[0] == p {
		v := r.balance.Vote(p.stages.left, len(r.crew.procs))
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
