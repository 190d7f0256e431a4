package bsplib_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestStagesCountUp(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var got []int
		for k := range b.Stages(3) {
			got = append(got, k)
		}
		for k := range b.Stages(2) {
			got = append(got, 10+k)
		}
		for range b.Stages(0) {
			got = append(got, -1)
		}
		return equal(b, "stages", got, []int{0, 1, 2, 10, 11})
	})
}

func TestSuperstepsAreCounted(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		got := []int{b.Superstep()}
		b.Sync()
		got = append(got, b.Superstep())
		for range b.Stages(2) {
			b.Sync()
			got = append(got, b.Superstep())
		}
		got = append(got, b.Superstep())
		for range b.Stages(2) {
			break
		}
		bsplib.Allreduce(b, 1, plus)
		got = append(got, b.Superstep())
		bsplib.AllreduceSlice(b, []int{1}, plus)
		return equal(b, "supersteps", append(got, b.Superstep()), []int{1, 2, 3, 5, 6, 7, 8})
	})
}

// A loop that is left ends without a barrier: what was put waits for the next.
func TestLeavingALoopIsNoBarrier(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 1))
		b.Sync()
		for k := range b.Stages(5) {
			x.Put(right(b), 0, 7)
			if k == 1 {
				break
			}
			x.Put(right(b), 0, 6)
		}
		before := x.Slice()[0]
		b.Sync()
		return equal(b, "before and after Sync", []int{before, x.Slice()[0]}, []int{6, 7})
	})
}
