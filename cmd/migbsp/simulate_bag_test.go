package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

const testGrid = "../../examples/grid90.xml"

func TestSimulateBag(t *testing.T) {
	code, out, errs := call(t, "", "simulate", "-platform", testGrid, "-workload", "bag:n=500,flops=5e8,kb=1", "-policy", "all")
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	must.Have(t, out,
		"SIMULATED: bag:n=500,flops=5e8,kb=1, 89 workers, 90 hosts in 1 Sets; the master sends one chunk after the other.",
		" workqueue ", " static ", " gss ", " factoring ", " lds,beta=5 ", " lds ", " auto ", " bound ",
	)
	code, out, errs = call(t, "", "simulate", "-platform", testGrid, "-workload", "bag:n=100|200,workers=3", "-policy", "gss;auto", "-sends", "parallel", "-mapping", "descending", "-format", "json")
	var lines []struct {
		Policy            string
		Time, Bound, Over float64
		Workers           []struct {
			Host          string
			Chunks, Tasks int
			Busy, Idle    float64
		}
	}
	if err := json.Unmarshal([]byte(out), &lines); code != 0 || err != nil || len(lines) != 4 {
		t.Fatalf("code %d, %v, %s%s", code, err, out, errs)
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

// A bag's record is one that report reads, with a row for each worker.
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
	code, out, errs = call(t, "", "report", filepath.Join(dir, "auto"))
	if code != 0 {
		t.Fatalf("code %d, %s%s", code, out, errs)
	}
	page, err := os.ReadFile(filepath.Join(dir, "auto", "report.html"))
	if err != nil || !strings.Contains(string(page), "Workers") || !strings.Contains(string(page), "idle at the end s") {
		t.Errorf("%v: the page has no table of workers", err)
	}
	if code, _, errs = call(t, "", bags...); code != 2 || !strings.Contains(errs, "has the record of a run already") {
		t.Errorf("a second time: code %d, %s", code, errs)
	}
}

func TestSimulateBagRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-workload bag:n=0", "n=0: expected a whole number from 1"},
		{"-workload bag -policy fifo", `-policy: there is no policy "fifo"; there are workqueue`},
		{"-workload bag -policy workqueue,k=0", "k=0: expected a whole number from 1"},
		{"-workload bag -policy lds,beta=0", "beta=0: expected a number"},
		{"-workload bag -balance auto", "-balance is for programs, not for a bag of tasks"},
		{"-workload dp:n=5 -policy gss", "-policy is for bags: -workload bag:n=10000"},
		{"-workload bag -master nobody", "-master nobody: "},
		{"-workload bag:workers=100", "workers=100: the platform has 89 cores beside the master's host"},
		{"-workload bag -mapping cpu", "mapping cpu puts several processes on a core"},
	} {
		args := append([]string{"simulate", "-platform", testGrid}, strings.Fields(c.args)...)
		if code, out, errs := call(t, "", args...); code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %s%s, want %s", c.args, code, out, errs, c.want)
		}
	}
	if code, out, _ := call(t, "", "simulate", "-policy", "help"); code != 0 || !strings.Contains(out, "factoring") {
		t.Errorf("code %d, %s", code, out)
	}
}
