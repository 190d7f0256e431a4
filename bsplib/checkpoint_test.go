package bsplib_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/randprog"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// asked returns a trigger that was fired before the run begins.
func asked() *bsplib.CheckpointTrigger {
	r := new(bsplib.CheckpointTrigger)
	r.Fire()
	return r
}

// inLegs runs a program to its end in legs of one stage. Each leg ends with a
// checkpoint, and the next restarts from it on another number of ranks. Every
// other leg moves processes too.
func inLegs[S any](t *testing.T, procs int, program func(*bsplib.Proc, *S) error) error {
	t.Helper()
	dir := t.TempDir()
	for leg := range 1000 {
		configs := bsptest.Configs(procs)
		cfg := configs[(leg*3+procs)%len(configs)]
		if leg%4 == 1 {
			cfg = cfg.Scattered(uint64(leg))
		}
		cfg.Checkpoint = &bsplib.Checkpoint{Dir: dir, Trigger: asked()}
		if leg > 0 {
			cfg.Procs, cfg.Checkpoint.Restart = 0, dir
		}
		if leg%4 == 3 {
			cfg.Shake = true
		}
		if err := bsptest.Try(t, cfg, program); !errors.Is(err, bsplib.ErrCheckpointed) {
			if err != nil {
				err = fmt.Errorf("leg %d, %s: %w", leg, bsptest.Describe(cfg), err)
			}
			return err
		}
	}
	return errors.New("it has no end")
}

// Random programs, with every operation of the library, have the same results in legs.
func TestRandomProgramsInLegs(t *testing.T) {
	count := 60
	if testing.Short() || raceEnabled {
		count = 10
	}
	for i := range count {
		seed := *firstSeed + 1000 + uint64(i)
		p := randprog.Generate(seed, sizeOf(seed), 0)
		want := p.Predict()
		err := inLegs(t, p.Procs, func(b *bsplib.Proc, s *randprog.State) error { return p.Run(b, s, want) })
		if err != nil {
			t.Fatalf("%v\nagain: go test ./bsplib -run InLegs -seed %d", err, seed-1000)
		}
	}
}

// Superstep, Time and the reports continue after a restart. Clocks of ranks differ: Time is
// compared on rank 0, whose time checkpoints have.
func TestRunGoesOnWhereItWas(t *testing.T) {
	dir := t.TempDir()
	type state struct {
		Step, Rank int
		At         time.Duration
	}
	program := func(b *bsplib.Proc, s *state) error {
		for k := range b.Stages(3) {
			early := b.Rank() == 0 && s.Rank == 0 && b.Time() < s.At
			if b.Superstep() != 2*k+1 || b.Superstep() <= s.Step || early {
				return fmt.Errorf("stage %d is in superstep %d at %v, after superstep %d at %v", k, b.Superstep(), b.Time(), s.Step, s.At)
			}
			if k == 0 {
				b.Report(bsplib.Result{Title: "early"})
				time.Sleep(10 * time.Millisecond)
			}
			b.Sync()
			s.Step, s.Rank, s.At = b.Superstep(), b.Rank(), b.Time()
		}
		return nil
	}
	for leg := range 4 {
		cfg := bsptest.Configs(3)[0]
		cfg.Result = new(bsplib.Result)
		cfg.Checkpoint = &bsplib.Checkpoint{Dir: dir, Trigger: asked()}
		if leg > 0 {
			cfg.Checkpoint.Restart = dir
		}
		err := bsptest.Try(t, cfg, program)
		if leg < 3 && !errors.Is(err, bsplib.ErrCheckpointed) || leg == 3 && err != nil {
			t.Fatalf("leg %d: %v", leg, err)
		}
		if leg == 3 && leads(cfg) && cfg.Result.Title != "early" {
			t.Errorf("the result is %+v", cfg.Result)
		}
	}
}

