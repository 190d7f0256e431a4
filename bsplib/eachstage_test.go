package bsplib_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// EachStage has the effect of a loop over Stages, including moves and Syncs within stages.
func TestEachStageIsLikeStages(t *testing.T) {
	type S struct {
		X       bsplib.Area[int]
		Q       bsplib.Queue[int, int]
		Sum     int
		Stages  []int
		Entered int
	}
	const first, second = 4, 3
	program := func(b *bsplib.Proc, s *S) error {
		s.Entered++
		if b.Fresh() {
			s.X = bsplib.Register(b, make([]int, 1))
			s.Q = bsplib.NewQueue[int, int](b)
			b.Sync()
		}
		b.Runtime().EachStage(first, func(k int) error {
			s.Stages = append(s.Stages, k)
			if k > 0 {
				if err := equal(b, "the area", s.X.Slice()[0], 100*(k-1)+left(b)); err != nil {
					return err
				}
				if err := equal(b, "messages", s.Q.Len(), 1); err != nil {
					return err
				}
			}
			s.Sum += bsplib.Allreduce(b, b.Pid(), func(x, y int) int { return x + y })
			if k%2 == 1 {
				b.Sync()
			}
			s.X.Put(right(b), 0, 100*k+b.Pid())
			s.Q.Send(right(b), k, b.Pid())
			return nil
		})
		if err := equal(b, "Fresh after a loop", b.Fresh(), false); err != nil {
			return err
		}
		b.Runtime().EachStage(0, func(int) error { return errors.New("a loop of no stages has run one") })
		for k := range b.Stages(second) {
			s.Stages = append(s.Stages, 10+k)
		}
		b.Runtime().EachStage(second, func(k int) error {
			s.Stages = append(s.Stages, 20+k)
			return nil
		})
		n := b.NProcs()
		if err := equal(b, "the sum", s.Sum, first*n*(n-1)/2); err != nil {
			return err
		}
		b.Sync()
		return equal(b, "stages", s.Stages, []int{0, 1, 2, 3, 10, 11, 12, 20, 21, 22})
	}
	for _, c := range []bsplib.Config{
		{Procs: 1}, {Procs: 7, Ranks: 1}, {Procs: 7, Ranks: 3},
		{Procs: 7, Ranks: 3, Shake: true}, {Procs: 2, Ranks: 5, Shake: true},
	} {
		t.Run(fmt.Sprintf("%dOn%dShake%t", c.Procs, c.Ranks, c.Shake), func(t *testing.T) {
			bsptest.InProcess(t)
			must.Do(t, bsplib.Run(c, program))
		})
	}
}

// Without moves a loop makes a program enter twice: before the loop and after it.
func TestEachStageLeavesTheProgramOnce(t *testing.T) {
	bsptest.InProcess(t)
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 5, Ranks: 2}, func(b *bsplib.Proc, s *struct{ Entered, Left, Seen int }) error {
		s.Entered++
		defer func() { s.Left++ }()
		b.Runtime().EachStage(6, func(k int) error {
			s.Seen += s.Left // the program's deferred functions have run
			return nil
		})
		return equal(b, "entered, left and seen", [3]int{s.Entered, s.Left, s.Seen}, [3]int{2, 1, 6})
	}))
}

// Errors within a stage are reported like errors of any program.
func TestEachStageFailures(t *testing.T) {
	bsptest.InProcess(t)
	mine := errors.New("mine")
	each := func(stage func(b *bsplib.Proc, k int) error) func(*bsplib.Proc, *none) error {
		return func(b *bsplib.Proc, _ *none) error {
			b.Runtime().EachStage(3, func(k int) error { return stage(b, k) })
			return nil
		}
	}
	for _, c := range []struct {
		name, words string
		is          error
		program     func(b *bsplib.Proc, _ *none) error
	}{
		{"Error", "superstep 2, process 3, rank 1: mine", mine, each(func(b *bsplib.Proc, k int) error {
			if b.Pid() == 3 && k == 1 {
				return mine
			}
			return nil
		})},
		{"Panic", "panic: oh", nil, each(func(b *bsplib.Proc, k int) error {
			if b.Pid() == 1 && k == 2 {
				panic("oh")
			}
			return nil
		})},
		{"PanicAfterSync", "superstep 2, process 2, rank 1, eachstage_test.go", nil, each(func(b *bsplib.Proc, k int) error {
			if b.Sync(); b.Pid() == 2 {
				panic("oh")
			}
			return nil
		})},
		{"Nested", "EachStage within a stage", nil, each(func(b *bsplib.Proc, k int) error {
			b.Runtime().EachStage(2, func(int) error { return nil })
			return nil
		})},
		{"StagesWithin", "Stages within a stage", nil, each(func(b *bsplib.Proc, k int) error {
			for range b.Stages(2) {
			}
			return nil
		})},
		{"Recovered", "superstep 1, process 4, rank 1, eachstage_test.go", nil, each(func(b *bsplib.Proc, k int) error {
			defer func() { _ = recover() }()
			if b.Pid() == 4 {
				b.Abort("enough")
			}
			return nil
		})},
		{"OthersEnd", "has ended its program, while process", nil, func(b *bsplib.Proc, _ *none) error {
			if b.Pid() != 2 {
				b.Runtime().EachStage(3, func(int) error { return nil })
			}
			return nil
		}},
		{"DeferredSync", "", nil, func(b *bsplib.Proc, _ *none) error {
			defer func() {
				if b.Fresh() {
					b.Sync() // has no effect in a program that is left
				}
			}()
			b.Runtime().EachStage(2, func(int) error { return nil })
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := bsplib.Run(bsplib.Config{Procs: 5, Ranks: 2}, c.program)
			switch {
			case c.words == "" && err != nil:
				t.Errorf("it ends with %v", err)
			case c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words)):
				t.Errorf("it ends with %v, not %q", err, c.words)
			case c.is != nil && !errors.Is(err, c.is):
				t.Errorf("%v is not %v", err, c.is)
			}
		})
	}
}
