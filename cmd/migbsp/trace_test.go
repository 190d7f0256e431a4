package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// events returns the number of events in a trace.
func events(t *testing.T, r io.Reader) int {
	t.Helper()
	var trace struct {
		Events []json.RawMessage `json:"traceEvents"`
	}
	must.Do(t, json.NewDecoder(r).Decode(&trace))
	return len(trace.Events)
}

// The trace is packed and next to the record, unless flags ask for another file or format.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	record := livetest.Story{Seed: 1, Steps: 100, Ranks: 4, Sets: 2, Procs: 2, Every: 16, Emulated: true}.Record()
	must.Do(t, os.WriteFile(filepath.Join(dir, ledger.RecordName), record, 0o666))
	code, out, errors := call(t, "", "trace", dir, "-plain", "-o", "-")
	all := events(t, strings.NewReader(out))
	if code != cli.ExitOK || errors != "" || all < 800 {
		t.Fatalf("code %d, %q, %d events", code, errors, all)
	}
	code, packed, _ := call(t, "", "trace", dir, "-o", "-")
	if z, err := gzip.NewReader(strings.NewReader(packed)); err != nil || code != cli.ExitOK || events(t, z) != all {
		t.Errorf("packed: code %d, %v", code, err)
	}
	other := filepath.Join(dir, "other")
	for _, c := range []struct {
		args   []string
		file   string
		packed bool
	}{
		{nil, filepath.Join(dir, "trace.json.gz"), true},
		{[]string{"-plain"}, filepath.Join(dir, "trace.json"), false},
		{[]string{"-o", other}, other, true},
	} {
		code, out, errors := call(t, "", append([]string{"trace", dir}, c.args...)...)
		if code != cli.ExitOK || errors != "" || !strings.HasPrefix(out, c.file+"\n100 supersteps and ") || !strings.Contains(out, "EMULATED") {
			t.Errorf("%v: code %d, %q, %q", c.args, code, errors, out)
		}
		f := must.Get(os.Open(c.file))(t)
		var r io.Reader = f
		if c.packed {
			r = must.Get(gzip.NewReader(f))(t)
		}
		if got := events(t, r); got != all {
			t.Errorf("%v: %d events, want %d", c.args, got, all)
		}
		f.Close()
	}
	code, out, _ = call(t, "", "trace", dir, "-plain", "-o", "-", "-from", "40", "-to", "50")
	if part := events(t, strings.NewReader(out)); code != cli.ExitOK || part > all/4 {
		t.Errorf("11 of 100 supersteps are %d of %d events", part, all)
	}
}

// A failed trace leaves no file, and does not change an old one.
func TestTraceFails(t *testing.T) {
	dir := t.TempDir()
	record, trace := filepath.Join(dir, ledger.RecordName), filepath.Join(dir, "trace.json.gz")
	whole := livetest.Story{Seed: 1, Steps: 20, Ranks: 4, Sets: 2, Procs: 2}.Record()
	must.Do(t, os.WriteFile(trace, []byte("old"), 0o666))
	for _, c := range []struct {
		text    []byte
		refusal refusal
	}{
		{whole, refusal{"-from 21", cli.ExitFailed, "there is no superstep from 21 on; the last one here is 20"}},
		{whole, refusal{"-from 9 -to 8", cli.ExitUsage, "-to 8 is before -from 9"}},
		{whole, refusal{"-from -1", cli.ExitUsage, "which count from 1"}},
		{nil, refusal{"", cli.ExitFailed, "the file is empty"}},
		{[]byte("x\n"), refusal{"", cli.ExitFailed, "is not the head of a record"}},
		{whole, refusal{"-o " + filepath.Join(dir, "no", "x"), cli.ExitFailed, "no such file or directory"}},
	} {
		must.Do(t, os.WriteFile(record, c.text, 0o666))
		refuses(t, "trace "+dir, []refusal{c.refusal})
	}
	if text, err := os.ReadFile(trace); err != nil || string(text) != "old" {
		t.Errorf("the old trace is %q, %v", text, err)
	}
	must.Hold(t, dir, 2)
	cut := whole[:len(whole)-5]
	must.Do(t, os.WriteFile(record, cut, 0o666))
	code, out, errors := call(t, "", "trace", dir)
	if code != cli.ExitOK || !strings.Contains(out, "20 supersteps") || !strings.Contains(errors, "migbsp trace: note: "+record+":") || !strings.Contains(errors, ": the record ends within an entry: the run ended early, or goes on") {
		t.Errorf("a record that was cut off: code %d, %q, %q", code, out, errors)
	}
}
