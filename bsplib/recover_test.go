package bsplib_test

import (
	"errors"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// try calls f and keeps its panic from going on, as servers and test helpers
// do.
func try(f func()) (caught any) {
	defer func() { caught = recover() }()
	f()
	return nil
}

// A process may recover its own panics.
func TestAProcessRecoversItsPanic(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 1))
		b.Sync()
		caught := try(func() { panic(b.Pid()) })
		x.Put(right(b), 0, caught.(int))
		b.Sync()
		return equal(b, "the area", x.Slice()[0], left(b))
	})
}

// Misuse and Abort end the run also where the program recovers all panics, and
// whatever it does then.
func TestRecoverDoesNotHideAFailure(t *testing.T) {
	bsptest.InProcess(t)
	failures := []struct {
		name string
		kind bsplib.Kind
		call func(b *bsplib.Proc, x bsplib.Area[int])
	}{
		{"Abort", bsplib.KindAborted, func(b *bsplib.Proc, _ bsplib.Area[int]) { b.Abort("stop") }},
		{"Misuse", bsplib.KindOutOfBounds, func(_ *bsplib.Proc, x bsplib.Area[int]) { x.Put(0, 7, 1) }},
	}
	afterwards := []struct {
		name string
		call func(b *bsplib.Proc) error
	}{
		{"ThenReturn", func(b *bsplib.Proc) error { return nil }},
		{"ThenSync", func(b *bsplib.Proc) error { b.Sync(); return nil }},
		{"ThenReturnAnError", func(b *bsplib.Proc) error { return errWrong }},
	}
	for _, f := range failures {
		for _, then := range afterwards {
			t.Run(f.name+then.name, func(t *testing.T) {
				for _, ranks := range []int{1, 2, 3} {
					err := runOrHang(t, bsplib.Config{Procs: 3, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
						x := bsplib.Register(b, make([]int, 1))
						b.Sync()
						if b.Pid() == 1 {
							try(func() { f.call(b, x) })
							return then.call(b)
						}
						b.Sync()
						return nil
					})
					if e, ok := errors.AsType[*bsplib.Error](err); !ok || e.Kind != f.kind {
						t.Errorf("on %d ranks: got %v", ranks, err)
					}
				}
			})
		}
	}
}

// A process that recovers in Sync after the run has failed elsewhere cannot
// keep it from ending.
func TestRecoverInSyncAfterAFailure(t *testing.T) {
	bsptest.InProcess(t)
	for _, ranks := range []int{1, 2, 3} {
		for _, returned := range []bool{true, false} {
			err := runOrHang(t, bsplib.Config{Procs: 3, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
				x := bsplib.Register(b, make([]int, 1))
				b.Sync()
				if b.Pid() == 1 && returned {
					return errWrong
				} else if b.Pid() == 1 {
					b.Abort("stop")
				}
				for range 5 {
					try(b.Sync)
					try(func() { x.Put(0, 0, 1) })
					try(func() { bsplib.Register(b, make([]int, 1)) })
				}
				return nil
			})
			if e, ok := errors.AsType[*bsplib.Error](err); !ok || e.Pid != 1 {
				t.Errorf("on %d ranks, returned %v: got %v", ranks, returned, err)
			}
		}
	}
}
