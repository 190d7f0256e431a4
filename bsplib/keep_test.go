package bsplib_test

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// keeper has areas that it keeps a part of, which it says once or in each stage.
type keeper struct {
	Long, Grows, Given, Shown bsplib.Area[int]
	Mem                       []int // that Shown is of
	Rank                      int   // at the end of the last stage
}

const keeperLong, keeperShort = 5000, 30

// run fills all elements in each stage and looks at them in the next: those that are kept are
// there, and the others are zero if the process, or all of it in new memory, went elsewhere.
func (s *keeper) run(b *bsplib.Proc, everywhere bool) error {
	if b.Fresh() {
		s.Long, s.Grows = bsplib.Alloc[int](b, keeperLong), bsplib.Alloc[int](b, keeperShort)
		s.Given = bsplib.Register(b, make([]int, keeperLong))
		s.Mem = make([]int, keeperShort)
		s.Shown = bsplib.Register(b, s.Mem)
		s.Long.Keep(keeperLong - 1000*b.Pid()%keeperLong)
		s.Given.Keep(7)
		s.Shown.Keep(0)
		b.Sync()
	}
	for k := range b.Stages(6) {
		if k > 0 {
			moved := everywhere || b.Rank() != s.Rank
			for _, x := range []struct {
				name string
				has  []int
				kept int
			}{
				{"Long", s.Long.Slice(), keeperLong - 1000*b.Pid()%keeperLong},
				{"Grows", s.Grows.Slice(), 5 * (k - 1)},
				{"Given", s.Given.Slice(), 7},
				{"Shown", s.Shown.Slice(), keeperShort}, // for the state shows it
			} {
				for i, v := range x.has {
					there := v == 100*k+i
					if i < x.kept && !there || i >= x.kept && !there && v != 0 || i >= x.kept && moved && v != 0 {
						return fmt.Errorf("process %d, stage %d, moved %t: element %d of %s, of which %d are kept, is %d", b.Pid(), k, moved, i, x.name, x.kept, v)
					}
				}
			}
		}
		for _, area := range []bsplib.Area[int]{s.Long, s.Grows, s.Given, s.Shown} {
			values := make([]int, len(area.Slice()))
			for i := range values {
				values[i] = 100*(k+1) + i
			}
			area.Put(right(b), 0, values...)
		}
		s.Grows.Keep(5 * k)
		s.Rank = b.Rank()
	}
	return nil
}

func TestKeep(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *keeper) error { return s.run(b, false) })
}

func TestKeepInCheckpoints(t *testing.T) {
	for _, procs := range []int{1, 4} {
		if err := inLegs(t, procs, func(b *bsplib.Proc, s *keeper) error { return s.run(b, true) }); err != nil {
			t.Fatalf("%d processes: %v", procs, err)
		}
	}
}
