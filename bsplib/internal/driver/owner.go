package driver

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// This file detects calls of a process's methods, areas and queues on a goroutine that does not run
// the process. It checks calls that end a superstep, change registrations or begin a segment of an
// outbox, and each call that is about to fail. It does not check a Put or Send that adds to an open
// segment, because the check would add a third to the time of the call.

// MustBeOwn ends the run unless it is called on the goroutine that runs the process. Processes that
// are not bound to a goroutine pass: processes of programs in other languages, which may change
// threads.
func (p *Process) MustBeOwn() {
	if !p.Data.Own() {
		p.UsedElsewhere()
	}
}

// MustBeOn is MustBeOwn for a caller that has its site.Goroutine.
func (p *Process) MustBeOn(goroutine uintptr) {
	if own := p.Data.Goroutine; own != 0 && own != goroutine {
		p.UsedElsewhere()
	}
}

// UsedElsewhere ends the run because a goroutine that does not run the process has called it. It
// returns if that goroutine drives a rank, or is a coroutine.
//
//go:noinline
func (p *Process) UsedElsewhere() {
	r, here := p.Rank, site.Goroutine()
	if here == r.crew.coroutine {
		return
	}
	by := callerHere()
	if by == onCoroutine {
		r.crew.coroutine = here
	}
	if by == onCoroutine || by == onRank {
		return
	}
	over := r.Now.closed || r.Now.over
	e := p.ErrorHere("")
	e.Kind, e.Site = failure.ForeignUse, site.OfProgram()
	switch {
	case p.Gone:
		e.Text = fmt.Sprintf("process %d had this Proc, area or queue before it moved; keep areas and queues in the state, and use the Proc that the program's function is given", p.Pid())
	case by == onProcess && !over:
		e.Text = fmt.Sprintf("this Proc, area or queue is of process %d; a process may only use its own", p.Pid())
	case over:
		e.Text = fmt.Sprintf("this Proc, area or queue is of process %d of a run that has ended", p.Pid())
	default:
		e.Text = "this call is made on a goroutine that the program has started; " +
			"only the goroutine that runs the program's function may use its Proc, areas and queues"
	}
	if by == onForeign && over && r.whole {
		runtime.Goexit()
	}
	if by == onForeign && !over {
		if p.Failure == nil {
			p.Failure = e
		}
		r.endBy(e)
		runtime.Goexit()
	}
	e.Pid = -1 // the recovery of the panic enters the process that runs here
	if now := r.crew.running(); now != nil && now.Data.Goroutine == here && now.Failure == nil {
		now.Failure = e
		e.Pid, e.Rank = now.Pid(), r.Home.Comm.Rank()
	}
	p.Home.Program.Raise(e)
}

// caller is the kind of goroutine that has made a call.
type caller int

const (
	onForeign   caller = iota // the program has started it
	onRank                    // it drives a rank
	onProcess                 // it runs a process
	onCoroutine               // iter.Pull has made it, so it runs in turn with the goroutine that pulls
)

// callerHere returns the kind of the calling goroutine.
func callerHere() caller {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 2*n)
		n = runtime.Callers(2, pcs)
	}
	for frames := runtime.CallersFrames(pcs[:n]); ; {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "driver.(*crew).work"):
			return onProcess
		case strings.HasSuffix(f.Function, "driver.(*Rank).run"):
			return onRank
		case f.Function == "runtime.corostart":
			return onCoroutine
		case !more:
			return onForeign
		}
	}
}
