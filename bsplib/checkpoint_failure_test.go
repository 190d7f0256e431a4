package bsplib_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// A checkpoint that cannot be written is told of, leaves nothing behind, and
// the run goes on; so it does after a request.
func TestCheckpointsThatFail(t *testing.T) {
	bsptest.InProcess(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		request *bsplib.CheckpointTrigger
		every   int
		lines   int
		want    string
	}{
		{nil, 1, 3, "; the run goes on\n"}, // after failures 1, 2 and 4 of 6
		{asked(), 0, 1, "; the run goes on, though it was asked to end\n"},
	} {
		var told bytes.Buffer
		cfg := bsplib.Config{Procs: 3, Ranks: 2, Checkpoint: &bsplib.Checkpoint{Dir: filepath.Join(file, "below"), EveryStages: c.every, Trigger: c.request, Log: &told}}
		if err := bsplib.Run(cfg, counting); err != nil {
			t.Error(err)
		}
		if strings.Count(told.String(), "\n") != c.lines || !strings.Contains(told.String(), "warning: no checkpoint: ") || !strings.HasSuffix(told.String(), c.want) {
			t.Errorf("it says %q", &told)
		}
	}
}

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
	if err := bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{Restart: dir}}, program); err != nil {
		t.Error(err)
	}
}
