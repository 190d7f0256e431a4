package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
)

// This file runs the processes of a rank. Each is a coroutine (iter.Pull), which the
// rank's goroutine resumes and which yields in its Sync: passing from one process to
// the next takes tens of nanoseconds and no scheduler. With a single process there is
// nothing to pass to: its Sync runs the barrier itself.
//
// Invariants: the rank's goroutine makes and drives its own coroutines, for one that is
// locked to a thread may not resume those of another. A process leaves its program by a
// private panic (leave), never by runtime.Goexit, which would end the rank with it.

// drive runs the processes to their end. A nil result means that all ended
// well, on all ranks.
func (r *rank) drive() *Error {
	defer func() {
		r.closed = true
		for _, p := range r.procs {
			if p.stop != nil {
				p.stop()
			}
		}
	}()
	r.beginWork()
	for !r.over {
		r.rearranged = false
		if err := r.superstep(); err != nil {
			return err
		}
		if r.rearranged {
			continue
		}
		if err := r.barrier(); err != nil {
			if errors.Is(err, ErrNotVerified) {
				return cmp.Or(r.conclude(), err)
			}
			return err
		}
	}
	if err := r.conclude(); err != nil {
		return err
	}
	r.releaseAll()
	return nil
}

// superstep runs each process up to its next barrier, or to its end. A rank
// with a single process may run many supersteps here, up to one before which
// processes came or left.
func (r *rank) superstep() *Error {
	for _, p := range r.procs {
		if p.next == nil {
			p.begin()
		}
		if !p.ended {
			p.next()
		}
		if r.failure != nil || r.rearranged {
			return r.failure
		}
		if p.ended {
			r.worked(p)
			r.flags |= flagEnd
		}
		if f := p.failure; f != nil {
			if !f.returned {
				return f
			}
			r.flags |= flagFail
		}
	}
	return nil
}

// conclude ends the account, after the last superstep.
func (r *rank) conclude() *Error {
	if err := r.stopAccount(); err != nil {
		return err
	}
	return r.shipResult()
}

// releaseAll gives all memory back to the engine, after the last superstep.
func (r *rank) releaseAll() {
	r.direct.forget(r.comm)
	for _, p := range r.procs {
		for _, a := range p.areas {
			if a != nil {
				p.release(a)
			}
		}
	}
}

// begin makes the process's coroutine, which enters the program at the first
// call of next. The goroutine that drives the rank calls it.
func (p *Proc) begin() {
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		defer p.catch()
		err := p.rank.program.run(p, p.state)
		p.finished = true
		if err != nil && p.failure == nil {
			p.failure = p.errorHere(err.Error())
			p.failure.Err, p.failure.returned = err, true
		}
	})
}

// catch turns a panic of the program into the process's failure.
func (p *Proc) catch() {
	p.ended = true
	switch v := recover().(type) {
	case nil:
		if !p.finished && p.failure == nil {
			p.failure = p.errorHere("the process called runtime.Goexit")
			p.failure.Site = programSite()
		}
	case leave:
	case *Error:
		if v.Pid < 0 {
			v.Pid, v.Rank, v.Superstep = p.pid, p.rank.comm.Rank(), p.rank.step
		}
		p.failure = v
	default:
		p.failure = p.errorHere(fmt.Sprintf("panic: %v", v))
		p.failure.Site, p.failure.Stack = programSite(), panicStack()
	}
}

// panicStack is the stack of the panic that is being recovered, from the frame
// that panicked on.
func panicStack() string {
	lines := strings.SplitAfter(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			return strings.Join(lines[i+2:], "")
		}
	}
	return strings.Join(lines, "")
}
