package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// recorded returns the directory of a run that was recorded in full.
func recorded(t *testing.T, program string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r := must.Get(ledger.Create(dir, func(err error) { t.Error(err) }))(t)
	b := &ledger.Account{Recorder: r}
	b.Enter(&ledger.Run{Schema: ledger.Schema, Program: program, Engine: "in-process", Started: time.Unix(0, 0), Procs: 2, Ranks: []ledger.Rank{{Host: "a", Speed: 1}, {Host: "b", Speed: 1}},
		Sets: []ledger.Set{{Name: "all"}}, Links: [][]ledger.Link{{{}}}, Strategy: "off", Mapping: ledger.Mapping{{0, 1}, {1, 1}}})
	for n := range 5 {
		at := time.Duration(n) * time.Millisecond
		b.Enter(&ledger.Step{First: n + 1, Site: "a.go:1", At: at, Ranks: 2, Work: []time.Duration{900, 500}, WorkMax: 900, WorkMin: 500, WorkSum: 1400, Least: 700, SlowestWork: 900, Comm: 10, Total: time.Millisecond})
	}
	must.Do(t, r.Close(&ledger.End{At: 5e-3, Supersteps: 5}, nil))
	return dir
}

func TestReportWritesBesideTheRecord(t *testing.T) {
	dir := recorded(t, "lu")
	for _, run := range []string{dir, filepath.Join(dir, ledger.RecordName)} {
		code, out, problems := call(t, "", "report", run)
		file := filepath.Join(dir, reportName)
		if code != 0 || problems != "" || !strings.HasPrefix(out, file+"\nlu took 5.00 ms on 2 ranks; ") && !strings.HasPrefix(out, file+"\nlu took 5 ms on 2 ranks; ") {
			t.Errorf("%s: code %d, %q, %q", run, code, out, problems)
		}
		page, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(page, []byte("<!DOCTYPE html>")) || !bytes.HasSuffix(bytes.TrimSpace(page), []byte("</html>")) {
			t.Errorf("%s: %v, %.20q", run, err, page)
		}
		os.Remove(file)
	}
	must.Hold(t, dir, 1) // the record
}

func TestReportOfTwoRuns(t *testing.T) {
	a, b := recorded(t, "lu"), recorded(t, "fft")
	must.Have(t, prints(t, "report", a, b), "not comparable as they are: program: lu in A, fft in B")
	if _, err := os.Stat(filepath.Join(a, comparisonName)); err != nil {
		t.Error(err)
	}
}

func TestReportOutput(t *testing.T) {
	dir := recorded(t, "lu")
	code, out, verdict := call(t, "", "report", dir, "-o", "-")
	if code != 0 || !strings.HasPrefix(out, "<!DOCTYPE html>") || !strings.HasPrefix(verdict, "lu took 5") {
		t.Errorf("-o -: code %d, %.30q, %q", code, out, verdict)
	}
	file := filepath.Join(t.TempDir(), "x.html")
	if out := prints(t, "report", "-o", file, dir); !strings.HasPrefix(out, file) {
		t.Errorf("-o FILE: %q", out)
	}
	refuses(t, "report "+dir, []refusal{{"-o " + filepath.Join(file, "y.html"), 1, ""}})
}

func TestReportFormats(t *testing.T) {
	dir := recorded(t, "lu")
	out := prints(t, "report", dir, "-format", "csv", "-table", "ranks")
	if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) != 3 || rows[1][0] != "0" {
		t.Errorf("csv: %v, %q", err, rows)
	}
	out = prints(t, "report", dir, "-format", "json")
	var s tell.Summary
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&s); err != nil || s.Supersteps != 5 {
		t.Errorf("json: %v, %d supersteps", err, s.Supersteps)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("json: there is more than one value: %v", err)
	}
	for table, want := range map[string]string{"verdict": " efficiency ", "sites": " a.go:1 ", "full": " EFFICIENCY ", "ranks": " host ", "steps,every=2": "\n       4    1 ", "steps,width=120": " w min "} {
		if out := prints(t, "report", dir, "-format", "text", "-table", table); !strings.Contains(out, want) || strings.Contains(out, "state ") {
			t.Errorf("text, -table %s: %q", table, out)
		}
	}
	if out := prints(t, "report", dir, "-format", "jsonl", "-table", "steps,every=2"); strings.Count(out, "{") != 2 {
		t.Errorf("jsonl: %q", out)
	}
	if _, err := os.Stat(filepath.Join(dir, reportName)); err == nil {
		t.Error("a page was written that nobody asked for")
	}
}

