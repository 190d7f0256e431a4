package bsplib_test

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestAreaIsTheMemoryItself(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		mem := make([]int, 3)
		x := bsplib.Register(b, mem[1:])
		b.Sync()
		x.Put(right(b), 0, 5)
		b.Sync()
		mem[2] = 6
		return cmp.Or(equal(b, "the memory", mem, []int{0, 5, 6}), equal(b, "the area", x.Slice(), []int{5, 6}))
	})
}

// Lengths may differ, down to nothing; who has nothing can still write to the
// others.
func TestAreasOfDifferentLengths(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		length := func(pid int) int { return pid * 3 % 7 }
		x := bsplib.Register(b, make([]int, length(b.Pid())))
		y := bsplib.Alloc[int](b, length(b.Pid()))
		b.Sync()
		for to := range b.NProcs() {
			if n := length(to); n > b.Pid() {
				x.Put(to, b.Pid(), 1)
				y.Put(to, n-1-b.Pid(), 1)
			}
		}
		b.Sync()
		sum := 0
		for i := range x.Slice() {
			sum += x.Slice()[i] + y.Slice()[i]
		}
		return equal(b, "elements written", sum, 2*min(length(b.Pid()), b.NProcs()))
	})
}

func TestOneProcessAloneHasMemory(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var mem []int
		if b.Pid() == b.NProcs()-1 {
			mem = make([]int, b.NProcs())
		}
		x := bsplib.Register(b, mem)
		b.Sync()
		x.Put(b.NProcs()-1, b.Pid(), b.Pid())
		b.Sync()
		if mem == nil {
			return equal(b, "length without memory", len(x.Slice()), 0)
		}
		return equal(b, "the memory", mem, numbers(0, b.NProcs()))
	})
}

// Registrations of the same memory are areas of their own, whether they grow
// or shrink, and one's Pop leaves the others.
func TestSameMemoryRegisteredAgain(t *testing.T) {
	for _, sizes := range [][]int{{1, 2, 3}, {3, 2, 1}, {2, 2, 2}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				mem := make([]int, 3)
				var areas []bsplib.Area[int]
				for _, n := range sizes {
					areas = append(areas, bsplib.Register(b, mem[:n]))
				}
				b.Sync()
				for len(areas) > 0 {
					last := len(areas) - 1
					for i, a := range areas {
						a.Put(right(b), sizes[i]-1, 10*len(areas)+i)
					}
					b.Sync()
					if err := equal(b, "the memory", mem[sizes[last]-1], 10*len(areas)+last); err != nil {
						return err
					}
					areas[last].Pop()
					areas = areas[:last]
					b.Sync()
				}
				return nil
			})
		})
	}
}

func TestPushPushPopPop(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		mem := make([]int, 1)
		x, y := bsplib.Register(b, mem), bsplib.Register(b, mem)
		y.Pop()
		x.Pop()
		b.Sync()
		z := bsplib.Register(b, mem)
		b.Sync()
		z.Put(right(b), 0, 4)
		b.Sync()
		return equal(b, "the memory", mem[0], 4)
	})
}

// A Pop takes effect with the next superstep: the area can be used before.
func TestPopBeforePut(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 2))
		b.Sync()
		to := make([]int, 1)
		x.Pop()
		x.Put(right(b), 0, 3)
		x.Get(right(b), 1, to)
		x.Slice()[1] = 4
		b.Sync()
		return cmp.Or(equal(b, "the memory", x.Slice(), []int{3, 4}), equal(b, "what was got", to[0], 4))
	})
}

func TestPopInAnyOrder(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x, y, z := bsplib.Register(b, make([]int, 1)), bsplib.Alloc[byte](b, 1), bsplib.Register(b, make([]int, 1))
		b.Sync()
		x.Pop()
		b.Sync()
		z.Pop()
		y.Put(right(b), 0, 8)
		b.Sync()
		err := equal(b, "the area that is left", y.Slice()[0], 8)
		y.Pop()
		b.Sync()
		return err
	})
}

// Areas come and go; each keeps to its own memory.
func TestManyAreasComeAndGo(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var areas []bsplib.Area[int]
		for round := range 40 {
			for i := range round % 5 {
				if i%2 == 0 {
					areas = append(areas, bsplib.Register(b, make([]int, round+1)))
				} else {
					areas = append(areas, bsplib.Alloc[int](b, round+1))
				}
			}
			b.Sync()
			for i, a := range areas {
				a.Put(right(b), len(a.Slice())-1, 100*round+i)
			}
			pops := round % 4
			for i := 0; i < pops && len(areas) > 3; i++ {
				k := (round + i) % len(areas)
				areas[k].Pop()
				areas = append(areas[:k], areas[k+1:]...)
			}
			b.Sync()
			for i, a := range areas {
				got := a.Slice()[len(a.Slice())-1]
				if got/100 != round || got%100 < i {
					return fmt.Errorf("process %d, round %d, area %d: got %d", b.Pid(), round, i, got)
				}
			}
		}
		return nil
	})
}

func TestAllocIsZero(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		for round := range 20 {
			x := bsplib.Alloc[int](b, 10+1000*(round%3))
			for i, v := range x.Slice() {
				if v != 0 {
					return fmt.Errorf("process %d, round %d: element %d is %d", b.Pid(), round, i, v)
				}
				x.Slice()[i] = -1
			}
			b.Sync()
			x.Pop()
			b.Sync()
		}
		return nil
	})
}

// After a Pop has taken effect, memory of the program is the program's again,
// and that of Alloc is gone.
func TestSliceAfterPop(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x, y := bsplib.Register(b, make([]int, 2)), bsplib.Alloc[int](b, 2)
		b.Sync()
		x.Pop()
		y.Pop()
		b.Sync()
		return cmp.Or(equal(b, "registered memory", len(x.Slice()), 2), equal(b, "memory of Alloc", len(y.Slice()), 0))
	})
}

func TestSliceOfTheZeroAreaIsNil(t *testing.T) {
	var x bsplib.Area[int]
	if x.Slice() != nil {
		t.Error("the zero Area has memory")
	}
}

// Any Sync makes registrations hold, those in collectives and stages too.
func TestRegistrationHoldsAfterEveryKindOfSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 3))
		bsplib.Broadcast(b, 0, []int{1})
		x.Put(right(b), 0, 1)
		y := bsplib.Register(b, x.Slice()[1:])
		for range b.Stages(2) {
			b.Sync()
			y.Put(right(b), 0, 2)
		}
		z := bsplib.Register(b, x.Slice()[2:])
		bsplib.AllreduceSlice(b, []int{1, 2}, func(a, b int) int { return a + b })
		z.Put(right(b), 0, 3)
		b.Sync()
		return equal(b, "the memory", x.Slice(), []int{1, 2, 3})
	})
}
