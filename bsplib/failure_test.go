package bsplib_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestPanicsAndAborts(t *testing.T) {
	misuses(t, []misuse{
		{"Panic", here(), alone(func(*bsplib.Proc) { panic("oh") }), bsplib.KindFailed, 1, 1, ", {at}: panic: oh"},
		{"IndexOutOfRange", here(), alone(func(b *bsplib.Proc) { x := make([]int, 2); x[b.Pid()+1] = 1 }),
			bsplib.KindFailed, 1, 1, ", {at}: panic: runtime error: index out of range [2] with length 2"},
		{"NilDereference", here(), alone(func(*bsplib.Proc) { var x *misuse; x.name = "x" }),
			bsplib.KindFailed, 1, 1, ", {at}: panic: runtime error: invalid memory address or nil pointer dereference"},
		{"Abort", here(), alone(func(b *bsplib.Proc) { b.Abort("n=%d is not divisible by p=%d", 7, b.NProcs()) }),
			bsplib.KindAborted, 1, 1, ", {at}: n=7 is not divisible by p=3"},
		{"PanicInAStage", "", func(b *bsplib.Proc, at *places) error {
			for k := range b.Stages(3) {
				if k == 1 && b.Pid() == 1 {
					at.next("panic")
					panic("in a stage")
				}
			}
			return nil
		}, bsplib.KindFailed, 1, 2, ", {panic}: panic: in a stage"},
		{"AbortWhereOthersWait", "", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 2 {
				at.next("abort")
				b.Abort("enough")
			}
			for {
				b.Sync()
			}
		}, bsplib.KindAborted, 2, 1, ", {abort}: enough"},
	})
}

// The stack of a panic begins in the program.
func TestPanicHasItsStack(t *testing.T) {
	bsptest.InProcess(t)
	err := runOrHang(t, bsplib.Config{Procs: 3, Ranks: 2}, func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 1 {
			culprit()
		}
		b.Sync()
		return nil
	})
	e, ok := errors.AsType[*bsplib.Error](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if first, _, _ := strings.Cut(e.Stack, "\n"); !strings.Contains(first, "culprit") {
		t.Errorf("the stack begins with %q:\n%s", first, e.Stack)
	}
}

//go:noinline
func culprit() { panic("here") }

var errWrong = errors.New("the sum is wrong")

// An error of a process ends the run after the superstep.
func TestReturnedErrors(t *testing.T) {
	misuses(t, []misuse{
		{"OneReturns", "", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if b.Pid() == 1 {
				return errWrong
			}
			b.Sync()
			return nil
		}, bsplib.KindFailed, 1, 2, ": the sum is wrong"},
		{"TwoReturn", "", func(b *bsplib.Proc, at *places) error {
			if b.Pid() > 0 {
				return fmt.Errorf("process %d: %w", b.Pid(), errWrong)
			}
			b.Sync()
			return nil
		}, bsplib.KindFailed, 1, 1, ": process 1: the sum is wrong"},
		{"AllReturn", "", func(b *bsplib.Proc, at *places) error { return errWrong },
			bsplib.KindFailed, 0, 1, ": the sum is wrong"},
	})
}

// Run returns the process's own error value, on any rank. Over MPI that holds on
// the process's own rank; the other ranks have its text.
func TestRunWrapsTheReturnedError(t *testing.T) {
	for _, cfg := range bsptest.Configs(3) {
		for pid := range 3 {
			mine := false
			err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *none) error {
				if b.Pid() == pid {
					mine = true
					return errWrong
				}
				b.Sync()
				return nil
			})
			if err == nil || !strings.HasSuffix(err.Error(), ": the sum is wrong") || mine && !errors.Is(err, errWrong) {
				t.Errorf("process %d on %s: %v", pid, bsptest.Describe(cfg), err)
			}
		}
	}
}

// runtime.Goexit in a process, which testing.T.Fatal calls, ends the run.
func TestGoexit(t *testing.T) {
	bsptest.InProcess(t)
	for _, ranks := range []int{1, 2, 3, 5} {
		err := runOrHang(t, bsplib.Config{Procs: 3, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
			b.Sync()
			if b.Pid() == 1 {
				runtime.Goexit()
			}
			b.Sync()
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "runtime.Goexit") {
			t.Errorf("on %d ranks: got error %v", ranks, err)
		}
	}
}

// When a run ends early, the deferred calls of all processes are made.
func TestDeferredCallsAreMade(t *testing.T) {
	bsptest.InProcess(t)
	for _, ranks := range []int{1, 2, 3} {
		done := make([]bool, 3)
		runOrHang(t, bsplib.Config{Procs: 3, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
			defer func() { done[b.Pid()] = true }()
			b.Sync()
			if b.Pid() == 1 {
				b.Abort("stop")
			}
			b.Sync()
			return nil
		})
		if !slices.Equal(done, []bool{true, true, true}) {
			t.Errorf("on %d ranks: deferred calls made: %v", ranks, done)
		}
	}
}

// try calls f and stops its panic, as servers and test helpers do.
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

// Misuse and Abort end the run even if the program recovers all panics and
// continues.
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
// prevent its end.
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