func TestReportReadsPackedAndDamaged(t *testing.T) {
	dir := recorded(t, "lu")
	name := filepath.Join(dir, ledger.RecordName)
	text := must.Get(os.ReadFile(name))(t)
	packed := filepath.Join(t.TempDir(), "r.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	must.Do(t, os.WriteFile(packed, b.Bytes(), 0o644))
	if code, out, _ := call(t, "", "report", packed); code != 0 || !strings.HasPrefix(out, filepath.Join(filepath.Dir(packed), reportName)) {
		t.Errorf("packed: code %d, %q", code, out)
	}
	must.Do(t, os.WriteFile(name, text[:len(text)-20], 0o644))
	code, out, problems := call(t, "", "report", dir)
	if code != 0 || !strings.Contains(problems, "migbsp report: note: "+name+":7:") || !strings.Contains(out, "has not ended") {
		t.Errorf("cut off: code %d, %q, %q", code, out, problems)
	}
}

func TestReportErrors(t *testing.T) {
	dir := recorded(t, "lu")
	empty, foreign := t.TempDir(), filepath.Join(t.TempDir(), "f")
	must.Do(t, os.WriteFile(foreign, []byte("hello\n"), 0o644))
	refuses(t, "report", []refusal{
		{"", 2, "RUN"},
		{"a b c", 2, "c"},
		{dir + " -format pdf", 2, "html, text, csv, json"},
		{dir + " -table pids", 2, "sites, steps, ranks, sets"},
		{dir + " -table ranks", 2, "-table is for -format text, csv and jsonl"},
		{dir + " " + dir + " -format json", 2, "-format json is of one run"},
		{dir + " -format csv -o x", 2, "-o and -open are for -format html"},
		{dir + " -o - -open", 2, "-open needs a file"},
		{dir + " " + dir + " -verdict", 2, "-verdict is of one run"},
		{dir + " -verdict -o x", 2, "-verdict prints one line"},
		{empty, 1, "there is no " + ledger.RecordName},
		{foreign, 1, foreign + ":1:1: \"hello\" is not the head of a record"},
		{filepath.Join(empty, "nothing"), 1, "no such file"},
	})
	must.Hold(t, dir, 1)
}

// The contents of a record cannot steer the terminal.
func TestVerdictIsPrintable(t *testing.T) {
	if _, out, _ := call(t, "", "report", recorded(t, "\x1b[31mred\u202e")); strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "[31mred") {
		t.Errorf("%q", out)
	}
}

// The line for a job's comment, which writes no file.
func TestReportVerdict(t *testing.T) {
	dir := recorded(t, "lu")
	out := prints(t, "report", "-verdict", dir)
	if !regexp.MustCompile(`^5(\.00)? ms, efficiency 0\.[0-9]+\n$`).MatchString(out) {
		t.Errorf("%q", out)
	}
	must.Hold(t, dir, 1)
}

// All records below a directory are in its page and in its list; directories that are not records
// are reported.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	for _, program := range []string{"lu", "fft"} {
		must.Do(t, os.Rename(recorded(t, program), filepath.Join(dir, program)))
	}
	must.Write(t, filepath.Join(dir, "odd", "run.jsonl"), "odd\n", 0o666)
	code, out, problems := call(t, "", "runs", dir, "-format", "text")
	if code != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(out, filepath.Join(dir, "lu")+": 5 ms, ") || !strings.Contains(problems, "left out: ") {
		t.Errorf("text: code %d, %q, %q", code, out, problems)
	}
	code, out, _ = call(t, "", "runs", dir)
	page, err := os.ReadFile(filepath.Join(dir, indexName))
	if code != 0 || err != nil || !strings.HasPrefix(out, filepath.Join(dir, indexName)+"\n2 runs") || !bytes.Contains(page, []byte("fft")) {
		t.Errorf("code %d, %v, %q", code, err, out)
	}
	for _, args := range [][]string{{"runs", filepath.Join(dir, "none")}, {"runs", t.TempDir()}, {"runs", dir, "-format", "text", "-o", "x"}} {
		if code, out, problems := call(t, "", args...); code == 0 || out != "" || problems == "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, problems)
		}
	}
}
