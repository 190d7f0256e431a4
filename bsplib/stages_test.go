package bsplib_test

import (
	"cmp"
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

// A stage ends with a barrier that does all that Sync does.
func TestStageEndsLikeSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 1))
		q := bsplib.NewQueue[int, int](b)
		b.Sync()
		to := make([]int, 1)
		for k := range b.Stages(4) {
			if k > 0 {
				if err := cmp.Or(
					equal(b, "the area", x.Slice()[0], k-1), equal(b, "what was got", to[0], max(0, k-2)),
					equal(b, "messages", readAll(q), []string{letterText(k-1, []int{left(b)})})); err != nil {
					return err
				}
			}
			x.Put(right(b), 0, k)
			x.Get(right(b), 0, to)
			q.Send(right(b), k, b.Pid())
		}
		return equal(b, "the area after the loop", x.Slice()[0], 3)
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

func TestReturnFromAStage(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		for k := range b.Stages(5) {
			if k == 2 {
				return nil
			}
		}
		return equal(b, "the end of the loop", "reached", "left")
	})
}

func TestARunWithoutMigrationIsFresh(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		fresh := b.Fresh()
		for range b.Stages(2) {
			fresh = fresh && b.Fresh()
		}
		return equal(b, "Fresh", fresh, true)
	})
}

// Stages gives a sequence that may be kept and used where the loop is.
func TestStagesAsAValue(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		loop := b.Stages(2)
		n := 0
		for range loop {
			n++
		}
		return cmp.Or(equal(b, "stages", n, 2), equal(b, "superstep", b.Superstep(), 3))
	})
}
