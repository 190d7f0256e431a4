package bsplib

import (
	"fmt"
	"iter"

	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// stages is how far a process has come in the stage loops of its program.
type stages struct {
	loop    int      // loops begun in this entry
	all     int      // stages of the current loop
	left    int      // of these, still to come
	at      position // where a later entry goes on
	inside  bool
	resumed bool
}

// position is a place between two stages: loops before it are finished.
type position struct{ Loop, Stage int }

// Fresh is true when the process runs its program from the beginning, and
// false when it goes on after a stage, with the state it had there.
func (p *Proc) Fresh() bool { return !p.stages.resumed }

// Stages loops over k = 0 .. n-1. Each pass is a stage and ends with a barrier,
// which delivers like Sync. Between stages all that a process is stands in its
// state: there, and only there, it may go on elsewhere, with its program
// entered anew.
//
// Rules: all processes run the same stage loops, one after the other, not one
// in another; a variable outside the state carries no value from one stage to
// the next. A loop left by break or return ends without a barrier.
//
// BSP cost: a superstep's, for each stage's last.
func (p *Proc) Stages(n int) iter.Seq[int] {
	site := site.Walk(3)
	return func(yield func(int) bool) {
		s := &p.stages
		if s.inside {
			p.fail(KindNestedStages, "Stages within a stage: loops of stages follow one another")
		}
		loop := s.loop
		s.loop++
		first := 0
		switch {
		case loop < s.at.Loop:
			return
		case loop == s.at.Loop:
			first = s.at.Stage
		}
		s.inside, s.all, s.left = true, n, n-first
		for k := first; k < n; k++ {
			p.beginStage()
			if !yield(k) {
				break
			}
			s.at = position{loop, k + 1}
			s.left = n - k - 1
			p.meet(site, p.stageFlags())
		}
		s.inside, s.all, s.left = false, 0, 0
		s.at = position{loop + 1, 0}
	}
}

// EachStage runs stage(k) for k = 0 .. n-1, as Stages does with the body of a loop, and
// is for very many processes: between stages such a process has no stack, which is most
// of what it takes. For that its program is left at the call of EachStage, as if it
// went to another rank: what it has deferred runs, then stage is called for each k, and
// after the last stage the program is entered anew, Fresh is false, and EachStage
// returns.
//
// Rules: those of Stages. What stage uses, beside its variables, is in the process's
// state, or is not changed by stages. What the program does in front of EachStage it does
// twice, unless it asks Fresh, and what it does there with other processes has ended
// with a Sync. An error that stage returns is what the program returns.
//
// BSP cost: a superstep's, for each stage's last.
func (p *Proc) EachStage(n int, stage func(k int) error) {
	p.mustNotCompute("EachStage")
	s := &p.stages
	if s.inside {
		p.fail(KindNestedStages, "EachStage within a stage: loops of stages follow one another")
	}
	loop := s.loop
	s.loop++
	if loop < s.at.Loop {
		return
	}
	if loop > s.at.Loop {
		s.at = position{loop, 0}
	}
	if s.at.Stage >= n {
		s.at = position{loop + 1, 0}
		return
	}
	s.inside, s.all, s.left = true, n, n-s.at.Stage
	p.stage, p.leaving, p.site = stage, true, site.Walk(3)
	panic(leave{})
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

// String counts stages and loops as the program does, from 0.
func (at position) String() string {
	return fmt.Sprintf("stage %d of stage loop %d", at.Stage-1, at.Loop)
}
