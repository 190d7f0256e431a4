// Rod simulates the spread of heat along a rod, of which each process has a piece.
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	length = flag.Int("n", 1000, "`cells` of a process's piece")
	steps  = flag.Int("steps", 200, "`steps` of time")
)

func main() { bsplib.Main(rod, bsplib.Options{CheckFlags: check}) }

func check(procs int) error {
	if *length < 1 || *steps < 1 {
		return fmt.Errorf("-n %d -steps %d: expected numbers from 1 on", *length, *steps)
	}
	return nil
}

// state is what a process carries from stage to stage: its piece of the rod, and the
// cells next to it, which its neighbours write.
type state struct {
	Cells  []float64
	Beside bsplib.Area[float64]
}

func rod(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.begin(b)
	}
	for range b.Stages(*steps) {
		s.step(b)
	}
	return s.report(b)
}

// begin heats the left end of the rod.
func (s *state) begin(b *bsplib.Proc) {
	s.Cells = make([]float64, *length)
	s.Beside = bsplib.Alloc[float64](b, 2)
	if b.Pid() == 0 {
		s.Cells[0] = 1
	}
	b.Sync()
}

// step is a step of time, of two supersteps.
func (s *state) step(b *bsplib.Proc) {
	s.tell(b)
	b.Sync()
	s.spread(b)
}

// tell writes the outermost cells to where the neighbours look for them.
func (s *state) tell(b *bsplib.Proc) {
	if b.Pid() > 0 {
		s.Beside.Put(b.Pid()-1, 1, s.Cells[0])
	}
	if b.Pid() < b.NProcs()-1 {
		s.Beside.Put(b.Pid()+1, 0, s.Cells[len(s.Cells)-1])
	}
}

// spread lets heat flow between cells. At its ends the rod is closed.
func (s *state) spread(b *bsplib.Proc) {
	beside := s.Beside.Slice()
	left, right := beside[0], beside[1]
	if b.Pid() == 0 {
		left = s.Cells[0]
	}
	if b.Pid() == b.NProcs()-1 {
		right = s.Cells[len(s.Cells)-1]
	}
	for i, x := range s.Cells {
		next := right
		if i+1 < len(s.Cells) {
			next = s.Cells[i+1]
		}
		s.Cells[i] = x + (left-2*x+next)/4
		left = x
	}
}

// report checks that no heat is lost.
func (s *state) report(b *bsplib.Proc) error {
	sum := 0.0
	for _, x := range s.Cells {
		sum += x
	}
	all := bsplib.Allreduce(b, sum, func(x, y float64) float64 { return x + y })
	lost := math.Abs(all - 1)
	b.Report(bsplib.Result{
		Title: "Heat in a rod", Size: fmt.Sprintf("%d cells", *length*b.NProcs()),
		Checks:   []bsplib.ResultCheck{{Name: "heat lost", Value: lost, Limit: 1e-9, Passed: lost < 1e-9}},
		Checksum: fmt.Sprintf("%016x", math.Float64bits(s.Cells[0])),
	})
	if lost >= 1e-9 {
		return bsplib.ErrNotVerified
	}
	return nil
}
