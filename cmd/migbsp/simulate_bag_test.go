package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

const testGrid = "../../examples/grid90.xml"

func TestSimulateBag(t *testing.T) {
	must.Have(t, prints(t, "simulate", "-platform", testGrid, "-workload", "bag:n=500,flops=5e8,kb=1", "-policy", "all"),
		"SIMULATED: bag:n=500,flops=5e8,kb=1, 89 workers, 90 hosts in 1 Sets; the master sends one chunk after the other.",
		" workqueue ", " static ", " gss ", " factoring ", " lds,beta=5 ", " lds ", " auto ", " bound ",
	)
	lines := inJSON[[]struct {
		Policy            string
		Time, Bound, Over float64
		Workers           []struct {
			Host          string
			Chunks, Tasks int
			Busy, Idle    float64
		}
	}](t, "simulate", "-platform", testGrid, "-workload", "bag:n=100|200,workers=3", "-policy", "gss;auto", "-sends", "parallel", "-mapping", "descending")
	if len(lines) != 4 {
		t.Fatalf("%+v", lines)
	}
	for i, l := range lines {
		tasks := 0
		for _, w := range l.Workers {
			tasks += w.Tasks
		}
		if want := 100 * (1 + i/2); tasks < want || l.Policy == "gss" && tasks != want || len(l.Workers) != 3 || !(l.Time > l.Bound) || l.Workers[0].Host != "w22" {
			t.Errorf("%+v", l)
		}
	}
}

// report reads a bag's record, which has a row for each worker.
func TestSimulateBagRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	bags := []string{"simulate", "-platform", "../../examples/grid5000.xml", "-workload", "bag:n=300,flops=1e9", "-policy", "factoring;auto", "-managers", "-workers", "-run-dir", dir}
	code, out, errs := call(t, "", bags...)
	if code != 0 || !strings.Contains(out, "idle at the end s") || !strings.Contains(out, " records: "+filepath.Join(dir, "factoring")) {
		t.Fatalf("code %d, %s%s", code, out, errs)
	}
	for _, name := range []string{"factoring", "auto"} {
		h, err := ledger.Read(filepath.Join(dir, name))
		if err != nil || len(h.Problems) > 0 || h.Account.Run().Clock() != "SIMULATED" || len(h.Account.Result.Tables) != 1 || len(h.Account.Result.Tables[0].Rows) != len(h.Account.Run().Ranks) {
			t.Errorf("%s: %v, %+v", name, err, h)
		}
	}
	call(t, "", "report", filepath.Join(dir, "auto"))
	page, err := os.ReadFile(filepath.Join(dir, "auto", "report.html"))
	if err != nil || !strings.Contains(string(page), "Workers") || !strings.Contains(string(page), "idle at the end s") {
		t.Errorf("%v: the page has no table of workers", err)
	}
	if code, _, errs = call(t, "", bags...); code != 2 || !strings.Contains(errs, "has the record of a run already") {
		t.Errorf("a second time: code %d, %s", code, errs)
	}
}

func TestSimulateBagRefuses(t *testing.T) {
	refuses(t, "simulate -platform "+testGrid, []refusal{
		{"-workload bag:n=0", 2, "n=0: expected a whole number from 1"},
		{"-workload bag -policy fifo", 2, `-policy: there is no policy "fifo"; there are workqueue`},
		{"-workload bag -policy workqueue,k=0", 2, "k=0: expected a whole number from 1"},
		{"-workload bag -policy lds,beta=0", 2, "beta=0: expected a number"},
		{"-workload bag -balance auto", 2, "-balance is for programs, not for a bag of tasks"},
		{"-workload dp:n=5 -policy gss", 2, "-policy is for bags: -workload bag:n=10000"},
		{"-workload bag -master nobody", 2, "-master nobody: "},
		{"-workload bag:workers=100", 2, "workers=100: the platform has 89 cores beside the master's host"},
		{"-workload bag -mapping cpu", 2, "mapping cpu puts several processes on a core"},
	})
	must.Have(t, prints(t, "simulate", "-policy", "help"), "factoring")
}
