// Package apptest has the common parts of the programs' tests.
package apptest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
)

// Set sets flags of the program until the test ends: name, value, name, value.
func Set(t *testing.T, values ...string) {
	t.Helper()
	for i := 0; i < len(values); i += 2 {
		f := flag.Lookup(values[i])
		was := f.Value.String()
		t.Cleanup(func() { f.Value.Set(was) })
		must.Do(t, f.Value.Set(values[i+1]))
	}
}

// Wrong checks that check rejects values of flags with one line. The line begins with want or, if
// want begins with dots, contains the text after them.
func Wrong(t *testing.T, check func() error, want string, flags ...string) {
	t.Helper()
	text, within := strings.CutPrefix(want, "...")
	t.Run(want, func(t *testing.T) {
		Set(t, flags...)
		err := check()
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), text) && !(within && strings.Contains(err.Error(), text)) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// Same checks that a result is the same on one rank and with any moves: on three ranks, shaken on one
// and on four, and rescheduled throughout. Each of these runs uses the next number of processes in
// procs.
func Same(t *testing.T, result func(bsplib.Config) any, procs ...int) {
	t.Helper()
	spec := must.Get(rebalancer.Parse("percent,x=0,viability=0,guard=0,alpha=1"))(t)
	want := result(bsplib.Config{Procs: procs[0], Ranks: 1})
	for i, cfg := range []bsplib.Config{{Ranks: 3}, {Ranks: 1, Shake: true}, {Ranks: 4, Shake: true}, {Ranks: 4, Balance: &spec}} {
		cfg.Procs = procs[(i+1)%len(procs)]
		if got := result(cfg); !reflect.DeepEqual(got, want) {
			t.Errorf("%d processes on %d ranks, shaken: %t, rescheduled: %t: %v, on one rank %v", cfg.Procs, cfg.Ranks, cfg.Shake, cfg.Balance != nil, got, want)
		}
	}
}

// asProgram is the variable that makes a test binary the program that it tests.
const asProgram = "APPTEST_RUN"

// Main is for the TestMain of a program whose tests run it as a whole: it runs the tests
// or, if one of them asks for it, the program.
func Main(m *testing.M, program func()) {
	if os.Getenv(asProgram) != "" {
		program()
	}
	os.Exit(m.Run())
}

// Call runs the program in a directory, with arguments between blanks.
func Call(t testing.TB, dir, args string) (code int, stdout, stderr string) {
	t.Helper()
	c, out, errs := Command(t, dir, strings.Fields(args)...)
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// Command is the program in a directory, before it starts.
func Command(t testing.TB, dir string, args ...string) (c *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	c = exec.Command(must.Get(os.Executable())(t), args...)
	c.Dir, c.Stdout, c.Stderr = dir, stdout, stderr
	c.Env = append(os.Environ(), asProgram+"=1", "MIGBSP_CONFIG="+os.DevNull)
	return c, stdout, stderr
}

// Refused runs the program with arguments that it must refuse: code 2, the text in the only
// line on stderr, no output on stdout.
func Refused(t testing.TB, dir, args, text string) {
	t.Helper()
	code, out, errs := Call(t, dir, args)
	if code != 2 || out != "" || !strings.Contains(errs, text) || strings.Count(errs, "\n") != 1 {
		t.Errorf("%s: code %d, %q, %q, want %q", args, code, out, errs, text)
	}
}
