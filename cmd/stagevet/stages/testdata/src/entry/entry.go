// Package entry has variables that entries set differently.
package entry

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct {
	N, At int
	X     []float64
	In    bsplib.Area[int]
}

func first(b *bsplib.Proc, s *state) error {
	var x int
	if b.Fresh() {
		x = b.Pid() // want `^x is set on the first entry only and read in the stage loop at line 22: a process that moved does not have it; make it a field of the state, or set it on every entry$`
	}
	for range b.Stages(s.N) {
		s.At += x
	}
	return nil
}

func slice(b *bsplib.Proc, s *state) error {
	var in []int
	if b.Fresh() {
		s.In = bsplib.Register(b, make([]int, 1))
		b.Sync()
		in = s.In.Slice() // want `in is set on the first entry only and read in the stage loop at line 35`
	}
	for range b.Stages(s.N) {
		s.At += in[0]
	}
	return nil
}

func after(b *bsplib.Proc, s *state) error {
	var x int
	fresh := b.Fresh()
	if !fresh {
	} else {
		x = 1 // want `x is set on the first entry only and read after the stages`
	}
	for range b.Stages(s.N) {
	}
	fmt.Println(x)
	return nil
}

func clock(b *bsplib.Proc, s *state) error {
	began := b.Time() // want `began is taken from a clock on each entry and read after the stages`
	day := time.Now() // want `day is taken from a clock on each entry and read after the stages`
	for range b.Stages(s.N) {
	}
	fmt.Println(b.Time()-began, day)
	return nil
}

func under(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		for range b.Stages(s.N) { // want `these stages are run on the first entry only`
		}
	}
	return nil
}
