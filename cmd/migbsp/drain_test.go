package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// recordOf begins the record of a run on hosts, with a process on each.
func recordOf(t *testing.T, hosts ...string) (string, *ledger.Recorder) {
	t.Helper()
	dir := t.TempDir()
	r := must.Get(ledger.Create(dir, func(err error) { t.Error(err) }))(t)
	run := ledger.Run{Program: "p", Procs: len(hosts), Sets: make([]ledger.Set, 1), Links: [][]ledger.Link{{{}}}}
	for i, host := range hosts {
		run.Ranks, run.Mapping = append(run.Ranks, ledger.Rank{Host: host}), append(run.Mapping, [2]int{i, 1})
	}
	r.Begin(&run)
	return dir, r
}

// Senseless requests are refused at once, with the reason, and leave no files behind.
func TestDrainRefuses(t *testing.T) {
	defer func(was time.Duration) { unheard = was }(unheard)
	unheard = 100 * time.Millisecond
	running, _ := recordOf(t, "a", "b")
	alone, _ := recordOf(t, "a", "a")
	ended, r := recordOf(t, "a", "b")
	r.Close(&ledger.End{Code: 75}, nil)
	refuses(t, "drain", []refusal{
		{filepath.Join(running, "no") + " a", cli.ExitFailed, "no such file or directory"},
		{running + " nova", cli.ExitFailed, `the run is not on host "nova"; it is on a, b`},
		{ended + " a", cli.ExitFailed, "the run has ended, with code 75"},
		{alone + " a", cli.ExitFailed, "a is the last host that the run may use"},
		{"-undo " + running + " a", cli.ExitFailed, "a was not drained by migbsp drain"},
		{"-undo " + running, cli.ExitUsage, "-undo needs the HOST"},
		{"-wait -1s " + running + " a", cli.ExitUsage, "less than nothing"},
		{running + " a", cli.ExitFailed, "no run has noted the request within 100ms"},
	})
	must.Hold(t, filepath.Join(running, drain.Dir), 0)
}

// The contents of a record or of its directory cannot direct drain to another directory: it follows
// no link, and makes no file that is not directly in the directory.
func TestDrainStaysInItsDirectory(t *testing.T) {
	defer func(was time.Duration) { unheard = was }(unheard)
	unheard = 100 * time.Millisecond
	outside := t.TempDir()
	precious := filepath.Join(outside, "precious")
	must.Do(t, os.WriteFile(precious, []byte("all"), 0o600))
	for _, c := range []struct {
		host    string
		prepare func(dir string) error // the directory of the run
		want    string
	}{
		{"a", func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, drain.Dir), 0o700), os.Symlink(precious, filepath.Join(dir, drain.Dir, "a")))
		}, "no run has noted the request"},
		{"a", func(dir string) error { return os.Symlink(outside, filepath.Join(dir, drain.Dir)) }, "drain is not a directory"},
		{"a", func(dir string) error { return os.WriteFile(filepath.Join(dir, drain.Dir), nil, 0o600) }, "drain is not a directory"},
		{"../../x", nil, `host "../../x" cannot be the name of a file`},
		{outside + "/x", nil, "cannot be the name of a file"},
		{"..", nil, `host ".." cannot be the name of a file`},
		{".hidden", nil, `host ".hidden" cannot be the name of a file`},
	} {
		dir, _ := recordOf(t, c.host, "b")
		if c.prepare != nil {
			must.Do(t, c.prepare(dir))
		}
		if code, _, err := call(t, "", "drain", dir, c.host); code != cli.ExitFailed || !strings.Contains(err, c.want) {
			t.Errorf("%q: code %d, %q, want %q", c.host, code, err, c.want)
		}
		if text, err := os.ReadFile(precious); string(text) != "all" {
			t.Errorf("%q: what a link leads to is %q, %v", c.host, text, err)
		}
		must.Hold(t, outside, 1)
	}
}

