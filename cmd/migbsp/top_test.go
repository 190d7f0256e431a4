package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// Where nobody sees a terminal the state is printed once.
func TestTopPrints(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	dir := t.TempDir()
	record := filepath.Join(dir, ledger.RecordName)
	whole := livetest.Story{Seed: 1, Steps: 100, Ranks: 4, Sets: 2, Procs: 2, Every: 16, Emulated: true}.Record()
	for _, c := range []struct {
		name string
		text []byte
		args []string
		code int
		out  []string
		err  string
	}{
		{"ended", whole, nil, cli.ExitOK, []string{"EMULATED  ended with code 0", "superstep 100", "SET ", "CALL AT"}, ""},
		{"a table", whole, []string{"-table", "ranks"}, cli.ExitOK, []string{"RANK ", "node001"}, ""},
		{"once", whole, []string{"-once", "-color", "always"}, cli.ExitOK, []string{"\x1b[33mEMULATED"}, ""},
		{"cut off", whole[:len(whole)-9], nil, cli.ExitFailed, []string{"running", "superstep 100"}, "the record ends within a line; what follows is missing"},
		{"foreign", []byte("GIF89a"), nil, cli.ExitFailed, nil, `:1:1: "GIF89a" is not the head of a record of migbsp`},
		{"newer", []byte(`{"type":"run","schema":"migbsp.run/9"}` + "\n"), nil, cli.ExitFailed, nil, "written by a newer migbsp"},
		{"wrong interval", whole, []string{"-interval", "0s"}, cli.ExitUsage, nil, "-interval 0s is not from 50ms to 1h0m0s"},
		{"wrong table", whole, []string{"-table", "x"}, cli.ExitUsage, nil, `there is no "x"`},
	} {
		must.Do(t, os.WriteFile(record, c.text, 0o666))
		code, out, err := call(t, "", append([]string{"top", dir}, c.args...)...)
		if code != c.code || !strings.Contains(err, c.err) || (c.err == "") != (err == "") || strings.Count(err, "\n") > 1 {
			t.Errorf("%s: code %d, %q; want %d, %q", c.name, code, err, c.code, c.err)
		}
		for _, want := range c.out {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, out)
			}
		}
		if c.out == nil && out != "" {
			t.Errorf("%s: printed\n%s", c.name, out)
		}
	}
	if code, out, err := call(t, "", "top", filepath.Join(dir, "no")); code != cli.ExitFailed || out != "" || !strings.Contains(err, "no such file or directory") {
		t.Errorf("no such run: code %d, %q, %q", code, out, err)
	}
}
