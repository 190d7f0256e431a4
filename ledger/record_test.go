package ledger_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

// A record is read back exactly, to the nanosecond and the last digit.
func TestRecordIsReadAsItWasWritten(t *testing.T) {
	entries := Story(1, 95)
	h, err := ReadFrom("r", Written(entries))
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	d := NewDecoder("r", Written(entries))
	for i, want := range entries {
		got := must.Get(d.Next())(t)
		if fmt.Sprintf("%+v", show(got)) != fmt.Sprintf("%+v", show(want)) {
			t.Fatalf("entry %d:\nread    %+v\nwritten %+v", i, show(got), show(want))
		}
	}
	if _, err := d.Next(); err != io.EOF {
		t.Errorf("after the last entry: %v", err)
	}
	if len(h.Steps) != 95 || len(h.Calls) != 9 || len(h.Moves) != 9 || len(h.Warnings) != 1 || h.End == nil || h.Calls[0].Outcome == nil {
		t.Errorf("%d steps, %d calls, %d moves, %d warnings, end %v", len(h.Steps), len(h.Calls), len(h.Moves), len(h.Warnings), h.End)
	}
}

// show returns the line of an entry.
func show(e Entry) string {
	b, err := AppendEntry(nil, e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Every line is one JSON object with a type, and has no number that JSON lacks.
func TestLinesAreJSON(t *testing.T) {
	for line := range strings.Lines(Written(Story(2, 30)).String()) {
		var any map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &any); err != nil || len(any["type"]) < 3 {
			t.Fatalf("%v in %s", err, line)
		}
	}
}

func TestSecondsAreExact(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1: "0.000000001", 120: "0.00000012", time.Second: "1", 1500 * time.Millisecond: "1.5", 3*time.Hour + 7: "10800.000000007", -5: "-0.000000005",
	} {
		text := string(AppendSeconds(nil, d))
		var back float64
		if err := json.Unmarshal([]byte(text), &back); err != nil || text != want || DurationOf(back) != d {
			t.Errorf("%d ns is written %s and read %d, want %s", d, text, DurationOf(back), want)
		}
	}
}

// Windows get longer with the number of lines, and their sums are exact.
func TestLongRunsAreAddedUp(t *testing.T) {
	f := new(File)
	r := NewRecorder(f, nil)
	r.Most(100) // Begin leaves it at 256
	run := TwoRanks()
	r.Begin(run)
	b := AccountOf(run)
	const steps = 100000
	for n := 1; n <= steps; n++ {
		s := Sample(n, fmt.Sprint("f:", n%3), time.Duration(n), time.Duration(2*n))
		r.Enter(s)
		b.Enter(s)
	}
	must.Do(t, r.Close(&End{Supersteps: steps, At: 1e6}, nil))
	h, err := ReadFrom("r", f)
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	got, want := h.Account.Whole(), b.Whole()
	if got.Step.Count != steps || got.Step.WorkMax != want.Step.WorkMax || got.Step.WorkSum != want.Step.WorkSum || got.Step.H != want.Step.H || fmt.Sprint(got.Step.Work) != fmt.Sprint(want.Step.Work) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
	if len(h.Steps) > 4000 || len(h.Steps) < 256 {
		t.Errorf("%d lines for %d supersteps", len(h.Steps), steps)
	}
	last := 0
	for _, w := range h.Account.Windows() {
		if w.Step.First != last+1 {
			t.Fatalf("after superstep %d comes a window from %d on", last, w.Step.First)
		}
		last = w.Step.Last
	}
	for i := range h.Account.Sites() {
		s, w := h.Account.Sites()[i].Step, b.Sites()[i].Step
		if s.Longest != w.Longest || s.Slowest != w.Slowest {
			t.Errorf("%s: the longest superstep took %v by process %d, want %v by %d", s.Site, s.Longest, s.Slowest, w.Longest, w.Slowest)
		}
		if s.Count != w.Count || s.WorkMax != w.WorkMax {
			t.Errorf("%s: %d supersteps, %v; want %d, %v", s.Site, s.Count, s.WorkMax, w.Count, w.WorkMax)
		}
	}
}