// The run is asked by a file, and its answer is printed; the last host may not go either.
func TestDrainAsks(t *testing.T) {
	dir, r := recordOf(t, "a", "b")
	control := filepath.Join(dir, drain.Dir, "a")
	// answer has the run answer as soon as it is asked.
	answer := func(there bool, with ...ledger.Drain) {
		for _, err := os.Stat(control); (err == nil) != there; _, err = os.Stat(control) {
			time.Sleep(time.Millisecond)
		}
		for i := range with {
			r.Enter(&with[i])
		}
		r.FlushNow()
	}
	for _, c := range []struct {
		args   string
		answer func()
		want   string
	}{
		{dir, nil, " a             1\n b             1"},
		{dir + " a", func() {
			answer(true, ledger.Drain{Host: "a", State: ledger.DrainRefused, Why: "it is not in the mood"})
		}, "a is not drained: it is not in the mood"},
		{"-wait 1ms " + dir + " a", func() { answer(true, ledger.Drain{Host: "a", State: ledger.DrainAsked}) }, "a is drained when this stage has ended"},
		{dir + " a", func() { answer(true, ledger.Drain{Host: "a", State: ledger.DrainDone, Step: 7, Left: 1}) }, "a is drained after superstep 7: 1 process left"},
		{dir + " a", nil, "a is drained after superstep 7"},
		{dir, nil, "drained after superstep 7"},
		{dir + " b", nil, "b is the last host"},
		{"-undo " + dir + " a", func() { answer(false, ledger.Drain{Host: "a", Undo: true, State: ledger.DrainDone, Step: 9}) }, "a may be used again after superstep 9"},
		{"-wait 0 " + dir + " a", nil, "a is drained when this stage has ended"},
	} {
		done := make(chan struct{})
		go func() {
			if c.answer != nil {
				c.answer()
			}
			close(done)
		}()
		_, out, err := call(t, "", append([]string{"drain"}, strings.Fields(c.args)...)...)
		<-done
		if !strings.Contains(out+err, c.want) {
			t.Errorf("drain %s: %q, %q; want %q", c.args, out, err, c.want)
		}
	}
}

// A run of MPI ranks on two hosts leaves one of them as soon as it is asked to, and may come back;
// its result equals the result of a run without requests.
func TestUnderMPIDrain(t *testing.T) {
	launcher := testrun.MPI(t)
	t.Parallel() // it mostly waits
	program := filepath.Join(testrun.Build(t, "mpi", "./bench/load"), "load")
	arguments := " -pattern even -size 500 -grain 2000 -steps 300 -procs 6"
	dir := filepath.Join(t.TempDir(), "record")
	on := func(host string, ranks int) testrun.Part {
		c := testrun.Line(program, arguments+" -quiet -run-dir "+dir)
		c.Env = []string{"SLURMD_NODENAME=" + host}
		return testrun.Part{Ranks: ranks, Command: c}
	}
	checksum := make(chan string, 1)
	go func() {
		defer close(checksum)
		checksum <- launcher.Parts(on("stays", 1), on("goes", 2)).Checksum(t)
	}()
	asked := func(args ...string) (code int, said string) {
		code, out, errs := call(t, "", append([]string{"drain"}, args...)...)
		return code, out + errs
	}
	for code := -1; code != 0; code, _ = asked(dir) {
		time.Sleep(20 * time.Millisecond)
	}
	if code, said := asked(dir, "goes"); code != 0 || !strings.Contains(said, "goes is drained after superstep") {
		t.Errorf("code %d, %s", code, said)
	}
	if code, said := asked(dir, "stays"); code == 0 || !strings.Contains(said, "stays is the last host") {
		t.Errorf("code %d, %s", code, said)
	}
	if code, said := asked("-undo", dir, "goes"); code != 0 || !strings.Contains(said, "goes may be used again") {
		t.Errorf("code %d, %s", code, said)
	}
	drained := <-checksum
	h, err := ledger.Read(dir)
	if err != nil || len(h.Drains) != 4 || h.Drains[1].State != ledger.DrainDone || h.Drains[1].Left == 0 || !h.Drains[3].Undo {
		t.Errorf("%v, %+v", err, h.Drains)
	}
	if plain := launcher.On(1, testrun.Line(program, strings.Replace(arguments, "-grain 2000 ", "-grain 2000 -balance off ", 1))).Checksum(t); plain != drained {
		t.Errorf("checksum %s, of a run that was not asked %s", drained, plain)
	}
}
