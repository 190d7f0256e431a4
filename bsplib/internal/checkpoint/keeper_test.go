package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// engine simulates the engine: ranks whose processes are the images of processes(), on rank pid
// modulo their number.
type engine struct {
	Settings
	wall                 time.Duration
	requests             []atomic.Int64 // by rank
	tell, logged, warned bytes.Buffer
	keepers              []*Keeper
	stages               int
	broken               func(rank, i int) error // of image i of a rank
}

func newEngine(t *testing.T, ranks int, s Settings) *engine {
	e := &engine{
		Settings: s, requests: make([]atomic.Int64, ranks), keepers: make([]*Keeper, ranks),
		broken: func(int, int) error { return nil },
	}
	for rank, comm := range mpi.InProcess(ranks) {
		s := e.Settings
		s.Caller = &Caller{Program: "program", Procs: "procs", Parameter: "parameter ", NoDirectory: "nowhere to write"}
		s.Procs, s.Comm, s.Host, s.Requests = max(s.Procs, len(processes())), comm, fmt.Sprint("host", rank), &e.requests[rank]
		s.Tell, s.Log, s.Warn = &e.tell, &e.logged, func(line string) { fmt.Fprintln(&e.warned, line) }
		s.Wall = func() time.Duration { return e.wall }
		if s.Elapsed == nil {
			s.Elapsed = s.Wall
		}
		e.keepers[rank] = New(s)
	}
	return e
}

// snapshot returns a rank's data for a checkpoint after the stages so far.
func (e *engine) snapshot(rank int) *Snapshot {
	s := &Snapshot{Superstep: e.stages + 1, Loop: 1, Stage: e.stages}
	var mine []Image
	for _, image := range processes() {
		if image.Pid%len(e.keepers) == rank {
			mine = append(mine, image)
		}
	}
	slices.SortFunc(mine, func(a, b Image) int { return a.Pid - b.Pid })
	if len(mine) > 0 {
		s.Images = func(yield func(Image, error) bool) {
			for i, image := range mine {
				if !yield(image, e.broken(rank, i)) {
					return
				}
			}
		}
	}
	return s
}

// end ends a stage, or a superstep within one. All ranks must agree on whether the run is over. about
// is rank 0's description of the checkpoint.
func (e *engine) end(t *testing.T, stage bool) (over bool, about string) {
	t.Helper()
	e.stages++
	due := false
	for _, k := range e.keepers {
		could := k.CouldBeDue()
		if is := k.Due(stage); is && !could {
			t.Error("due, though it could not be")
		} else {
			due = due || is
		}
	}
	said := make([]bool, len(e.keepers))
	var ranks sync.WaitGroup
	for rank, k := range e.keepers {
		ranks.Go(func() {
			if !k.Wanted(due, stage) {
				return
			}
			is, where, err := k.Take(e.snapshot(rank))
			if err != nil || rank > 0 && where != "" {
				t.Errorf("rank %d: %q, %v", rank, where, err)
			}
			if said[rank] = is; rank == 0 {
				about = where
			}
		})
	}
	ranks.Wait()
	if slices.Contains(said, !said[0]) {
		t.Errorf("the run is over on some ranks: %v", said)
	}
	return said[0], about
}

