package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

func measured(name string, rows ...results.Row) *contender {
	c := &contender{name: name, library: "library of " + name}
	c.merged.Add(rows...)
	return c
}

func row(measure string, us float64) results.Row {
	return results.Row{Measure: measure, P: 2, MinUS: us, MedianUS: 2 * us}
}

// sample has a faster, a slower and an even measure, one that the other has
// under its plain name only, one it lacks, and one that is lost in the noise.
func sample() *comparison {
	return &comparison{
		procs: 2, rounds: 3, idle: idleness{launches: 6, busy: 2, worst: 40},
		ours: []*contender{measured("ours", row("empty", 0.5), row("put8_1", 2.4), row("get8_1", 1.1),
			row("put_1MiB", 50), row("put_1MiB_heap", 150), row("send8_1", 1), row("l", 1))},
		others: []*contender{measured("X", row("empty", 1), row("put8_1", 2), row("get8_1", 1),
			row("put_1MiB", 100), row("l", -3), row("extra", 1))},
	}
}

func TestRatios(t *testing.T) {
	want := map[string]float64{"empty": 0.5, "put8_1": 1.2, "get8_1": 1.1, "put_1MiB": 0.5, "put_1MiB_heap": 1.5}
	c := sample()
	measures := c.measures()
	if len(measures) != 7 {
		t.Fatalf("measures %q, want the 7 of ours", measures)
	}
	for _, measure := range measures {
		ratio, ok := c.ratio(measure, c.ours[0], c.others[0])
		if value, compared := want[measure]; ok != compared || ratio != value {
			t.Errorf("%s: %v (compared: %v), want %v (compared: %v)", measure, ratio, ok, value, compared)
		}
	}
}

