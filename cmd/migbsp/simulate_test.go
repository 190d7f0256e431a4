package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

const testPlatform = "../../examples/clusters-of-clusters.xml"

func TestSimulate(t *testing.T) {
	code, out, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", "lu:n=200,p=25", "-balance", "percent;auto")
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	must.Have(t, out, "SIMULATED: lu:n=200,p=25 on 174 hosts in 5 Sets; 25 processes, 401 supersteps", " i         off ", " ii        percent ", " iii       auto ")
}

// Without rescheduling there is one scenario.
func TestSimulateWithoutRescheduling(t *testing.T) {
	for _, c := range []struct{ balance, want string }{
		{"off", "i off"}, {"off;percent", "i off ii percent iii percent"},
	} {
		code, out, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", "lu:n=20,p=5", "-balance", c.balance, "-format", "csv")
		lines := must.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)
		var cases []string
		for _, cells := range lines[1:] {
			cases = append(cases, cells[2], cells[3])
		}
		if got := strings.Join(cases, " "); code != 0 || errs != "" || got != c.want {
			t.Errorf("%s: code %d, %s%s, want %s", c.balance, code, errs, got, c.want)
		}
	}
}

// A workload that was written is the same when it is read.
func TestSimulateExported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dp.csv")
	if code, out, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", "dp:n=20", "-mapping", "descending", "-export", file); code != 0 || out+errs != "" {
		t.Fatalf("code %d, %s%s", code, out, errs)
	}
	times := make(map[string]float64)
	for name, workload := range map[string][]string{
		"kind": {"-workload", "dp:n=20", "-mapping", "descending"},
		"file": {"-workload", file},
	} {
		args := append([]string{"simulate", "-platform", testPlatform, "-scenario", "i", "-format", "json"}, workload...)
		code, out, errs := call(t, "", args...)
		var result struct{ Time float64 }
		if err := json.Unmarshal([]byte(out), &result); code != 0 || err != nil || result.Time <= 0 {
			t.Fatalf("%s: code %d, %v, %s%s", name, code, err, out, errs)
		}
		times[name] = result.Time
	}
	if times["kind"] != times["file"] {
		t.Errorf("%v", times)
	}
}

func TestSimulateRefuses(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.xml")
	must.Do(t, os.WriteFile(broken, []byte("<platform version=\"4.1\">\n<zone id=\"z\">\n <peer id=\"p\"/>\n</zone></platform>"), 0o666))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-platform", testPlatform, "-workload", "dp:n=5", "-balance", "off", "-scenario", "ii"}, 2, "with -balance off nothing is decided; expected a strategy"},
		{nil, 2, "is missing: simulate needs a platform and a workload"},
		{[]string{"-platform", "none.xml", "-workload", "dp"}, 1, "none.xml"},
		{[]string{"-platform", broken, "-workload", "dp"}, 1, "broken.xml:3:2: <peer> is not supported here; expected zone, host"},
		{[]string{"-platform", testPlatform, "-workload", "qr"}, 2, `"qr" is no workload; expected lu, dp`},
		{[]string{"-platform", testPlatform, "-workload", "dp", "-balance", "fast"}, 2, "-balance: "},
		{[]string{"-platform", testPlatform, "-workload", "dp", "-barrier-far", "-1"}, 2, "expected numbers from 0 on"},
		{[]string{"-platform", testPlatform, "-workload", "dp", "-possible", "-1"}, 2, "-possible -1: expected a number from 0 on"},
		{[]string{"-platform", testPlatform, "-workload", "dp", "-possible", "9", "-run-dir", dir}, 2, "expected without -run-dir"},
	} {
		code, out, errs := call(t, "", append([]string{"simulate"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: code %d, %q, %q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// What is possible stands below what the scenarios take, in this order.
func TestSimulatePossible(t *testing.T) {
	code, out, errs := call(t, "", "simulate", "-platform", testPlatform, "-workload", "dp:n=20", "-possible", "20", "-format", "json")
	var lines []simulated
	if err := json.Unmarshal([]byte(out), &lines); code != 0 || err != nil || len(lines) != 5 {
		t.Fatalf("code %d, %v, %s%s", code, err, out, errs)
	}
	static, bound := lines[3], lines[4]
	if static.Scenario != "static" || bound.Scenario != "bound" || !(static.Time < lines[0].Time && bound.Time < static.Time && bound.Time < lines[2].Time && bound.Saved > 0) {
		t.Errorf("%+v", lines)
	}
}

// A file may say where processes are at first, whatever the workload.
func TestSimulateMappingFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.csv")
	must.Do(t, os.WriteFile(file, []byte("# all on one host\nmap,0,A1\nmap,1,A1\nmap,2,A1\n"), 0o666))
	args := []string{"simulate", "-platform", testPlatform, "-scenario", "i", "-format", "json", "-mapping-from", file, "-workload"}
	code, out, errs := call(t, "", append(args, "lbm:p=3,steps=10,flops=1e9")...)
	var line simulated
	if err := json.Unmarshal([]byte(out), &line); code != 0 || err != nil || line.Time != 30 || line.Mapping != "file" {
		t.Errorf("code %d, %v, %s%s, want 30 s", code, err, out, errs)
	}
	if code, _, errs := call(t, "", append(args, "lbm:p=4")...); code != 1 || !strings.Contains(errs, "map.csv: 3 processes; workload lbm:p=4 has 4") {
		t.Errorf("code %d, %s", code, errs)
	}
}
