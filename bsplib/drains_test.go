package bsplib_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// Hosts drained from outside the program are empty from the end of the stage on, until they are
// left out again, on emulated platforms and on real ones, where ranks leave. A drain of all
// hosts is refused. The record has all of it.
func TestDrainsFromOutside(t *testing.T) {
	bsptest.InProcess(t)
	const real = "#@set one\na slots=2\nb slots=1\n#@set two\nc slots=2\n"
	emulated := strings.NewReplacer("#@set one", "#@set one speed=1", "#@set two", "#@set two speed=0.5").Replace(real)
	for name, hosts := range map[string]string{"real": real, "emulated": emulated} {
		for _, strategy := range []string{"auto", "percent,guard=0,alpha=1", "off"} {
			t.Run(name+" "+strategy, func(t *testing.T) {
				drains := new(bsplib.Drains)
				set := map[int][]string{2: {"a"}, 4: {"a", "c"}, 6: {"a", "b", "c"}, 8: {"c", "elsewhere"}, 10: nil}
				var empty []string // after each stage, if it was allowed
				cfg := bsplib.Config{Procs: 7, Platform: platform(t, hosts), Balance: balance(t, strategy), Drains: drains}
				if name == "emulated" {
					cfg = cfg.WithWork(milliseconds(5))
				}
				h := recorded(t, cfg, func(b *bsplib.Proc, s *visits) error {
					for k := range b.Stages(14) {
						if slices.Contains(empty, b.Runtime().Host(b.Rank())) {
							return fmt.Errorf("stage %d: process %d is on host %s", k, b.Pid(), b.Runtime().Host(b.Rank()))
						}
						b.Sync()
						if wanted, is := set[k]; is && b.Pid() == 3 {
							var all []bsplib.DrainedHost
							for _, host := range wanted {
								all = append(all, bsplib.DrainedHost{Host: host, By: "its owner"})
							}
							drains.Set(all...)
							if len(wanted) < 3 {
								empty = wanted
							}
						}
						b.Sync()
					}
					return nil
				})
				var answers []string
				for _, d := range h.Drains {
					d.Step, d.At, d.Left = 0, 0, min(1, d.Left)
					answers = append(answers, d.String())
				}
				want := []string{
					"a is drained by its owner after superstep 0: 1 process left", "c is drained by its owner after superstep 0: 1 process left",
					"b is not drained: no host would be left to the run",
					"a may be used again after superstep 0", "c may be used again after superstep 0",
				}
				if !slices.Equal(answers, want) {
					t.Errorf("%q\nwant %q", answers, want)
				}
				if len(h.Account.Drained()) != 0 {
					t.Errorf("drained at the end: %v", h.Account.Drained())
				}
			})
		}
	}
}

// A drain by the program takes precedence over drains from outside.
func TestDrainsGiveWayToTheProgram(t *testing.T) {
	bsptest.InProcess(t)
	drains := new(bsplib.Drains)
	drains.Set(bsplib.DrainedHost{Host: "a"})
	cfg := bsplib.Config{Procs: 4, Platform: platform(t, "a slots=1\nb slots=1\n"), Drains: drains}
	h := recorded(t, cfg, func(b *bsplib.Proc, s *visits) error {
		for k := range b.Stages(6) {
			switch want := map[bool]string{true: "b", false: "a"}[k <= 3]; {
			case k > 0 && b.Runtime().Host(b.Rank()) != want:
				return fmt.Errorf("stage %d: process %d is on host %s", k, b.Pid(), b.Runtime().Host(b.Rank()))
			case k == 3:
				b.Runtime().Drain(1)
			}
		}
		return nil
	})
	if n := len(h.Drains); n != 2 || h.Drains[0].Undo || !h.Drains[1].Undo {
		t.Errorf("%v", h.Drains)
	}
}

// A process that cannot leave stays, and the record has the reason.
func TestDrainsLeaveWhatIsPinned(t *testing.T) {
	bsptest.InProcess(t)
	drains := new(bsplib.Drains)
	drains.Set(bsplib.DrainedHost{Host: "a"})
	cfg := bsplib.Config{Procs: 4, Platform: platform(t, "a slots=1\nb slots=1\n"), Drains: drains}
	h := recorded(t, cfg, func(b *bsplib.Proc, s *visits) error {
		if b.Pid() == 0 {
			b.Runtime().Pin()
		}
		for range b.Stages(3) {
		}
		return nil
	})
	if len(h.Drains) != 1 || h.Drains[0].Left != 1 || h.Drains[0].Stay != 1 || !strings.Contains(h.Drains[0].Why, "pinned") {
		t.Errorf("%v", h.Drains)
	}
}

