package bsplib_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// holder is a process that still holds slices of areas that are popped.
type holder struct{ Slices [][]int }

// Memory of a popped Alloc is the program's for as long as it holds a slice of
// it, also in a state that moves: what is allocated, put or sent later lies
// elsewhere.
func TestPoppedMemoryIsNotHandedOutAgain(t *testing.T) {
	sizes := []int{1, 9, 600, 5000, 40_000}
	bsptest.Shaken(t, func(b *bsplib.Proc, s *holder) error {
		for k := range b.Stages(4) {
			var areas []bsplib.Area[int]
			for _, n := range sizes {
				areas = append(areas, bsplib.Alloc[int](b, n))
			}
			b.Sync()
			for i, x := range areas {
				if slices.ContainsFunc(x.Slice(), func(v int) bool { return v != 0 }) {
					return fmt.Errorf("process %d, stage %d: new memory of %d numbers is not zero", b.Pid(), k, sizes[i])
				}
			}
			b.Sync()
			for i, x := range areas {
				if values := numbers(100*k+b.Pid()+i, sizes[i]); i%2 == 0 {
					x.Put(right(b), 0, values...)
				} else {
					x.HPPut(right(b), 0, values...)
				}
			}
			b.Sync()
			for _, x := range areas {
				s.Slices = append(s.Slices, x.Slice())
				x.Pop()
			}
			b.Sync()
			if b.Pid() == 0 {
				runtime.GC()
			}
			for i, held := range s.Slices {
				from := 100*(i/len(sizes)) + left(b) + i%len(sizes)
				if !slices.Equal(held, numbers(from, sizes[i%len(sizes)])) {
					return fmt.Errorf("process %d, stage %d: slice %d of %d numbers has changed behind the program's back", b.Pid(), k, i, len(held))
				}
			}
		}
		return nil
	})
}
