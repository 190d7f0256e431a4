// Package limits has wrong programs that are not found, and right ones that are
// blamed.
package limits

import (
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

// Not found: one element for another.

func otherElements(b *bsplib.Proc, s *state) error {
	hist := make([]int, 10)
	for k := range b.Stages(s.N) {
		i := s.X[k] % 10
		hist[i] = k
		s.Sum += hist[(i+1)%10]
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

// Blamed: memory that is read only as far as the stage has filled it, and memory
// that is one of several.

func filledAsFarAsRead(b *bsplib.Proc, s *state) error {
	buf := make([]int, 8)
	for k := range b.Stages(s.N) {
		n := 0
		for _, x := range s.X {
			if x > k {
				buf[n] = x // want `buf is set in the stage loop at line 74 and read in a later stage`
				n++
			}
		}
		for _, x := range buf[:n] {
			s.Sum += x
		}
	}
	return nil
}

func bufferByParity(b *bsplib.Proc, s *state) error {
	var bufs [2][]int
	bufs[0], bufs[1] = make([]int, 3), make([]int, 3)
	for k := range b.Stages(s.N) {
		cur := bufs[k%2]
		copy(cur, s.X) // want `bufs is set in the stage loop at line 92 and read in a later stage`
		s.Sum += cur[0]
	}
	return nil
}
