// Package limits has wrong programs that are not found, and right ones that are
// blamed.
package limits

import (
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct {
	N, Sum int
	X      []int
}

// Not found: what functions of other packages keep.

func pulledIterator(b *bsplib.Proc, s *state) error {
	next, stop := iter.Pull(slices.Values([]int{1, 2, 3}))
	defer stop()
	for range b.Stages(s.N) {
		v, _ := next()
		s.Sum += v
	}
	return nil
}

func openFile(b *bsplib.Proc, s *state) error {
	f, err := os.Open("x")
	if err != nil {
		return err
	}
	var buf [8]byte
	for range b.Stages(s.N) {
		f.Read(buf[:])
		s.Sum += int(buf[0])
	}
	return nil
}

// Not found: a first entry that is told from others by the state.

func conditionOfTheState(b *bsplib.Proc, s *state) error {
	n := 0
	if s.X == nil {
		s.X = make([]int, 3)
		n = 3
	}
	for range b.Stages(s.N) {
		s.Sum += n
	}
	return nil
}

// Not found: what an alternative of select sends, and what lies behind recursion.

func selected(b *bsplib.Proc, s *state) error {
	c := make(chan int, 9)
	for k := range b.Stages(s.N) {
		select {
		case c <- k:
		default:
		}
	}
	for range len(c) {
		s.Sum += <-c
	}
	return nil
}

func recursive(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		down(&n, 3)
	}
	s.Sum = n
	return nil
}

func down(n *int, d int) {
	if d == 0 {
		*n++
		return
	}
	down(n, d-1)
}

// Not found: what the first entry only has set, if it is read before a stage has
// ended; and copies of parts of the state that the stages change.

func count(b *bsplib.Proc, s *state) error {
	n := 0
	switch {
	case b.Fresh() && s.N > 0:
		n = 3
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
	y := x + 1
	for range b.Stages(s.N) {
		s.Sum += y
	}
	return nil
}

func copied(b *bsplib.Proc, s *state) error {
	at := s.Sum
	size := len(s.X)
	for k := range b.Stages(s.N) {
		s.X = append(s.X, at)
		s.Sum += k
	}
	fmt.Println(size)
	return nil
}

// Not found: package variables that are set by elements.

var names = map[int]string{}

func packageVariables(b *bsplib.Proc, s *state) error {
	for k := range b.Stages(s.N) {
		names[k] = "one"
	}
	s.Sum = len(names)
	return nil
}

// Not found: an element, if another is set after it.

func oneElement(b *bsplib.Proc, s *state) error {
	var acc [2]int
	for k := range b.Stages(s.N) {
		acc[1] = k
		acc[0] = 0
		s.Sum += acc[0]
	}
	s.Sum += acc[1]
	return nil
}

// Blamed: memory that is read only as far as the stage has filled it, and what is
// read only if a number that is set along with it is not negative.

func filledAsFarAsRead(b *bsplib.Proc, s *state) error {
	buf := make([]int, 8)
	for k := range b.Stages(s.N) {
		n := 0
		for _, x := range s.X {
			if x > k {
				buf[n] = x // want `buf is set in the stage loop at line 158 and read in a later stage`
				n++
			}
		}
		for _, x := range buf[:n] {
			s.Sum += x
		}
	}
	return nil
}

func sentinelOfValue(b *bsplib.Proc, s *state) error {
	var at, val int
	for k := range b.Stages(s.N) {
		at = -1
		for i, x := range s.X {
			if x == k {
				at, val = i, x // want `val is set in the stage loop at line 175 and read in a later stage`
			}
		}
		if at >= 0 {
			s.Sum += val
		}
	}
	return nil
}