// Without a request or an interval no checkpoint is written. A second request
// before it is written has no effect; a request without a directory is reported once.
func TestRequests(t *testing.T) {
	program := func(b *bsplib.Proc, s *none) error {
		for range b.Stages(4) {
			b.Sync()
		}
		return nil
	}
	for _, cfg := range bsptest.Configs(3) {
		var told bytes.Buffer
		cfg.Checkpoint = &bsplib.Checkpoint{Dir: t.TempDir(), Trigger: new(bsplib.CheckpointTrigger), Log: &told}
		if err := bsptest.Try(t, cfg, program); err != nil || told.Len() > 0 || len(checkpointsIn(t, cfg.Checkpoint.Dir)) > 0 {
			t.Errorf("no request: %v, %s", err, &told)
		}
		cfg.Checkpoint.Trigger.Fire()
		cfg.Checkpoint.Trigger.Fire()
		err := bsptest.Try(t, cfg, program)
		if got := checkpointsIn(t, cfg.Checkpoint.Dir); !errors.Is(err, bsplib.ErrCheckpointed) || leads(cfg) && len(got) != 1 {
			t.Errorf("two requests: %v, %v", err, got)
		}
		cfg.Checkpoint = &bsplib.Checkpoint{Trigger: asked(), Log: &told}
		want := "bsplib.test: a checkpoint has been requested, but Checkpoint.Dir names no directory for it; the run goes on\n"
		if err := bsptest.Try(t, cfg, program); err != nil || leads(cfg) && told.String() != want {
			t.Errorf("a request without a directory: %v, %q", err, &told)
		}
	}
}

// checkpointsIn returns the names of the complete checkpoints in a directory.
func checkpointsIn(t testing.TB, dir string) []string {
	t.Helper()
	all := must.Get(filepath.Glob(filepath.Join(dir, "*", "manifest.json")))(t)
	for i := range all {
		all[i] = filepath.Base(filepath.Dir(all[i]))
	}
	slices.Sort(all)
	return all
}

// changed replaces the content of a file by change's result.
func changed(t testing.TB, name string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// counted is a state with a few fields.
type counted struct {
	N    int
	Long []float64
}

func counting(b *bsplib.Proc, s *counted) error {
	if b.Fresh() {
		s.Long = make([]float64, 2000+b.Pid())
	}
	for range b.Stages(6) {
		s.N++
		s.Long[s.N] = float64(s.N)
		b.Sync()
	}
	return equal(b, "count", s.N, 6)
}

// checkpointed writes a checkpoint of counting on three processes and two ranks.
func checkpointed(t *testing.T) (path string, taken *bsplib.Checkpoint) {
	t.Helper()
	taken = &bsplib.Checkpoint{Dir: t.TempDir(), Trigger: asked(), Parameters: []bsplib.Parameter{{Name: "n", Value: "6"}, {Name: "block", Value: "2"}}}
	if err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2, Checkpoint: taken}, counting); !errors.Is(err, bsplib.ErrCheckpointed) {
		t.Fatal(err)
	}
	return filepath.Join(taken.Dir, checkpointsIn(t, taken.Dir)[0]), taken
}

