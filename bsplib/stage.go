package bsplib

import (
	"iter"

	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Fresh is true when the process runs its program from the beginning, and
// false when it goes on after a stage, with the state it had there.
func (p *Proc) Fresh() bool { return !p.process.Stages.Resumed }

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
		s := &p.process.Stages
		if s.Inside {
			p.fail(KindNestedStages, "Stages within a stage: loops of stages follow one another")
		}
		loop := s.Loop
		s.Loop++
		first := 0
		switch {
		case loop < s.At.Loop:
			return
		case loop == s.At.Loop:
			first = s.At.Stage
		}
		s.Inside, s.All, s.Left = true, n, n-first
		for k := first; k < n; k++ {
			p.process.BeginStage()
			if !yield(k) {
				break
			}
			s.At = process.Position{Loop: loop, Stage: k + 1}
			s.Left = n - k - 1
			p.endStage(site)
		}
		s.Inside, s.All, s.Left = false, 0, 0
		s.At = process.Position{Loop: loop + 1}
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
	s := &p.process.Stages
	if s.Inside {
		p.fail(KindNestedStages, "EachStage within a stage: loops of stages follow one another")
	}
	loop := s.Loop
	s.Loop++
	if loop < s.At.Loop {
		return
	}
	if loop > s.At.Loop {
		s.At = process.Position{Loop: loop}
	}
	if s.At.Stage >= n {
		s.At = process.Position{Loop: loop + 1}
		return
	}
	s.Inside, s.All, s.Left = true, n, n-s.At.Stage
	p.process.EachStage(stage, site.Walk(3))
}

// OpenStages is Stages for a loop whose length is not known: it goes on until all processes
// leave it, in the same pass, by break or return. For decisions that depend on how much is left,
// a loop is expected to go on for as many stages as it has had.
//
// Rules and cost are those of Stages.
func (p *Proc) OpenStages() iter.Seq[int] {
	at := site.Walk(3)
	return func(yield func(int) bool) {
		s := &p.process.Stages
		if s.Inside {
			p.fail(KindNestedStages, "OpenStages within a stage: loops of stages follow one another")
		}
		loop := s.Loop
		s.Loop++
		if loop < s.At.Loop {
			return
		}
		k := 0
		if loop == s.At.Loop {
			k = s.At.Stage
		}
		s.Inside = true
		for ; ; k++ {
			s.All, s.Left = 2*k+2, k+2
			p.process.BeginStage()
			if !yield(k) {
				break
			}
			s.At = process.Position{Loop: loop, Stage: k + 1}
			s.Left = k + 1
			if p.process.At != 0 {
				at = p.process.At
			}
			p.endStage(at)
		}
		s.Inside, s.All, s.Left = false, 0, 0
		s.At = process.Position{Loop: loop + 1}
	}
}
