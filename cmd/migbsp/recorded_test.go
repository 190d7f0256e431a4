package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// A user's steps with recorded runs.
func TestRecordedRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	bin, work := testrun.Build(t, "", "./cmd/migbsp", "./apps/lu"), t.TempDir()
	const platform = "../../examples/two-sets.hosts"
	run, off := filepath.Join(work, "run"), filepath.Join(work, "off")
	for dir, balance := range map[string]string{run: "auto,guard=0", off: "off"} {
		testrun.Line(filepath.Join(bin, "lu"), "-n 1200 -procs 16 -start blocks -hosts "+platform+" -balance "+balance+" -run-dir "+dir).Must(t)
	}
	contains(t, filepath.Join(run, "run.jsonl"), `"migration"`)

	tool := func(t *testing.T, arguments ...string) (out string) {
		t.Helper()
		return testrun.Command{Words: append([]string{filepath.Join(bin, "migbsp")}, arguments...)}.Must(t)
	}
	t.Run("report", func(t *testing.T) {
		tool(t, "report", run)
		contains(t, filepath.Join(run, "report.html"), "</html>")
	})
	t.Run("report of two", func(t *testing.T) {
		page := filepath.Join(work, "compared.html")
		tool(t, "report", run, off, "-o", page)
		contains(t, page, "</html>")
	})
	t.Run("report in JSON", func(t *testing.T) {
		if out := tool(t, "report", run, "-format", "json"); !json.Valid([]byte(out)) {
			t.Errorf("not JSON:\n%s", out)
		}
	})
	t.Run("trace", func(t *testing.T) {
		tool(t, "trace", run)
		file := must.Get(os.Open(filepath.Join(run, "trace.json.gz")))(t)
		defer file.Close()
		unpacked := must.Get(gzip.NewReader(file))(t)
		if text, err := io.ReadAll(unpacked); err != nil || !json.Valid(text) {
			t.Errorf("the trace has %d bytes, %v", len(text), err)
		}
	})
	t.Run("replay", func(t *testing.T) {
		if out := tool(t, "replay", run); !strings.Contains(out, "same") {
			t.Errorf("it decides\n%s", out)
		}
		var calls []struct {
			Was, Is []struct{ Pid int }
			Same    bool
		}
		must.Do(t, json.Unmarshal([]byte(tool(t, "replay", run, "-balance", "auto,moves=0", "-format", "json")), &calls))
		moved := 0
		for _, c := range calls {
			moved += len(c.Was)
			if len(c.Is) > 0 || c.Same != (len(c.Was) == 0) {
				t.Errorf("with moves=0 %+v", c)
			}
		}
		if moved == 0 {
			t.Error("the run has moved nothing")
		}
		testrun.Line(filepath.Join(bin, "migbsp"), "replay "+off).Fails(t, "there is no calls.jsonl in this directory")
	})
	t.Run("top", func(t *testing.T) {
		if out := tool(t, "top", "-once", run); !strings.Contains(out, "lu") {
			t.Errorf("it shows\n%s", out)
		}
	})
	t.Run("simulate", func(t *testing.T) {
		simulated, page := filepath.Join(work, "simulated"), filepath.Join(work, "simulated.html")
		tool(t, "simulate", "-platform", platform, "-workload", run, "-run-dir", simulated)
		tool(t, "report", run, filepath.Join(simulated, "iii-auto"), "-o", page)
		contains(t, page, "SIMULATED")
		again := filepath.Join(work, "again")
		tool(t, "simulate", "-platform", platform, "-workload", filepath.Join(simulated, "i-off"), "-scenario", "i", "-run-dir", again)
		for _, dir := range []string{filepath.Join(simulated, "i-off"), again} {
			if out := tool(t, "report", run, dir); !strings.Contains(out, "(SIMULATED)") || strings.Contains(out, "not comparable") {
				t.Errorf("a run and its simulation: %s", out)
			}
		}
	})
}

// contains reports a file that does not have a text.
func contains(t *testing.T, path, text string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), text) {
		t.Errorf("%s has no %q: %v", path, text, err)
	}
}

func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	bin := testrun.Build(t, "mpi", "./cmd/migbsp", "./apps/lu")
	lu, tool := filepath.Join(bin, "lu"), filepath.Join(bin, "migbsp")

	// A record of a run on MPI ranks is written by one of them, and whole.
	t.Run("record", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		out := launcher.On(4, testrun.Line(lu, "-n 400 -procs 16 -run-dir "+dir)).Must(t)
		if n := strings.Count(out, " efficiency "); n != 1 {
			t.Errorf("%d verdicts\n%s", n, out)
		}
		r := testrun.Line(tool, "report -format text "+dir).Run(t)
		if r.Code != 0 || r.Err != "" {
			t.Errorf("its report: code %d, %s", r.Code, r.Err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "run.jsonl"))
		if n := len(regexp.MustCompile(`"type":"(run|end)"`).FindAll(text, -1)); err != nil || n != 2 {
			t.Errorf("%d records of begin and end, %v", n, err)
		}
		elsewhere := testrun.Line(tool, "simulate -platform ../../examples/two-sets.hosts -workload "+dir).Must(t)
		must.Have(t, elsewhere, "; 16 processes, ")
	})

	// More ranks than cores: each waits for others of the run to leave the core, and is as
	// slow as the barrier sees it. All figures of the account fit together.
	t.Run("oversubscribed", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		launcher.On(4*runtime.NumCPU(), testrun.Line(lu, "-n 300 -block 32 -run-dir "+dir)).Must(t)
		h, err := ledger.Read(dir)
		if err != nil || len(h.Problems) > 0 {
			t.Fatal(err, h.Problems)
		}
		whole, ran := h.Account.Whole(), 0.0
		e, d := h.Account.Efficiency(&whole), h.Account.Budget(&whole)
		for _, c := range h.Account.Capacity().Ranks {
			ran += c.CPU
		}
		if cores := ran / whole.Elapsed; cores > 1.25*float64(runtime.NumCPU()) {
			t.Errorf("ranks ran on %.2f cores of %d", cores, runtime.NumCPU())
		}
		if e.Capacity <= 0 || e.Capacity > 1 || d.Work <= 0 || d.Lost < 0 || d.Work+d.Lost > 1.001*d.Elapsed {
			t.Errorf("%+v %+v", e, d)
		}
		if denied := d.Denied.Sum(); math.Abs(denied-d.Lost) > 1e-6*d.Elapsed {
			t.Errorf("%g s were denied, by all causes %g s", d.Lost, denied)
		}
	})

	// Where rank 0 has no processes, l is known all the same.
	t.Run("few processes", func(t *testing.T) {
		out := launcher.On(4, testrun.Line(lu, "-n 200 -procs 3 -format json")).Must(t)
		if !regexp.MustCompile(`"l": [0-9.e-]*[1-9]`).MatchString(out) {
			t.Errorf("l is not known\n%s", out)
		}
	})

	// The tool measures the hosts of a run.
	t.Run("probe", func(t *testing.T) {
		out := launcher.On(3, testrun.Line(tool, "probe -watch 100ms -links 200ms -format json")).Must(t)
		if n := strings.Count(out, `"schema": "migbsp.probe/1"`); n != 1 {
			t.Errorf("%d surveys\n%s", n, out)
		}
	})
}