// Rank 0's drains reach the other ranks once, also while it has no processes.
func TestDrainsWhileRank0IsAway(t *testing.T) {
	bsptest.InProcess(t)
	t.Setenv("SLURMD_NODENAME", "here")
	defer bsplib.RollCallEvery(5 * time.Millisecond)()
	var written record
	book := &ledger.Account{Recorder: ledger.NewRecorder(&written, func(err error) { t.Error(err) })}
	var drains [3]bsplib.Drains
	mpitest.OnRanks(3)(t, func(comm mpi.Comm) error {
		cfg := bsplib.Config{Procs: 2, Comm: comm, Measure: true, Drains: &drains[comm.Rank()], Checkpoint: new(bsplib.Checkpoint)}
		if comm.Rank() == 0 {
			cfg.Account = book
		}
		return bsplib.Run(cfg, func(b *bsplib.Proc, _ *struct{}) error {
			for k := range b.Stages(400) {
				if k == 0 {
					b.Migrate(bsplib.OnRank(1))
				}
				if k == 1 && b.Pid() == 0 {
					drains[0].Set(bsplib.DrainedHost{Host: "here"})
				}
				time.Sleep(50 * time.Microsecond)
			}
			return nil
		})
	})
	book.Recorder.Close(&ledger.End{}, nil)
	if text := written.String(); strings.Count(text, `"state":"refused"`) != 1 || strings.Count(text, `"type":"balance"`) > 3 {
		t.Errorf("%s", text)
	}
}

// grouped runs a program as MPI does, each rank by itself, all on host "here",
// and returns the account of rank 0, the error of each rank's run, and
// warnings.
func grouped(t *testing.T, cfg bsplib.Config) (*ledger.Account, []error, string) {
	t.Helper()
	t.Setenv("SLURMD_NODENAME", "here")
	var written record
	book := &ledger.Account{Recorder: ledger.NewRecorder(&written, func(err error) { t.Error(err) })}
	failures := make([]error, 3)
	mpitest.OnRanks(len(failures))(t, func(comm mpi.Comm) error {
		own := cfg
		own.Comm, own.Measure = comm, true
		if comm.Rank() == 0 {
			own.Account = book
		}
		failures[comm.Rank()] = bsplib.Run(own, func(b *bsplib.Proc, _ *struct{}) error { b.Sync(); return nil })
		return nil
	})
	if err := book.Recorder.Close(&ledger.End{}, nil); err != nil {
		t.Error(err)
	}
	warnings := ""
	for line := range strings.Lines(written.String()) {
		if strings.Contains(line, `"type":"warning"`) {
			warnings += line
		}
	}
	return book, failures, warnings
}

func setsOf(t *testing.T, text string) *hostfile.File {
	t.Helper()
	return must.Get(hostfile.ParseSets("-sets", text))(t)
}

func TestAnMPIRunSaysWhoSaysWhichSetsThereAre(t *testing.T) {
	for _, c := range []struct {
		name, environment string
		cfg               bsplib.Config
		set, from         string
		warnings          string
	}{
		{"nobody", "", bsplib.Config{}, "default", "one Set for all hosts", ""},
		{"the environment", "near=here", bsplib.Config{}, "near", "MIGBSP_SETS", ""},
		{"a hosts file", "near=here", bsplib.Config{Platform: platform(t, "#@set mine\nhere slots=3\n")}, "mine", "#@set lines of test.hosts", ""},
		{"-sets", "near=here", bsplib.Config{Sets: setsOf(t, "far=here")}, "far", "-sets", ""},
		{"a host that no Set has", "", bsplib.Config{Sets: setsOf(t, "far=there")}, "default", "-sets", "here"},
		{"more ranks than slots", "", bsplib.Config{Platform: platform(t, "#@set mine\nhere slots=2\n")}, "mine", "#@set lines", "slots"},
	} {
		t.Setenv("MIGBSP_SETS", c.environment)
		book, failures, warnings := grouped(t, c.cfg)
		for rank, err := range failures {
			if err != nil {
				t.Fatalf("%s: rank %d: %v", c.name, rank, err)
			}
		}
		run := *book.Run()
		if len(run.Sets) != 1 || run.Sets[0].Name != c.set || !strings.HasPrefix(run.SetsFrom, c.from) {
			t.Errorf("%s: Sets %+v from %q, want %s from %q", c.name, run.Sets, run.SetsFrom, c.set, c.from)
		}
		if (warnings == "") != (c.warnings == "") || !strings.Contains(warnings, c.warnings) {
			t.Errorf("%s: warnings %q, want %q in them", c.name, warnings, c.warnings)
		}
	}
}

func TestSetsThatCannotBeReadEndTheRunOnAllRanks(t *testing.T) {
	t.Setenv("MIGBSP_SETS", "a=here[")
	_, failures, _ := grouped(t, bsplib.Config{})
	for rank, err := range failures {
		if err == nil || !strings.Contains(err.Error(), "MIGBSP_SETS:1:7: ") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
