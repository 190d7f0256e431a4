package bsplib_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// unruly is a state that can be written at times only.
type unruly struct {
	N    int
	Mood mood
}

type mood struct{ bad bool }

var errMood = errors.New("not now")

func (m mood) AppendBinary(b []byte) ([]byte, error) {
	if m.bad {
		return b, errMood
	}
	return b, nil
}

func (m *mood) UnmarshalBinary([]byte) error { return nil }

// A failure on one rank is one of all, and the checkpoint before stays.
func TestOneRankFails(t *testing.T) {
	bsptest.InProcess(t)
	dir := t.TempDir()
	var told bytes.Buffer
	request := new(bsplib.CheckpointTrigger)
	program := func(b *bsplib.Proc, s *unruly) error {
		for k := range b.Stages(4) {
			s.N++
			s.Mood.bad = k == 2 && b.Pid() == 2
			if k == 3 {
				request.Fire()
			}
		}
		return equal(b, "count", s.N, 4)
	}
	cfg := bsplib.Config{Procs: 3, Ranks: 3, Checkpoint: &bsplib.Checkpoint{Dir: dir, EveryStages: 1, Trigger: request, Log: &told}}
	if err := bsplib.Run(cfg, program); !errors.Is(err, bsplib.ErrCheckpointed) {
		t.Fatal(err)
	}
	got := strings.Join(filesIn(t, dir), " ")
	if strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), "no checkpoint: rank 2 on ") {
		t.Errorf("it says %q", &told)
	}
	if strings.Count(got, "-") != 4 || strings.Contains(got, "-000001") {
		t.Errorf("there is %q", got)
	}
	must.Do(t, bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{Restart: dir}}, program))
}