// Read returns the processes that a Keeper has written on any number of ranks. Of the checkpoints
// that are due after every second stage the last two stay.
func TestTaken(t *testing.T) {
	for _, ranks := range []int{1, 3, 5} {
		dir := t.TempDir()
		e := newEngine(t, ranks, Settings{
			Dir: dir, EveryStages: 2, Parameters: []Parameter{{"n", "6"}}, State: "state", Layout: 77,
			Elapsed: func() time.Duration { return 3 * time.Second },
		})
		e.broken = func(rank, i int) error {
			if rank == 0 && i == 0 {
				e.wall += time.Second // while parts are written the other ranks do not read the clock
			}
			return nil
		}
		for range 7 {
			if over, _ := e.end(t, true); over {
				t.Fatal("nobody asked for an end")
			}
		}
		if got := must.Names(t, dir); len(got) != 2 || !strings.HasSuffix(got[0], "-000002") || !strings.HasSuffix(got[1], "-000003") {
			t.Errorf("%d ranks: %q", ranks, got)
		}
		want := fmt.Sprintf("checkpoints: 3 written in %s, part of unexplained", ledger.Seconds(3*time.Second))
		if got := e.keepers[0].Costs(); len(got) != 1 || got[0] != want {
			t.Errorf("costs %q, want %q", got, want)
		}
		s := must.Get(Find(dir))(t)
		if s.Manifest.Superstep != 7 || s.Manifest.Loop != 1 || s.Manifest.Stage != 6 || s.Manifest.Procs != 4 || s.Manifest.Ranks != ranks || s.Manifest.Run != e.keepers[0].run ||
			s.Earlier() != 3*time.Second || s.Manifest.State != "state" || s.Manifest.Layout != 77 || len(s.Manifest.Parts) != min(ranks, 4) || s.Manifest.Parts[0].Host != "host0" {
			t.Errorf("%d ranks: %+v", ranks, s.Manifest)
		}
		for _, n := range []int{1, 2, 6} {
			mpitest.OnRanks(n)(t, func(comm mpi.Comm) error {
				return readBack(s, func(pid int) bool { return pid%n == comm.Rank() })
			})
		}
	}
}

// A request on one rank is served at the end of the stage, and all ranks end there. Without a
// directory they continue, and the request is answered.
func TestRequested(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, 3, Settings{Dir: dir})
	if over, _ := e.end(t, true); over || len(must.Names(t, dir)) > 0 {
		t.Error("a checkpoint without a request")
	}
	e.requests[2].Add(2)
	for range 2 {
		if over, _ := e.end(t, false); over || len(must.Names(t, dir)) > 0 {
			t.Error("a checkpoint within a stage")
		}
	}
	if want := "program: a checkpoint is written when this stage has ended, and then the run ends\n"; e.logged.String() != want {
		t.Errorf("logged %q, want %q once", &e.logged, want)
	}
	over, about := e.end(t, true)
	got := must.Names(t, dir)
	if !over || len(got) != 1 {
		t.Fatalf("over: %v, there is %q", over, got)
	}
	if want := filepath.Join(dir, got[0]) + " after stage 3 of stage loop 1 (superstep 4): "; !strings.HasPrefix(about, want) {
		t.Errorf("%q, want %q", about, want)
	}
	if over, _ := e.end(t, true); over || len(must.Names(t, dir)) != 1 || e.tell.Len() > 0 {
		t.Errorf("one request is served twice: %s", &e.tell)
	}

	e = newEngine(t, 3, Settings{})
	e.requests[1].Add(1)
	for range 2 {
		e.end(t, true)
	}
	if want := "program: nowhere to write; the run goes on\n"; e.tell.String() != want {
		t.Errorf("told %q, want %q once", &e.tell, want)
	}
}

// With an interval, a checkpoint is due at the first end of a stage after it, and at most one line
// about checkpoints is printed in each LogEvery.
func TestEvery(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, 2, Settings{Dir: dir, Every: time.Minute, LogEvery: 150 * time.Second})
	var taken []int
	for range 24 {
		e.wall += 25 * time.Second
		before, _ := Find(dir)
		e.end(t, e.stages%2 == 0)
		if after, _ := Find(dir); after != nil && (before == nil || after.Manifest.Number != before.Manifest.Number) {
			taken = append(taken, int(e.wall.Seconds()))
		}
	}
	if want := []int{75, 175, 275, 375, 475, 575}; !slices.Equal(taken, want) {
		t.Errorf("taken at %v, want %v", taken, want)
	}
	if got := strings.Count(e.logged.String(), "program: checkpoint "+dir); got != 3 {
		t.Errorf("logged %q", &e.logged)
	}
}

// Of several reports of process 0, from the ranks that have run it, the last is written.
func TestLastReport(t *testing.T) {
	m := new(Manifest)
	for _, r := range []*Report{nil, {Step: 3}, {Step: 9, Result: ledger.Result{Title: "last"}}, nil, {Step: 5}} {
		m.add(&partReport{Report: r})
	}
	if m.Report == nil || m.Report.Result.Title != "last" {
		t.Errorf("%+v", m.Report)
	}
}