func written(t *testing.T, table frame.Table) string {
	t.Helper()
	var w strings.Builder
	if err := table.Write(&w, false); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func TestTable(t *testing.T) {
	text := written(t, sample().table())
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"below 1 ours is faster", "2 of 6 launches began while others used up to 40%", "measure ours X ratio",
		"empty 500 ns 1.00 us 0.50 put8_1 2.40 us 2.00 us 1.20 ! get8_1 1.10 us 1.00 us 1.10 put_1MiB",
		"put_1MiB_heap 150 us 100 us 1.50 ! send8_1 1.00 us - - l 1.00 us -3.00 us -",
		"ours against X: of 5 measures 2 faster, 1 within 15%, 2 slower.",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTableOfSeveral(t *testing.T) {
	c := sample()
	c.ours = append(c.ours, measured("more", row("empty", 4)))
	c.others[0].file = "x.jsonl"
	text := written(t, c.table())
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"a ours: ours, library of ours b more: ours,", "X: from x.jsonl, measured at another time",
		"measure a ours b more X a ratio b ratio", "empty 500 ns 4.00 us 1.00 us 0.50 4.00 ! put8_1 2.40 us - 2.00 us 1.20 ! - get8_1",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What is recorded of launches can be put beside others another time.
func TestRecordCanBeReadAgain(t *testing.T) {
	dir := t.TempDir()
	c := &contender{name: "ours", launcher: "sh", path: filepath.Join(dir, "program")}
	script := `echo '{"program":"x","library":"L","p":2}'
echo '{"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}'`
	if err := os.WriteFile(c.path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &settings{limit: time.Minute, procs: 2}
	p := frame.Program{Name: "compare", Rounds: 2, Flags: func(*flag.FlagSet) func() (frame.Work, error) {
		return func() (frame.Work, error) {
			return func(ctx context.Context, session *frame.Session) error {
				_, err := s.launchAll(ctx, session, []*contender{c}, nil)
				session.Record("ours", "empty", "us", c.merged.Minima("empty", 2)...)
				return err
			}, nil
		}
	}}
	record := filepath.Join(dir, "record")
	var said strings.Builder
	if code := p.Run([]string{"-quiet", "-o", record}, &said, &said); code != 0 {
		t.Fatal(said.String())
	}
	again, err := readAll([]string{"before=" + record}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := again[0].find("empty", 2); !ok || r.MinUS != 3 || len(again[0].merged.Minima("empty", 2)) != 2 {
		t.Errorf("row %+v", r)
	}
}

func TestListNamesWhatOursMeasured(t *testing.T) {
	ours := sample().ours
	if got := (&settings{only: "."}).list(ours); got != "empty,put8_1,get8_1,put_1MiB,send8_1,l" {
		t.Errorf("list is %s", got)
	}
	if got := (&settings{}).list(ours); got != "" {
		t.Errorf("without -only the list is %s", got)
	}
	long := []*contender{measured("ours", row(strings.Repeat("x", longestList+1), 1))}
	if got := (&settings{only: "."}).list(long); got != "" {
		t.Errorf("too long a list is %s", got)
	}
}

func TestResultsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("one", `{"program":"x","library":"A","p":2}
{"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}
{"measure":"empty","p":2,"min_us":2,"median_us":6,"bytes":0,"ops":0}
{"measure":"empty","p":4,"min_us":1,"median_us":1,"bytes":0,"ops":0}
`)
	two := write("two", `{"library":"A","measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}
{"library":"B","measure":"empty","p":2,"min_us":1,"median_us":1,"bytes":0,"ops":0}
`)
	for _, c := range []struct {
		name, file string
		procs      int
		min        float64
		problem    string
	}{
		{"any", one, 2, 2, ""},
		{"A", two, 2, 3, ""},
		{"B", two, 2, 1, ""},
		{"C", two, 2, 0, "several libraries"},
		{"any", one, 8, 0, "no results for 8 processes"},
		{"any", filepath.Join(dir, "none"), 2, 0, "no such file"},
	} {
		got, err := readAll([]string{c.name + "=" + c.file}, c.procs)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s=%s: error %v, want one with %q", c.name, c.file, err, c.problem)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := got[0].find("empty", 2); !ok || r.MinUS != c.min {
			t.Errorf("%s=%s: %+v, want a minimum of %v", c.name, c.file, r, c.min)
		}
	}
}

func TestLaunchReadsBehindALauncher(t *testing.T) {
	c := &contender{name: "X", launcher: "GREETING='a b' sh", path: filepath.Join(t.TempDir(), "program"), inC: true, args: []string{"c d"}}
	script := `echo "$GREETING"; echo "{\"program\":\"x\",\"library\":\"$1 $3\",\"p\":2}"
echo '{"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}'`
	if err := os.WriteFile(c.path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.launch(t.Context(), time.Minute, "empty"); err != nil {
		t.Fatal(err)
	}
	if r, ok := c.find("empty", 2); !ok || r.MinUS != 3 || c.library != "c d empty" {
		t.Errorf("row %+v of library %q", r, c.library)
	}
}

func TestLaunchFailures(t *testing.T) {
	for _, c := range []struct{ launcher, problem string }{
		{"sh -c 'echo broken >&2; exit 3'", "broken"},
		{"sh -c 'echo hello'", "no results"},
		{"sh -c 'sleep 60 & wait'", "longer than"},
	} {
		begin := time.Now()
		_, err := (&contender{launcher: c.launcher, path: "x"}).launch(t.Context(), time.Second, "")
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: error %v, want one with %q", c.launcher, err, c.problem)
		}
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("%s: took %v", c.launcher, took)
		}
	}
}

func TestIdleness(t *testing.T) {
	var i idleness
	for _, used := range []float64{0, idlePercent, 20, 90, 30} {
		i.add(used)
	}
	if want := (idleness{launches: 5, busy: 3, worst: 90}); i != want {
		t.Errorf("%+v, want %+v", i, want)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		said string
	}{
		{"-help", 0, "-bspcc"},
		{"-np 0", 2, "at least one"},
		{"-rounds 0", 2, "at least one"},
		{"-go fast", 2, "inprocess, mpi or both"},
		{"-bspcc=", 2, "nothing to compare with"},
		{"-with file", 2, "NAME=file"},
		{"-only (", 2, "-only"},
		{"surplus", 2, "unexpected argument"},
		{"-bspcc no-such-compiler", 1, "install a BSPlib"},
		{"-bspcc sh -bsprun no-such-launcher", 1, "-bsprun"},
	} {
		var said bytes.Buffer
		if code := measurement.Run(strings.Fields(c.args), &said, &said); code != c.code || !strings.Contains(said.String(), c.said) {
			t.Errorf("compare %s: code %d, said %s", c.args, code, &said)
		}
	}
}

func TestProgramOfACommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"bspcc": "bspcc", "A=b C=d lpfcc -engine pthread": "lpfcc", "'/a/b' -c": "/a/b", "": "",
	} {
		if got := program(line); got != want {
			t.Errorf("program(%q) = %q, want %q", line, got, want)
		}
	}
}
