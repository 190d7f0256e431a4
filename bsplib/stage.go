package bsplib

import (
	"iter"

	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Sync ends the superstep: when it returns, all processes have called it and
// all communication of the superstep has taken effect (bsp_sync).
//
// Order: Gets read; Gets write; Puts write, by sender's pid and program order;
// messages arrive in the same order; registrations and Pops take effect.
//
// Errors: the run ends if some processes end or their registrations differ.
//
// BSP cost: max over the processes of max(sent, received) * g + l.
//
//go:noinline
func (p *Proc) Sync() {
	at, goroutine := site.OfCallOn()
	p.process.MustBeOn(goroutine)
	p.process.Meet(at, driver.FlagSync)
}

// Fresh reports whether the process runs its program from the beginning. It
// returns false if the process continues after a stage, with its state.
func (p *Proc) Fresh() bool { return !p.process.Stages.Resumed }

// Stages loops over k = 0 .. n-1. Each pass is a stage and ends with a barrier,
// which delivers like Sync. Between stages a process consists of its state
// alone. Only there may it move to another rank, where its program is entered
// again.
//
// Rules: all processes run the same stage loops, one after the other and not
// nested; a variable outside the state carries no value from one stage to
// the next. A loop left by break or return ends without a barrier.
//
// BSP cost: a superstep's, for each stage's last.
func (p *Proc) Stages(n int) iter.Seq[int] {
	site := site.Walk(3)
	return func(yield func(int) bool) {
		s := &p.process.Stages
		loop, first, over := p.beginLoop("Stages")
		if over {
			return
		}
		s.Inside, s.All, s.Left = true, n, n-first
		for k := first; k < n; k++ {
			p.process.BeginStage()
			if !yield(k) {
				break
			}
			s.At = process.Position{Loop: loop, Stage: k + 1}
			s.Left = n - k - 1
			p.process.Meet(site, p.process.StageFlags())
		}
		s.End(loop)
	}
}

// beginLoop enters the program's next loop of stages. It returns the loop's number and its first
// remaining stage, or reports that the loop is over.
func (p *Proc) beginLoop(what string) (loop, first int, over bool) {
	p.process.MustBeOwn()
	s := &p.process.Stages
	if s.Inside {
		p.fail(KindNestedStages, "%s within a stage: loops of stages follow one another", what)
	}
	loop = s.Loop
	s.Loop++
	if loop == s.At.Loop {
		first = s.At.Stage
	}
	return loop, first, loop < s.At.Loop
}
