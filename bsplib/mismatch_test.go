package bsplib_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib"
)

// Registrations, Pops and new queues are made by all processes alike. The
// library compares them at the end of the superstep, and names the first
// process that differs from process 0.
func TestMismatches(t *testing.T) {
	const order = ": it registered or popped areas or made queues in another order or of other types than process 0"
	other := func(b *bsplib.Proc) bool { return b.Pid() == 1 }
	misuses(t, []misuse{
		{"OneRegistersMore", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			bsplib.Register(b, []int{1})
			if other(b) {
				bsplib.Register(b, []int{1})
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}: it registered or popped areas or made queues 2 times in this superstep, process 0 1 times"},
		{"OneRegistersLess", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if !other(b) {
				bsplib.Register(b, []int{1})
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}: it registered or popped areas or made queues 0 times in this superstep, process 0 1 times"},
		{"OnePopsAlone", func(b *bsplib.Proc, at *places) error {
			x := bsplib.Register(b, []int{1})
			b.Sync()
			if other(b) {
				x.Pop()
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}: it registered or popped areas or made queues 1 times in this superstep, process 0 0 times"},
		{"OnePopsAnotherArea", func(b *bsplib.Proc, at *places) error {
			x, y := bsplib.Register(b, []int{1}), bsplib.Register(b, []int{1})
			b.Sync()
			if other(b) {
				x, y = y, x
			}
			x.Pop()
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
		{"OneRegistersAnotherSize", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if other(b) {
				bsplib.Register(b, []int32{1})
			} else {
				bsplib.Register(b, []int64{1})
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
		{"OneRegistersAnotherTypeOfTheSameSize", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if other(b) {
				bsplib.Register(b, []float64{1})
			} else {
				bsplib.Register(b, []int64{1})
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
		{"OneMakesAQueueFirst", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if other(b) {
				bsplib.NewQueue[int, int](b)
			}
			bsplib.Register(b, []int{1})
			if !other(b) {
				bsplib.NewQueue[int, int](b)
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
		{"OneMakesAQueueWithAnotherTag", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if other(b) {
				bsplib.NewQueue[int32, int](b)
			} else {
				bsplib.NewQueue[int64, int](b)
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
		{"OneRegistersAndPops", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if other(b) {
				x := bsplib.Register(b, []int{1})
				x.Pop()
			} else {
				bsplib.Register(b, []int{1})
				bsplib.Register(b, []int{1})
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}" + order},
	})
}

// Some processes end while others synchronise.
func TestEndMismatches(t *testing.T) {
	misuses(t, []misuse{
		{"OneEnds", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if b.Pid() == 1 {
				return nil
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindEndMismatch, 1, 2, ", {sync}: process 1 has ended its program, while process 0 called Sync here"},
		{"OneGoesOn", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 2 {
				at.next("sync")
				b.Sync()
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 1, ", {sync}: process 0 has ended its program, while process 2 called Sync here"},
		{"OneIsInACollective", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 2 {
				at.next("sync")
				bsplib.Allreduce(b, 1, plus)
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 1, ", {sync}: process 0 has ended its program, while process 2 called Sync here"},
		{"OneHasFewerStages", func(b *bsplib.Proc, at *places) error {
			n := 3
			if b.Pid() == 0 {
				n = 2
			}
			at.next("stages")
			for range b.Stages(n) {
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 3, ", {stages}: process 0 has ended its program, while process 1 called Sync here"},
		{"OneEndsWithARegistration", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				bsplib.Register(b, []int{1})
				return nil
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindEndMismatch, 1, 1, ", {sync}: process 1 has ended its program, while process 0 called Sync here"},
	})
}