// A path that is not a checkpoint of this run is refused before the program
// runs, and the error names the cause.
func TestRestartsThatAreRefused(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		name   string
		change func(path string) error
		config func(*bsplib.Config)
		want   string // with PATH for the checkpoint's
	}{
		{"processes", nil, func(cfg *bsplib.Config) { cfg.Procs = 4 }, "Config.Procs is 4 here, 3 in PATH"},
		{"parameter", nil, func(cfg *bsplib.Config) { cfg.Checkpoint.Parameters[0].Value = "7" }, `parameter n is "7" here, "6" in PATH`},
		{"nothing there", os.RemoveAll, nil, "PATH: no such file or directory"},
		{"incomplete", func(path string) error { return os.Remove(filepath.Join(path, "manifest.json")) }, nil, "PATH: there is no complete checkpoint: it has no manifest.json"},
		{"cut off part", func(path string) error { return os.Truncate(filepath.Join(path, "rank-00001.part"), 1000) }, nil, "PATH/rank-00001.part: damaged: 1000 bytes, expected"},
		{"part gone", func(path string) error { return os.Remove(filepath.Join(path, "rank-00000.part")) }, nil, "PATH/rank-00000.part: no such file"},
		{"damaged part", func(path string) error {
			changed(t, filepath.Join(path, "rank-00001.part"), func(b []byte) []byte { b[len(b)-100] ^= 4; return b })
			return nil
		}, nil, "PATH/rank-00001.part: damaged: process"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, taken := checkpointed(t)
			if c.change != nil {
				must.Do(t, c.change(path))
			}
			cfg := bsplib.Config{Ranks: 3, Checkpoint: &bsplib.Checkpoint{Restart: path, Parameters: taken.Parameters}}
			if c.config != nil {
				c.config(&cfg)
			}
			err := bsplib.Run(cfg, counting)
			if want := strings.ReplaceAll(c.want, "PATH", path); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// A state of another layout cannot be restarted, and a state that cannot move
// is not written.
func TestStatesThatAreRefused(t *testing.T) {
	bsptest.InProcess(t)
	path, taken := checkpointed(t)
	type other struct{ N, M int }
	err := bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{Restart: path, Parameters: taken.Parameters}},
		func(*bsplib.Proc, *other) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "has states of type") || !strings.Contains(err.Error(), "bsplib_test.counted") || !strings.Contains(err.Error(), "bsplib_test.other") {
		t.Errorf("another type: %v", err)
	}
	type fixed struct{ Done chan int }
	err = bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{Dir: t.TempDir()}}, func(*bsplib.Proc, *fixed) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "state.Done: chan int: a channel belongs to one process") {
		t.Errorf("a state that cannot move: %v", err)
	}
	if err := bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{}}, func(*bsplib.Proc, *fixed) error { return nil }); err != nil {
		t.Errorf("such a state, and no checkpoints: %v", err)
	}
}

// Checkpoints by number of stages: one for each interval. The last two are kept,
// and a restart from either reaches the end.
func TestEveryStages(t *testing.T) {
	bsptest.InProcess(t)
	for _, ranks := range []int{1, 2, 5} {
		dir := t.TempDir()
		var progress bytes.Buffer
		cfg := bsplib.Config{Procs: 3, Ranks: ranks, Progress: &progress, Checkpoint: &bsplib.Checkpoint{Dir: dir, EveryStages: 2}}
		must.Do(t, bsplib.Run(cfg, counting))
		all := checkpointsIn(t, dir)
		if len(all) != 2 || !strings.HasSuffix(all[0], "-000002") || !strings.HasSuffix(all[1], "-000003") || len(must.Names(t, dir)) != 2 {
			t.Errorf("on %d ranks: %q", ranks, all)
		}
		if strings.Count(progress.String(), "checkpoint ") != 1 || !strings.Contains(progress.String(), "after stage 1 of stage loop 0 (superstep 4)") {
			t.Errorf("on %d ranks it says %q", ranks, &progress)
		}
		for _, name := range all {
			err := bsplib.Run(bsplib.Config{Ranks: 2, Checkpoint: &bsplib.Checkpoint{Dir: dir, Restart: filepath.Join(dir, name)}}, counting)
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func TestEveryTime(t *testing.T) {
	bsptest.InProcess(t)
	for every, want := range map[time.Duration]int{time.Hour: 0, time.Nanosecond: 2} {
		dir := t.TempDir()
		must.Do(t, bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2, Checkpoint: &bsplib.Checkpoint{Dir: dir, Every: every}}, counting))
		if got := checkpointsIn(t, dir); len(got) != want {
			t.Errorf("every %v: %q", every, got)
		}
	}
}

// unruly is a state that can be written only at times.
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

// A failure on one rank is a failure of all, and the previous checkpoint stays.
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
	got := strings.Join(must.Names(t, dir), " ")
	if strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), "no checkpoint: rank 2 on ") {
		t.Errorf("it says %q", &told)
	}
	if strings.Count(got, "-") != 4 || strings.Contains(got, "-000001") {
		t.Errorf("there is %q", got)
	}
	must.Do(t, bsplib.Run(bsplib.Config{Checkpoint: &bsplib.Checkpoint{Restart: dir}}, program))
}
