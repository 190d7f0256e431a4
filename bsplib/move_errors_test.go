package bsplib_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// fragile is a type with an encoding of its own, which fails on request.
type fragile struct {
	Trouble string
}

func (f fragile) AppendBinary(b []byte) ([]byte, error) {
	switch f.Trouble {
	case "leaving":
		return nil, errors.New("glued to the floor")
	case "panics leaving":
		panic("glued to the floor")
	}
	return append(b, f.Trouble...), nil
}

func (f *fragile) UnmarshalBinary(b []byte) error {
	f.Trouble = string(b)
	switch f.Trouble {
	case "arriving":
		return errors.New("broken on the way")
	case "panics arriving":
		panic("broken on the way")
	case "changes":
		f.Trouble = "changed"
	}
	return nil
}

// troubles maps the failures of fragile to the text in the run's error.
var troubles = map[string]string{
	"leaving":         "glued to the floor",
	"panics leaving":  "glued to the floor",
	"arriving":        "broken on the way",
	"panics arriving": "broken on the way",
	"changes":         "its state is not what had left: digest",
}

// A state that fails to move ends the run with an error that names the process, the stage and
// the field: in a move of all processes, in a move that goes along with a call, and on each
// transport of its large parts.
func TestStatesThatDoNotComeThrough(t *testing.T) {
	bsptest.InProcess(t)
	type state struct {
		Vase []fragile
		Data []byte
	}
	for trouble, want := range troubles {
		program := func(b *bsplib.Proc, s *state) error {
			if b.Fresh() {
				s.Vase, s.Data = make([]fragile, 2), make([]byte, 300_000)
			}
			for k := range b.Stages(4) {
				if k == 2 && b.Pid() == 1 {
					s.Vase[1].Trouble = trouble
					b.Migrate(bsplib.OnRank(min(2, b.NRanks()-1)))
				}
			}
			return nil
		}
		check := func(how string, err error) {
			e, ok := errors.AsType[*bsplib.Error](err)
			if !ok || e.Kind != bsplib.KindUnmovable || e.Pid != 1 || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "after stage 2 of stage loop 0") ||
				trouble != "changes" && !strings.Contains(err.Error(), "Vase[1]") {
				t.Errorf("%s, %s: %v", trouble, how, err)
			}
		}
		for _, ranks := range []int{1, 2, 3} {
			check(fmt.Sprintf("on %d ranks", ranks), bsplib.Run(bsplib.Config{Procs: 3, Ranks: ranks, Shake: true}, program))
		}
		for name, way := range waysToMove() {
			check(name, runOn(4, way.node, way.as, program))
		}
	}
}

// A state with fields that cannot move is refused at once, with all of them.
func TestStatesThatCannotMove(t *testing.T) {
	bsptest.InProcess(t)
	type inner struct{ Done chan int }
	type state struct {
		In   []inner
		Call func()
	}
	err := bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2, Shake: true}, func(b *bsplib.Proc, s *state) error {
		for range b.Stages(2) {
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "In[].Done") || !strings.Contains(err.Error(), "Call") {
		t.Errorf("a channel and a function: %v", err)
	}
}

// Deferred functions of a program run when a process leaves, and do not affect
// the rank's other processes.
func TestDeferredCallsOfAProcessThatLeaves(t *testing.T) {
	type state struct {
		In   bsplib.Area[int]
		Post bsplib.Queue[int, int]
	}
	bsptest.Shaken(t, func(b *bsplib.Proc, s *state) error {
		if b.Fresh() {
			s.In, s.Post = bsplib.Alloc[int](b, 1), bsplib.NewQueue[int, int](b)
			b.Sync()
		}
		defer func() {
			defer func() { recover() }()
			s.Post.Send(0, 1, 2)
			s.In.Put(0, 0, -1)
		}()
		for range b.Stages(3) {
			if s.In.Slice()[0] != 0 || s.Post.Len() != 0 {
				return errors.New("a process that had left has sent something")
			}
		}
		return nil
	})
}

func TestStagesWithinStages(t *testing.T) {
	bsptest.InProcess(t)
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, _ *none) error {
		for range b.Stages(2) {
			for range b.Stages(2) {
			}
		}
		return nil
	})
	e, ok := errors.AsType[*bsplib.Error](err)
	if !ok || e.Kind != bsplib.KindNestedStages || !strings.Contains(err.Error(), "move_errors_test.go") {
		t.Errorf("stages within a stage: %v", err)
	}
}
