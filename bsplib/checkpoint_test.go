package bsplib_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// asked is a request that has been made before the run begins.
func asked() *bsplib.CheckpointTrigger {
	r := new(bsplib.CheckpointTrigger)
	r.Fire()
	return r
}

// inLegs runs a program to its end in legs of one stage: each ends with a
// checkpoint, from which the next goes on on another number of ranks. Every
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

// Random programs, with all that the library has, do the same in legs.
func TestRandomProgramsInLegs(t *testing.T) {
	count := 60
	if testing.Short() || raceEnabled {
		count = 10
	}
	for i := range count {
		seed := *firstSeed + 1000 + uint64(i)
		p := generate(seed, sizeOf(seed))
		want := predict(p)
		err := inLegs(t, p.procs, func(b *bsplib.Proc, s *carried) error { return p.run(b, s, want) })
		if err != nil {
			t.Fatalf("%v\nagain: go test ./bsplib -run InLegs -seed %d", err, seed-1000)
		}
	}
}

// Superstep, Time and what was reported go on, too. Clocks of ranks differ: Time is compared
// on rank 0, whose time checkpoints have.
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

// Without a request or an interval nothing is written; a second request while
// there is one changes nothing; one without a directory is told of once.
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

// checkpointsIn are the complete checkpoints in a directory, by name.
func checkpointsIn(t testing.TB, dir string) []string {
	t.Helper()
	all := must.Get(filepath.Glob(filepath.Join(dir, "*", "manifest.json")))(t)
	for i := range all {
		all[i] = filepath.Base(filepath.Dir(all[i]))
	}
	slices.Sort(all)
	return all
}

// changed puts other text into a file.
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
