package apptest

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := exec.Command(self, strings.Fields(args)...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	c.Env = append(os.Environ(), asProgram+"=1", "MIGBSP_CONFIG="+os.DevNull)
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
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
