package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// drained is a run that lasts until it is asked to drain the expected hosts.
type drained struct {
	pretended
	told  chan []drain.Host
	waits func(told func() []drain.Host)
}

func (d *drained) Drain(hosts []drain.Host) { d.told <- hosts }

func (d *drained) Run(plan *app.Plan, alarm func(*failure.Error)) (*failure.Error, bool) {
	if plan.Account != nil {
		run := *plan.Account.Run()
		run.Procs, run.Ranks, run.Mapping = plan.Procs, []ledger.Rank{{Host: "n1"}, {Host: "n2"}}, ledger.Mapping{{0, plan.Procs}}
		run.Sets, run.Links = make([]ledger.Set, 1), [][]ledger.Link{{{}}}
		plan.Account.Enter(&run)
	}
	d.waits(func() []drain.Host { return <-d.told })
	return nil, false
}

// The run follows the files in its control directory as they are created and removed, and the record
// contains each request.
func TestHostsAreDrainedByFiles(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	file := func(host string) string { return filepath.Join("run", drain.Dir, host) }
	run := &drained{told: make(chan []drain.Host, 10)}
	run.waits = func(told func() []drain.Host) {
		os.Mkdir(file(""), 0o777)
		os.WriteFile(file("n2"), nil, 0o666)
		if got := told(); !slices.Equal(got, []drain.Host{{Host: "n2"}}) {
			t.Errorf("%v", got)
		}
		os.WriteFile(file("nowhere"), nil, 0o666)
		told()
		os.Remove(file("nowhere"))
		told()
		os.Remove(file("n2"))
		if got := told(); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
	if code := app.Start(new(app.Program), run, "-run-dir", "run", "-quiet", "-procs", "2"); code != app.ExitOK {
		t.Errorf("code %d", code)
	}
	h := must.Get(ledger.Read("run"))(t)
	var got []string
	for _, d := range h.Drains {
		got = append(got, fmt.Sprint(&d))
	}
	want := []string{
		"n2 is drained when this stage has ended", "nowhere is not drained: the run is not on this host",
		"nowhere is not used again: the run is not on this host", "n2 is used again when this stage has ended",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A host that was drained before a loss stays drained in the next part, with a line about it. A host
// that the next part does not use is left out. The request can be taken back.
func TestDrainsHoldAfterALoss(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	must.Do(t, os.MkdirAll("before", 0o700))
	for _, host := range []string{"n2", "gone"} {
		must.Do(t, drain.Ask("before", host, false))
	}
	before := must.Get(filepath.Abs("before"))(t)
	must.Do(t, loss.Add(loss.Name, loss.Loss{Start: "a", Record: before, Hosts: []loss.Host{{Name: "gone", Ranks: []int{0}, Gone: true}}}))
	t.Setenv(loss.SurviveVariable, must.Get(os.Getwd())(t))
	run := &drained{told: make(chan []drain.Host, 10)}
	run.waits = func(told func() []drain.Host) {
		if got := told(); !slices.Equal(got, []drain.Host{{Host: "n2"}}) {
			t.Errorf("%v", got)
		}
		must.Do(t, drain.Ask("run", "n2", true))
		if got := told(); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
	said := app.Printed(t, &os.Stderr, func() {
		if code := app.Start(new(app.Program), run, "-run-dir", "run", "-procs", "2", "-table", "none"); code != app.ExitOK {
			t.Errorf("code %d", code)
		}
	})
	if strings.Count(said, "drained hosts stay drained: n2\n") != 1 {
		t.Errorf("it says %q", said)
	}
}

// The run queries Slurm only if a setting requests it.
func TestHostsAreDrainedBySlurm(t *testing.T) {
	bsptest.InProcess(t)
	bin, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Chdir(dir)
	script := "#!/bin/sh\necho asked $* >> " + filepath.Join(dir, "asked") + "\necho n2\necho n1 >&2\necho n2\necho other7\n"
	must.Do(t, os.WriteFile(filepath.Join(bin, "sinfo"), []byte(script), 0o755))
	run := &drained{told: make(chan []drain.Host, 10), waits: func(func() []drain.Host) {}}
	app.Start(new(app.Program), run, "-run-dir", "without", "-quiet", "-procs", "2")
	if _, err := os.Stat("asked"); err == nil || len(run.told) > 0 {
		t.Error("Slurm was asked though nobody wanted it")
	}
	run.waits = func(told func() []drain.Host) {
		if got, want := told(), []drain.Host{{Host: "n2", By: "Slurm"}, {Host: "other7", By: "Slurm"}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if code := app.Start(new(app.Program), run, "-run-dir", "run", "-quiet", "-procs", "2", "-leave-drained", "1h"); code != app.ExitOK {
		t.Errorf("code %d", code)
	}
	if text, _ := os.ReadFile("asked"); strings.Count(string(text), "asked") != 1 {
		t.Errorf("asked: %q", text)
	}
	h, err := ledger.Read("run")
	if err != nil || len(h.Drains) != 1 || h.Drains[0].Host != "n2" || h.Drains[0].By != "Slurm" {
		t.Errorf("%v, %v", h.Drains, err)
	}
	for _, wrong := range []string{"1s", "often", "-1m"} {
		if code := app.Start(new(app.Program), run, "-quiet", "-leave-drained", wrong); code != app.ExitUsage {
			t.Errorf("-leave-drained %s: code %d", wrong, code)
		}
	}
}
