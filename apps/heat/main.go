// Heat simulates the spread of heat in a square or a cube, by explicit steps (Jacobi's), and checks
// the temperatures.
//
// This file is the whole computation. A process has a block of the cells, with a rim of one cell
// around it for its neighbours' cells (part.go), and a step is a stage: copy the neighbours' cells,
// compute, send them one's own. Package stencil computes the cells, input.go reads the command line,
// and verify.go checks the result.
package main

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/apps/heat/stencil"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

func main() {
	bsplib.Main(heat, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

// state moves with a process: one copy of its temperatures. The copy of the step before is
// allocated again on each rank.
type state struct {
	U      []float64               // temperatures of the block, with the rim
	Halo   [6]bsplib.Area[float64] // cells from the neighbour at each side
	Steps  int                     // that have been made
	Change float64                 // the largest of a cell in the last step that was looked at
	Began  time.Duration
}

func heat(b *bsplib.Proc, s *state) error {
	p, err := read(b.NProcs())
	if err != nil {
		return err
	}
	s.run(b, p)
	return s.report(b, p)
}

// run makes all steps.
func (s *state) run(b *bsplib.Proc, p *parameters) {
	part := p.partOf(b.Pid())
	heated := p.heated(part)
	if b.Fresh() {
		s.begin(b, p, part)
	}
	before := slices.Clone(s.U) // with the walls, which lie in the rim and stay
	for range b.Stages(p.steps) {
		s.take(part)
		before, s.U = s.U, before
		s.step(p, part, heated, before)
		s.give(b, part)
		if s.looksNow(p) && s.settled(b, p, part, before) {
			break
		}
	}
}

// begin sets the temperatures, and gives the neighbours theirs.
func (s *state) begin(b *bsplib.Proc, p *parameters, part *part) {
	s.U = p.initial(part)
	for side, f := range part.faces {
		s.Halo[side] = bsplib.Alloc[float64](b, f.cells())
	}
	b.Sync() // from now on neighbours can write to Halo
	s.give(b, part)
	b.Sync()
	s.Began = b.Time()
}

// give sends the outermost cells of each side to the neighbour's Halo.
func (s *state) give(b *bsplib.Proc, part *part) {
	for side, f := range part.faces {
		if f.neighbour >= 0 {
			s.Halo[opposite(side)].Put(f.neighbour, 0, f.outermost(s.U)...)
		}
	}
}

// take copies the neighbours' cells into the rim.
func (s *state) take(part *part) {
	for side, f := range part.faces {
		if f.neighbour >= 0 {
			f.fillRim(s.U, s.Halo[side].Slice())
		}
	}
}

// step computes the temperatures of the next step.
func (s *state) step(p *parameters, part *part, heated []int, before []float64) {
	stencil.Sweep(s.U, before, part.block, p.weights)
	for _, cell := range heated {
		s.U[cell] += p.source.rise
	}
	s.Steps++
}

// looksNow reports whether the change of this step is measured: with -tol in every tenth
// step, because to agree on it is a superstep; and in the last.
func (s *state) looksNow(p *parameters) bool {
	return s.Steps == p.steps || p.tolerance > 0 && s.Steps%10 == 0
}

// settled finds the largest change of a cell in all processes, and reports whether it is
// below the tolerance.
func (s *state) settled(b *bsplib.Proc, p *parameters, part *part, before []float64) bool {
	s.Change = bsplib.Allreduce(b, stencil.Change(s.U, before, part.block), numbers.Larger)
	return s.Change < p.tolerance
}
