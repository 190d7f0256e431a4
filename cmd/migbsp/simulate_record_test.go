package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// Each case has its record, the table has its directory, and report reads it.
func TestSimulateWithRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	simulate := "simulate -platform " + testPlatform + " -workload dp:n=20 -balance percent;auto,guard=0 -run-dir " + dir
	out := prints(t, strings.Fields(simulate)...)
	var dirs []string
	for _, name := range []string{"i-off", "ii-percent", "iii-percent", "ii-auto_guard=0", "iii-auto_guard=0"} {
		dirs = append(dirs, filepath.Join(dir, name))
		h, err := ledger.Read(filepath.Join(dir, name))
		if err != nil || len(h.Problems) > 0 || h.Account.Run().Clock() != "SIMULATED" {
			t.Errorf("%s: %v, %+v", name, err, h)
		}
	}
	must.Have(t, out, " records: "+strings.Join(dirs, ", "))
	must.Have(t, prints(t, "report", dirs[0], dirs[2]), "comparison.html", "(SIMULATED)")
	must.Have(t, prints(t, "trace", dirs[2]), "SIMULATED on clusters-of-clusters.xml")
	refuses(t, simulate, []refusal{{"", 2, "has the record of a run already"}})
	// One case has the directory for itself, and can be simulated again.
	one := filepath.Join(t.TempDir(), "one")
	code, out, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", "dp:n=20", "-scenario", "i", "-run-dir", one, "-format", "json")
	var first simulated
	if err := json.Unmarshal([]byte(out), &first); code != 0 || err != nil || !strings.Contains(errs, " record: "+filepath.Join(one, "run.jsonl")+" (migbsp report "+one+")") {
		t.Errorf("code %d, %v, %s%s", code, err, out, errs)
	}
	for _, path := range []string{one, filepath.Join(one, "run.jsonl")} {
		again := inJSON[simulated](t, "simulate", "-platform", testPlatform, "-workload", path, "-scenario", "i")
		if again.Time < first.Time*(1-1e-8) || again.Time > first.Time*(1+1e-8) {
			t.Errorf("%g s, then %g s", first.Time, again.Time)
		}
	}
}

// The simulation of a recorded run on other hosts begins like a run there: in blocks, on one rank
// for each slot.
func TestSimulateElsewhereAsARun(t *testing.T) {
	dir := t.TempDir()
	record, one, other := filepath.Join(dir, "r"), filepath.Join(dir, "one.hosts"), filepath.Join(dir, "other.hosts")
	// The work of process i is i, so that where each is decides about the time.
	load := filepath.Join(dir, "load.csv")
	text := ""
	for pid := range 8 {
		text += fmt.Sprintf("work,1,%d,%d000000000\n", pid, pid+1)
	}
	for name, text := range map[string]string{load: text, one: "#@set s speed=1\na slots=4\nb slots=4\n", other: "#@set s speed=1\nc slots=1\nd slots=3\n"} {
		writeFile(t, name, text)
	}
	call(t, "", "simulate", "-platform", one, "-workload", load, "-scenario", "i", "-run-dir", record)
	var blocks, got simulated
	for into, args := range map[*simulated]string{&blocks: load + " -mapping blocks", &got: record} {
		code, out, errs := call(t, "", strings.Fields("simulate -platform "+other+" -scenario i -format json -workload "+args)...)
		if err := json.Unmarshal([]byte(out), into); code != 0 || err != nil {
			t.Fatalf("%v: code %d, %v, %s%s", args, code, err, out, errs)
		}
	}
	if blocks.Time == 0 || math.Abs(got.Time/blocks.Time-1) > 1e-9 {
		t.Errorf("%g s, where a run would begin %g s", got.Time, blocks.Time)
	}
}

// A platform without the hosts of a record has its processes all the same.
func TestSimulateElsewhere(t *testing.T) {
	dir := t.TempDir()
	call(t, "", "simulate", "-platform", "../../examples/two-sets.hosts", "-workload", "lbm:p=16", "-scenario", "i", "-run-dir", dir)
	for args, want := range map[string]string{
		"":                     "note: " + dir + `: process 0 is on host "fast1", which the platform does not have; its processes begin where those of a run there would`,
		"-mapping descending":  "",
		"-reference 2e9":       "note: ",
		"-reference 0":         "-reference 0: expected a number above 0",
		"-export x -run-dir y": "-run-dir: -export simulates nothing",
	} {
		code, out, errs := call(t, "", append([]string{"simulate", "-platform", testPlatform, "-workload", dir, "-scenario", "i"}, strings.Fields(args)...)...)
		if refused := strings.HasPrefix(want, "-"); refused != (code == 2) || !strings.Contains(errs, want) || want == "" && errs != "" || !refused && !strings.Contains(out, "16 processes, 100 supersteps") {
			t.Errorf("%s: code %d, %s%s", args, code, out, errs)
		}
	}
	old := filepath.Join(dir, "old.jsonl")
	text := must.Get(os.ReadFile(filepath.Join(dir, "run.jsonl")))(t)
	text = regexp.MustCompile(`(?m)^\{"type":"workload".*\n`).ReplaceAll(text, nil)
	must.Do(t, os.WriteFile(old, text, 0o666))
	code, _, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", old)
	if code != 1 || !strings.Contains(errs, `old.jsonl:1:1: the record has no lines of type "workload"`) || !strings.Contains(errs, "-run-dir DIR") {
		t.Errorf("code %d, %s", code, errs)
	}
}

func TestSafeNames(t *testing.T) {
	for name, want := range map[string]string{
		"iii-auto": "iii-auto", "../a/b": "a_b", "lu:n=5,p=6-i-off": "lu_n=5_p=6-i-off", "-x": "x", "é": "",
		strings.Repeat("a", 200) + "-i-off": strings.Repeat("a", 114) + "-i-off",
	} {
		if got := safe(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
