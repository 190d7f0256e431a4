package frame

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// measuring returns a program with flags of its own, that does some work.
func measuring(work Work) Program {
	return Program{Name: "measure", About: "Measures.", Rounds: 3, RunDir: true, Flags: func(flags *flag.FlagSet) func() (Work, error) {
		n := flags.Int("n", 1, "how `many`")
		list := []int{1, 2}
		flags.Var(Numbers(&list, 1, 9), "list", "some `numbers`")
		return func() (Work, error) {
			if *n < 0 {
				return nil, fmt.Errorf("-n %d: expected more", *n)
			}
			return func(ctx context.Context, s *Session) error {
				s.Print("%d of %v in %d rounds", *n, list, s.Rounds)
				return work(ctx, s)
			}, nil
		}
	}}
}

func call(p Program, args ...string) (code int, out, said string) {
	var o, e strings.Builder
	code = p.Run(args, &o, &e)
	return code, o.String(), e.String()
}

func TestCommandLines(t *testing.T) {
	fine := measuring(func(context.Context, *Session) error { return nil })
	fails := measuring(func(context.Context, *Session) error { return errors.New("broken") })
	more := Program{Name: "both", Flags: fine.Flags, Others: []Program{{Name: "both fails", Flags: fails.Flags}}}
	for _, c := range []struct {
		program   Program
		args      string
		code      int
		out, said string
	}{
		{fine, "", 0, "1 of [1 2] in 3 rounds\n", ""},
		{fine, "-n 3 -list 4,5 -rounds 7", 0, "3 of [4 5] in 7 rounds\n", ""},
		{fine, "-json -o /dev/null -n -1", 2, "", "measure: -n -1: expected more (see measure -help)\n"},
		{fine, "-rounds 0", 2, "", "measure: -rounds 0: at least one is needed (see measure -help)\n"},
		{fine, "-json -markdown", 2, "", "measure: -json and -markdown: expected one of them (see measure -help)\n"},
		{fine, "-o x -csv x", 2, "", "measure: -o and -csv: expected two files (see measure -help)\n"},
		{fine, "-list 3,10", 2, "", "measure: invalid value \"3,10\" for flag -list: \"10\": expected a number from 1 to 9 (see measure -help)\n"},
		{fine, "-what", 2, "", "measure: flag provided but not defined: -what (see measure -help)\n"},
		{fine, "3", 2, "", "measure: unexpected argument \"3\"; all arguments are flags (see measure -help)\n"},
		{fine, "-o /none/x", 1, "", "measure: open /none/x: no such file or directory\n"},
		{more, "-n 3", 0, "3 of [1 2] in 0 rounds\n", ""},
		{more, "fails -n 4", 1, "4 of [1 2] in 0 rounds\n", "both fails: broken\n"},
		{more, "-n 3 fails", 2, "", "both: unexpected argument \"fails\"; all arguments are flags (see both -help)\n"},
		{fails, "", 1, "1 of [1 2] in 3 rounds\n", "measure: broken\n"},
	} {
		if code, out, said := call(c.program, strings.Fields(c.args)...); code != c.code || out != c.out || said != c.said {
			t.Errorf("%s: code %d, %q and %q, want %d, %q and %q", c.args, code, out, said, c.code, c.out, c.said)
		}
	}
}

func TestHelp(t *testing.T) {
	code, out, said := call(measuring(nil), "-help")
	if code != 0 || said != "" || !strings.HasPrefix(out, "Usage: measure [flags]\n\nMeasures.\n\n") {
		t.Errorf("code %d, %s, %s", code, out, said)
	}
	must.Have(t, out, "-n many", "-list numbers", "(default 1,2)", "-rounds measurements", "-markdown", "-json", "-o file", "-csv file", "-quiet", "-run-dir directory")
	few := Program{Name: "few", Flags: func(*flag.FlagSet) func() (Work, error) { return nil }}
	if _, out, _ := call(few, "-h"); strings.Contains(out, "-rounds") || strings.Contains(out, "-run-dir") {
		t.Errorf("flags without use:\n%s", out)
	}
}