// After any failure on any rank the checkpoint is absent with all its files, the one before stays,
// all ranks continue, and rank 0 prints the reason.
func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, e *engine, dir string)
		want   string
	}{
		{"no directory", func(t *testing.T, e *engine, dir string) {
			file := filepath.Join(dir, "file")
			os.WriteFile(file, nil, 0o666)
			e.keepers[0].settings.Dir = filepath.Join(file, "below")
		}, "file: not a directory"},
		{"an image", func(_ *testing.T, e *engine, _ string) {
			e.broken = func(rank, i int) error {
				if rank == 2 && i == 0 {
					return errors.New("cannot be encoded")
				}
				return nil
			}
		}, "rank 2 on host2: cannot be encoded"},
		{"a later image", func(_ *testing.T, e *engine, _ string) {
			e.broken = func(rank, i int) error {
				if rank == 0 && i == 1 {
					return errors.New("cannot be encoded")
				}
				return nil
			}
		}, "rank 0 on host0: cannot be encoded"},
		{"a part", func(t *testing.T, e *engine, dir string) {
			e.keepers[0].settings.Elapsed = func() time.Duration { // is asked for when all parts are on disk
				all, _ := filepath.Glob(filepath.Join(dir, "program-*-00000[2-9]", "rank-00001.part"))
				if len(all) != 1 {
					t.Errorf("rank 1's part: %q", all)
				}
				for _, name := range all {
					os.Remove(name)
				}
				return 0
			}
		}, "rank 0 on host0: what rank 1 on host1 has written is not here, expected a directory that all hosts share: "},
		{"a process", func(_ *testing.T, e *engine, _ string) { e.keepers[0].settings.Procs = 5 }, "rank 0 on host0: parts have 4 processes, expected 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			e := newEngine(t, 3, Settings{Dir: dir, EveryStages: 1})
			e.end(t, true)
			before := must.Get(Find(dir))(t)
			c.change(t, e, dir)
			for range 5 {
				if over, _ := e.end(t, true); over {
					t.Error("the run is over")
				}
			}
			if strings.Count(e.tell.String(), c.want) != 3 || strings.Count(e.tell.String(), "program: warning: no checkpoint: ") != 3 || strings.Count(e.tell.String(), "; the run goes on\n") != 3 ||
				strings.ReplaceAll(e.tell.String(), "program: ", "") != e.warned.String() {
				t.Errorf("after failures 1, 2 and 4 it says %q, to the account %q, want %s", &e.tell, &e.warned, c.want)
			}
			e.requests[1].Add(1)
			if over, _ := e.end(t, true); over || !strings.HasSuffix(e.tell.String(), "; the run goes on, though it was asked to end\n") {
				t.Errorf("asked to end: over is %v, it says %q", over, &e.tell)
			}
			after, err := Find(dir)
			if err != nil || after.Manifest.ID != before.Manifest.ID || len(must.Names(t, after.Path)) != 4 {
				t.Fatalf("%v stood there, now there is %v, %v", before, after, err)
			}
			if err := readBack(after, all); err != nil {
				t.Error(err)
			}
			if got := slices.DeleteFunc(must.Names(t, dir), func(name string) bool { return name == "file" }); len(got) != 1 {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

// A run goes back to the newest older checkpoint that fits it, and then to no other.
func TestGoBack(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, 1, Settings{Dir: dir, EveryStages: 1, State: "state"})
	for range 2 {
		e.end(t, true)
	}
	newest := must.Get(Find(dir))(t)
	first := newest.Before()
	for number, procs := range map[int]int{3: len(processes()), 4: 1} {
		path := filepath.Join(dir, nameOf("program", newest.Manifest.Run, number))
		small(t, path, newest.Manifest.Run, number, time.Now()) // has one process
		if procs > 1 {
			must.Do(t, os.RemoveAll(path))
			must.Do(t, os.CopyFS(path, os.DirFS(newest.Path)))
		}
	}
	from := must.Get(load(filepath.Join(dir, nameOf("program", newest.Manifest.Run, 4))))(t)
	k := newEngine(t, 1, Settings{From: from, State: "state"}).keepers[0]
	for _, want := range []*Source{newest, first, nil} {
		got, err := k.GoBack("it is damaged")
		if err != nil || (got == nil) != (want == nil) || got != nil && got.Path != want.Path {
			t.Errorf("back to %v, %v, want %v", got, err, want)
		}
	}
}
