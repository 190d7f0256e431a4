// Package python_test tests the package for Python on the library that this tree makes.
package python_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// interpreter returns a Python with NumPy, else one without, which tests all else.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Log("arrays of NumPy are NOT TESTED: neither python3 nor /usr/bin/python3 has it")
	return "python3"
}

// python returns commands that run a program of testdata with a library for these tags.
func python(t *testing.T, tags, program string) func(arguments string) testrun.Command {
	t.Helper()
	python3 := interpreter(t)
	if out, err := exec.Command(python3, "-c", "import ctypes").CombinedOutput(); err != nil {
		t.Skipf("the package for Python is NOT TESTED: python3: %v %s", err, out)
	}
	if _, err := exec.LookPath("cc"); err != nil || os.Getenv("CGO_ENABLED") == "0" {
		t.Skip("the package for Python is NOT TESTED: it needs cgo and a C compiler")
	}
	dir := t.TempDir()
	library := testrun.Line(filepath.Join(testrun.Root(t), "scripts/libmigbsp"), dir)
	library.Env = []string{"TAGS=" + tags}
	library.Must(t)
	return func(arguments string) testrun.Command {
		c := testrun.Line(python3, "testdata/"+program+" "+arguments)
		c.Env = []string{"PYTHONPATH=" + testrun.Root(t) + "/python", "PYTHONDONTWRITEBYTECODE=1", "MIGBSP_LIBRARY=" + dir, "MIGBSP_QUIET=true"}
		return c
	}
}

// wrong is the line of the program that does something wrong.
func wrong(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/program.py")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "# WRONG")
	return fmt.Sprint("program.py:", strings.Count(before, "\n")+1)
}

func TestProgram(t *testing.T) {
	program := python(t, "", "program.py")
	if out := program("").Must(t); out != "ok\n" {
		t.Errorf("%q", out)
	}
	accounted := program("")
	accounted.Env = append(accounted.Env[:len(accounted.Env)-1:len(accounted.Env)-1], "MIGBSP_TABLE=sites")
	if out := accounted.Must(t); !strings.Contains(out, "1 process on 1 rank") {
		t.Errorf("no account:\n%s", out)
	}
	for _, c := range []struct {
		how      string
		code     int
		out, err string
	}{
		{"early", 7, "^$", "^$"},
		{"put", 1, "", `^program.py: superstep \d+, process 0, rank 0, ` + wrong(t) + ": bsp_put: The destination process ID does not exist\n$"},
		{"raise", 1, "", `RuntimeError: not so\nprogram.py: superstep \d+, process 0, rank 0: bsp_end: was not called before end of program: exit\(1\)\n$`},
		{"exit", 1, "", `bsp_end: was not called before end of program: exit\(3\)`},
		{"abort", 1, "^before\n$", `program.py:\d+: given up by 0\n$`},
	} {
		r := program(c.how).Run(t)
		if r.Code != c.code || !regexp.MustCompile(c.out).MatchString(r.Out) || !regexp.MustCompile(c.err).MatchString(r.Err) {
			t.Errorf("%s: code %d, want %d\n%q, want %s\n%q, want %s", c.how, r.Code, c.code, r.Out, c.out, r.Err, c.err)
		}
	}
	missing := program("")
	missing.Env = append(missing.Env, "MIGBSP_LIBRARY=/none")
	missing.Fails(t, "ImportError: migbsp: no libmigbsp.so found .*MIGBSP_LIBRARY names its directory\n$")
}

func TestUnderMPIProgram(t *testing.T) {
	launcher := testrun.MPI(t)
	program := python(t, "mpi", "program.py")
	for _, ranks := range []int{2, 4} {
		if out := launcher.On(ranks, program("")).Must(t); out != "ok\n" {
			t.Errorf("%d ranks: %q", ranks, out)
		}
	}
	launcher.On(3, program("put")).Fails(t, "process [0-2], rank [0-2], "+wrong(t)+": bsp_put: ")
	hook := program("hook")
	if out := launcher.On(4, hook).Must(t); out != "ok\n" {
		t.Errorf("hook: %q", out)
	}
	hook.Env = append(hook.Env[:len(hook.Env)-1:len(hook.Env)-1], "MIGBSP_TABLE=sites")
	if out := launcher.On(4, hook).Must(t); !regexp.MustCompile(`(?s)program.py\n 4 processes on 4 ranks.*program.py:\d+ `).MatchString(out) {
		t.Errorf("the account of hook is\n%s", out)
	}
}

// right is the output of collective.py: numbers, arrays and all misuse that has to be refused are in it.
var right = regexp.MustCompile("^ok( without NumPy)?\n$")

func TestCollectives(t *testing.T) {
	if out := python(t, "", "collective.py")("").Must(t); !right.MatchString(out) {
		t.Errorf("%q", out)
	}
}

func TestUnderMPICollectives(t *testing.T) {
	launcher := testrun.MPI(t)
	program := python(t, "mpi", "collective.py")
	for _, ranks := range []int{2, 3, 4} {
		if out := launcher.On(ranks, program("")).Must(t); !right.MatchString(out) {
			t.Errorf("%d ranks: %q", ranks, out)
		}
	}
	launcher.On(3, program("skipped")).Fails(t, `TypeError: allreduce\(op sum, object\): process 0 calls none`)
}