// A record can be read as JSON and as CSV, and has all samples.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	record, sheet := filepath.Join(dir, "record"), filepath.Join(dir, "sheet")
	p := measuring(func(_ context.Context, s *Session) error {
		if got := s.Record("lu", "time", "s", 3, 1, 2); got.Center != 2 {
			t.Errorf("median %v", got)
		}
		s.Record("sw, one process", "time", "s", 6, 5, 4, 3, 2, 1)
		s.Line(map[string]int{"other": 1})
		s.Table(Table{Title: "Title", Header: []string{"x"}})
		return nil
	})
	code, out, said := call(p, "-json", "-o", record, "-csv", sheet)
	text, err := os.ReadFile(record)
	if code != 0 || said != "" || err != nil || out != string(text) {
		t.Fatalf("code %d, %s, %v, printed\n%s\nwritten\n%s", code, said, err, out, text)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var header Header
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil || header.Program != "measure" || header.Command[0] != "-json" ||
		header.Version == "" || !strings.Contains(header.Machine, " cores of ") || time.Since(header.Date) > time.Minute {
		t.Errorf("%v, header %+v", err, header)
	}
	want := []Measure{
		{"lu", "time", "s", []float64{3, 1, 2}, 2, nil},
		{"sw, one process", "time", "s", []float64{6, 5, 4, 3, 2, 1}, 3.5, &[2]float64{1, 6}},
	}
	for i := range want {
		var got Measure
		if err := json.Unmarshal([]byte(lines[1+i]), &got); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%v, got %+v, want %+v", err, got, want[i])
		}
	}
	if len(lines) != 4 || lines[3] != `{"other":1}` {
		t.Errorf("lines %q", lines)
	}
	f := must.Get(os.Open(sheet))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+3+6 || strings.Join(rows[4], ";") != "sw, one process;time;s;1;6" {
		t.Errorf("%v, %q", err, rows)
	}
}

// A measurement that cannot be recorded fails the program, though no caller checks it.
func TestRecordThatCannotBe(t *testing.T) {
	p := measuring(func(_ context.Context, s *Session) error {
		s.Record("lu", "rate", "flop/s", math.Inf(1))
		return nil
	})
	if code, _, said := call(p, "-json"); code != 1 || !strings.Contains(said, "unsupported value") {
		t.Errorf("code %d, %s", code, said)
	}
	if code, _, said := call(p); code != 0 || said != "" {
		t.Errorf("code %d, %s", code, said)
	}
}

// An interrupt ends the work, and leaves the measurements and no directory.
func TestInterrupt(t *testing.T) {
	dir := ""
	p := measuring(func(ctx context.Context, s *Session) error {
		dir = s.Dir
		s.Record("lu", "time", "s", 1)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		<-ctx.Done()
		return ctx.Err()
	})
	code, out, said := call(p, "-json")
	if code != 128+15 || !strings.Contains(out, `"of":"lu"`) || said != "measure: terminated; another one ends it at once\n" {
		t.Errorf("code %d, %s, %s", code, out, said)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s: %v", dir, err)
	}
}

func TestProgress(t *testing.T) {
	p := measuring(func(_ context.Context, s *Session) error {
		s.Progress("round %d", 1)
		return nil
	})
	if _, _, said := call(p); said != "    0s  round 1\n" {
		t.Errorf("%q", said)
	}
	if _, _, said := call(p, "-quiet"); said != "" {
		t.Errorf("%q", said)
	}
}

// Records of runs are kept in the directory of -run-dir, each under a name of its own.
func TestRunDir(t *testing.T) {
	kept := t.TempDir()
	var dirs []string
	p := measuring(func(_ context.Context, s *Session) error {
		for range 2 {
			dir, done, err := s.RunDir("lu", "auto,moves=0")
			if err != nil {
				return err
			}
			dirs = append(dirs, dir)
			if err := os.WriteFile(filepath.Join(dir, "run.jsonl"), nil, 0o666); err != nil {
				return err
			}
			done()
			if _, err := os.Stat(dir); (err == nil) != strings.HasPrefix(dir, kept) {
				t.Errorf("%s: %v", dir, err)
			}
		}
		return nil
	})
	if code, _, said := call(p); code != 0 {
		t.Fatalf("code %d, %s", code, said)
	}
	if code, _, said := call(p, "-run-dir", kept); code != 0 {
		t.Fatalf("code %d, %s", code, said)
	}
	if want := filepath.Join(kept, "0002-lu-auto-moves-0"); dirs[3] != want || dirs[2] == dirs[3] {
		t.Errorf("%q, want %s at last", dirs, want)
	}
}

func TestOutput(t *testing.T) {
	out, err := Output(t.Context(), "/", "sh", "-c", "pwd; echo said >&2")
	if err != nil || out != "/\n" {
		t.Errorf("%v, %q", err, out)
	}
	if _, err := Output(t.Context(), "", "sh", "-c", "echo why >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3\nwhy") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	// A child of the program keeps its output open too.
	if _, err := Output(ctx, "", "sh", "-c", "sleep 60; true"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 4*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