func TestReadingWhatIsNotWhole(t *testing.T) {
	whole := Written(Story(3, 20)).String()
	lines := strings.SplitAfter(whole, "\n")
	for _, c := range []struct {
		name, text string
		err        string // of Read
		problem    string
	}{
		{"nothing", "", "the file is empty", ""},
		{"foreign text", "#!/bin/sh\necho\n", `r:1:1: "#!/bin/sh" is not the head of a record`, ""},
		{"foreign without a line end", "GIF89a", `r:1:1: "GIF89a" is not the head`, ""},
		{"foreign JSON", `{"type":"event"}` + "\n", "is not the head of a record", ""},
		{"newer", `{"type":"run","schema":"migbsp.run/2"}` + "\n", "r:1:1: this record has schema migbsp.run/2, written by a newer migbsp; this one reads migbsp.run/1", ""},
		{"other schema", `{"type":"run","schema":"x"}` + "\n", `schema is "x", expected "migbsp.run/1"`, ""},
		{"no ranks", `{"type":"run","schema":"migbsp.run/1","procs":1}` + "\n", "r:1:1: run: there are no ranks", ""},
		{"wrong mapping", strings.Replace(lines[0], "[[0,4],[1,4]]", "[[0,4],[9,4]]", 1), "mapping puts 4 processes on rank 9", ""},
		{"cut off", whole[:len(whole)-20], "", ""},
		{"still written", strings.Join(lines[:8], ""), "", ""},
		{"broken line", lines[0] + lines[1] + "{\"type\":\"superstep\",,}\n" + lines[2], "", "r:3:21: invalid character ','"},
		{"wrong type of a value", lines[0] + `{"type":"superstep","first":"one"}` + "\n", "", "first is a string, expected a int"},
		{"negative time", lines[0] + `{"type":"superstep","first":1,"last":1,"count":1,"w":[1,-1]}` + "\n", "", "superstep 1: a time of -1s"},
		{"a time that no run takes", lines[0] + `{"type":"superstep","first":1,"last":1,"count":1,"w":[1,1e300]}` + "\n", "", "expected one from 0 to 40031h"},
		{"work of other ranks", lines[0] + `{"type":"superstep","first":1,"last":1,"count":1,"w":[1]}` + "\n", "", "work of 1 ranks, the run has 2"},
		{"a move to nowhere", lines[0] + `{"type":"migration","pid":1,"from":0,"to":2}` + "\n", "", "migration: process 1 from rank 0 to 2"},
		{"a verdict on nobody", lines[0] + `{"type":"balance","call":1,"verdicts":[{"pid":8}]}` + "\n", "", "balance: call 1: process 8"},
		{"unknown type", lines[0] + `{"type":"temperature","celsius":90}` + "\n", "", `1 line of type "temperature" skipped`},
		{"a line is missing", lines[0] + strings.Join(lines[2:], ""), "", "there are 19 supersteps, the end of the run says 20"},
		{"two runs", whole + whole, "", "a second head of a record"},
	} {
		h, err := ReadFrom("r", strings.NewReader(c.text))
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.problem == "" && len(h.Problems) > 0, c.problem != "" && !strings.Contains(strings.Join(h.Problems, "\n"), c.problem):
			t.Errorf("%s: problems %q, want %q", c.name, h.Problems, c.problem)
		}
	}
}

func TestDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "1")
	r := must.Get(Create(dir, func(err error) { t.Error(err) }))(t)
	b := &Account{Recorder: r}
	for _, e := range Story(5, 20) {
		b.Enter(e)
	}
	end := &End{At: b.Whole().Elapsed, Supersteps: 20}
	must.Do(t, r.Close(end, tell.Of(b, end).Summary()))
	if h, err := Read(dir); err != nil || len(h.Problems) > 0 || tell.OfRecord(h).State() != "ended" {
		t.Errorf("%v %+v", err, h)
	}
	text, err := os.ReadFile(filepath.Join(dir, SummaryName))
	var s tell.Summary
	if err != nil || json.Unmarshal(text, &s) != nil || s.Supersteps != 20 || len(s.Sites) != 3 || s.Calls.Moves != 2 {
		t.Errorf("summary %s: %v", text, err)
	}
	if _, err := Create(dir, nil); err == nil || !strings.Contains(err.Error(), "has the record of a run already") {
		t.Errorf("a second run in the same directory: %v", err)
	}
	for _, name := range []string{"", RecordName, SummaryName} {
		if is, err := os.Stat(filepath.Join(dir, name)); err != nil || is.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can reach %q: %v, %v", name, is.Mode(), err)
		}
	}
	linked := t.TempDir()
	for _, to := range []string{os.DevNull, filepath.Join(linked, "nowhere")} {
		must.Do(t, os.Symlink(to, filepath.Join(linked, RecordName)))
		if _, err := Create(linked, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a link to %s in the record's place: %v", to, err)
		}
		os.Remove(filepath.Join(linked, RecordName))
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "-run-dir") {
		t.Errorf("a directory without a record: %v", err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	plain, _ := os.ReadFile(filepath.Join(dir, RecordName))
	z.Write(plain)
	z.Close()
	if h, err := ReadFrom("r.gz", bytes.NewReader(packed.Bytes())); err != nil || h.Steps == nil {
		t.Errorf("packed: %v", err)
	}
	if h, err := ReadFrom("r.gz", bytes.NewReader(packed.Bytes()[:packed.Len()-30])); err != nil || len(h.Problems) > 0 || h.Cut == "" {
		t.Errorf("packed and cut off: %v, %+v", err, h)
	}
}

// Of runs that begin at once in one directory, one gets the record. Existing files stay, even if
// empty.
func TestOneRecordInADirectory(t *testing.T) {
	for range 20 {
		dir := filepath.Join(t.TempDir(), "run")
		begin, won := make(chan bool), make(chan *Recorder, 8)
		for range cap(won) {
			go func() {
				<-begin
				r, err := Create(dir, func(err error) { t.Error(err) })
				if err != nil && !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
				won <- r
			}()
		}
		close(begin)
		winners := 0
		for range cap(won) {
			if r := <-won; r != nil {
				winners++
				r.Begin(TwoRanks())
				if err := r.Close(&End{}, nil); err != nil {
					t.Error(err)
				}
			}
		}
		if h, err := Read(dir); winners != 1 || err != nil || len(h.Problems) > 0 {
			t.Fatalf("%d of %d runs have the record; %v", winners, cap(won), err)
		}
	}
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, RecordName), nil, 0o666))
	if _, err := Create(dir, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("beside the record of a run that has just begun: %v", err)
	}
}

// failing is a file on a disk that is full after a number of bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}
func (f *failing) Close() error { return nil }

// A full disk is reported once, and at the end.
func TestFullDisk(t *testing.T) {
	told := 0
	r := NewRecorder(&failing{left: 2000}, func(error) { told++ })
	r.Begin(TwoRanks())
	for n := range 100000 {
		r.Enter(Sample(n+1, "x", US, US))
	}
	for range 2 {
		if err := r.Close(&End{}, nil); err == nil || told != 1 {
			t.Errorf("closed with error %v, told %d times", err, told)
		}
	}
}

func FuzzReadFrom(f *testing.F) {
	text := Written(Story(6, 12)).Bytes()
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte(`{"type":"run","schema":"migbsp.run/1","procs":1,"ranks":[{}],"sets":[{}],"links":[[{}]],"mapping":[[0,1]]}` + "\n" + `{"type":"end"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := ReadFrom("r", bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, view := range tell.Views {
			if err := WriteAccount(io.Discard, tell.Of(&h.Account, h.End), view, "", Display{}); err != nil {
				t.Error(err)
			}
			WriteResult(io.Discard, tell.Of(&h.Account, nil), Display{}, view)
		}
		for _, form := range []string{"text", "csv", "jsonl"} {
			if err := WriteSteps(io.Discard, h, TableSpec{Name: "steps"}, form, Display{}); err != nil {
				t.Error(err)
			}
		}
		tell.OfRecord(h).Verdict()
		tell.OfRecord(h).Brief()
		if _, err := json.Marshal(tell.Of(&h.Account, h.End).Summary()); err != nil {
			t.Error(err)
		}
	})
}
