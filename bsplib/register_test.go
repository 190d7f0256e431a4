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
