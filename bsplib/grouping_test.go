package bsplib_test

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// grouped runs a program as MPI does, each rank by itself, all on host "here",
// and returns the account that rank 0 has kept, what each rank's run gave, and
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
