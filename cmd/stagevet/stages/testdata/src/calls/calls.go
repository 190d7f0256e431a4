// Package calls has stages in functions that programs call.
package calls

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct{ N, Sum int }

func (s *state) run(b *bsplib.Proc, step int) int {
	for range b.Stages(s.N) { // want `these stages are run on the first entry only`
		s.Sum += step
	}
	return s.Sum
}

func (s *state) twice(b *bsplib.Proc) { s.run(b, 1); s.run(b, 2) }

func program(b *bsplib.Proc, s *state) error {
	var step, name int
	if b.Fresh() {
		step = 3 // want `step is set on the first entry only and read in the stage loop at line 13`
		name = 4 // want `name is set on the first entry only and read after the stages`
	}
	sum := s.run(b, step)
	fmt.Println(name, sum)
	return nil
}

func indirect(b *bsplib.Proc, s *state) error {
	began := b.Superstep() // want `began is taken from a clock on each entry and read after the stages`
	s.twice(b)
	fmt.Println(b.Superstep() - began)
	return nil
}

func under(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.twice(b)
	}
	return nil
}

func fine(b *bsplib.Proc, s *state) error {
	p := parameters{3}
	if b.Fresh() {
		s.N = p.n
	}
	s.run(b, p.n)
	x := s.run(b, p.n)
	fmt.Println(x)
	return nil
}

type parameters struct{ n int }
