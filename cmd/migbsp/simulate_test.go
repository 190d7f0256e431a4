package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const testPlatform = "../../examples/clusters-of-clusters.xml"

func TestSimulate(t *testing.T) {
	must.Have(t, prints(t, "simulate", "-platform", testPlatform, "-workload", "lu:n=200,p=25", "-balance", "percent;auto"),
		"SIMULATED: lu:n=200,p=25 on 174 hosts in 5 Sets; 25 processes, 401 supersteps", " i         off ", " ii        percent ", " iii       auto ")
}

// Without rescheduling only one scenario is simulated.
func TestSimulateWithoutRescheduling(t *testing.T) {
	for _, c := range []struct{ balance, want string }{
		{"off", "i off"}, {"off;percent", "i off ii percent iii percent"},
	} {
		out := prints(t, "simulate", "-platform", testPlatform, "-workload", "lu:n=20,p=5", "-balance", c.balance, "-format", "csv")
		lines := must.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)
		var cases []string
		for _, cells := range lines[1:] {
			cases = append(cases, cells[2], cells[3])
		}
		if got := strings.Join(cases, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.balance, got, c.want)
		}
	}
}

// A workload that was written is the same when it is read.
func TestSimulateExported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dp.csv")
	if out := prints(t, "simulate", "-platform", testPlatform, "-workload", "dp:n=20", "-mapping", "descending", "-export", file); out != "" {
		t.Error(out)
	}
	kind := inJSON[simulated](t, "simulate", "-platform", testPlatform, "-scenario", "i", "-workload", "dp:n=20", "-mapping", "descending")
	read := inJSON[simulated](t, "simulate", "-platform", testPlatform, "-scenario", "i", "-workload", file)
	if kind.Time != read.Time || kind.Time <= 0 {
		t.Errorf("%g s, of the file %g s", kind.Time, read.Time)
	}
}

func TestSimulateRefuses(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.xml")
	must.Do(t, os.WriteFile(broken, []byte("<platform version=\"4.1\">\n<zone id=\"z\">\n <peer id=\"p\"/>\n</zone></platform>"), 0o666))
	refuses(t, "simulate", []refusal{
		{"", 2, "is missing: simulate needs a platform and a workload"},
		{"-platform none.xml -workload dp", 1, "none.xml"},
		{"-platform " + broken + " -workload dp", 1, "broken.xml:3:2: <peer> is not supported here; expected zone, host"},
	})
	refuses(t, "simulate -platform "+testPlatform, []refusal{
		{"-workload dp:n=5 -balance off -scenario ii", 2, "with -balance off nothing is decided; expected a strategy"},
		{"-workload qr", 2, `"qr" is no workload; expected lu, dp`},
		{"-workload dp -balance fast", 2, "-balance: "},
		{"-workload dp -barrier-far -1", 2, "expected numbers from 0 on"},
		{"-workload dp -possible -1", 2, "-possible -1: expected a number from 0 on"},
		{"-workload dp -possible 9 -run-dir " + dir, 2, "expected without -run-dir"},
	})
}

// The possible times follow the times of the scenarios, in this order.
func TestSimulatePossible(t *testing.T) {
	lines := inJSON[[]simulated](t, "simulate", "-platform", testPlatform, "-workload", "dp:n=20", "-possible", "20")
	if len(lines) != 5 {
		t.Fatalf("%+v", lines)
	}
	static, bound := lines[3], lines[4]
	if static.Scenario != "static" || bound.Scenario != "bound" || !(static.Time < lines[0].Time && bound.Time < static.Time && bound.Time < lines[2].Time && bound.Saved > 0) {
		t.Errorf("%+v", lines)
	}
}

// A file may set the initial hosts of processes, for any workload.
func TestSimulateMappingFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.csv")
	must.Do(t, os.WriteFile(file, []byte("# all on one host\nmap,0,A1\nmap,1,A1\nmap,2,A1\n"), 0o666))
	args := "simulate -platform " + testPlatform + " -scenario i -mapping-from " + file + " -workload "
	if line := inJSON[simulated](t, strings.Fields(args+"lbm:p=3,steps=10,flops=1e9")...); line.Time != 30 || line.Mapping != "file" {
		t.Errorf("%+v, want 30 s", line)
	}
	refuses(t, args, []refusal{{"lbm:p=4", 1, "map.csv: 3 processes; workload lbm:p=4 has 4"}})
}
