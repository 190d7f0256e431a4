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
		x = 1 // want `x is set on the first entry only and read after the stage loop at line 48`
	}
	for range b.Stages(s.N) {
	}
	fmt.Println(x)
	return nil
}

func count(b *bsplib.Proc, s *state) error {
	n := 0
	switch {
	case b.Fresh() && s.N > 0:
		n = 3 // want `n is set on the first entry only and read in the stage loop at line 60`
	}
	for range b.Stages(n) {
	}
	return nil
}

func made(b *bsplib.Proc, s *state) error {
	var x int
	if b.Fresh() {
		x = b.Pid()
	}
	y := x + 1 // want `y is made of x, which is set on the first entry only, and read in the stage loop at line 71`
	for range b.Stages(s.N) {
		s.At += y
	}
	return nil
}

func clock(b *bsplib.Proc, s *state) error {
	began := b.Time() // want `began is taken from b.Time\(\) on each entry and read after the stage loop at line 80: a process that moved has a later value; make it a field of the state, set under Fresh`
	day := time.Now() // want `day is taken from time.Now\(\) on each entry and read after the stage loop at line 80`
	for range b.Stages(s.N) {
	}
	fmt.Println(b.Time()-began, day)
	return nil
}

func copied(b *bsplib.Proc, s *state) error {
	at := s.At       // want `at is made of s.At, which the stage loop at line 89 changes, and read in it: a process that moved has the new value, others have the old; read s.At where it is needed`
	size := len(s.X) // want `size is made of s.X, which the stage loop at line 89 changes, and read after it`
	for k := range b.Stages(s.N) {
		s.X = append(s.X, float64(at))
		s.At += k
	}
	fmt.Println(size)
	return nil
}

func under(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		for range b.Stages(s.N) { // want `these stages are run on the first entry only`
		}
	}
	return nil
}
