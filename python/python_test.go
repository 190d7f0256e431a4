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
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// interpreter returns a Python with NumPy, else one without. The test is skipped where the library
// cannot be built or loaded.
func interpreter(t *testing.T) string {
	t.Helper()
	if out, err := exec.Command("python3", "-c", "import ctypes").CombinedOutput(); err != nil {
		t.Skipf("the package for Python is NOT TESTED: python3: %v %s", err, out)
	}
	if _, err := exec.LookPath("cc"); err != nil || os.Getenv("CGO_ENABLED") == "0" {
		t.Skip("the package for Python is NOT TESTED: it needs cgo and a C compiler")
	}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import ctypes, numpy").Run() == nil {
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
	if r := accounted.Run(t); r.Out != "ok\n" || !strings.Contains(r.Err, "1 process on 1 rank") {
		t.Errorf("no account:\n%s%s", r.Out, r.Err)
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
	if out := launcher.On(4, hook).Run(t).Err; !regexp.MustCompile(`(?s)program.py\n 4 processes on 4 ranks.*program.py:\d+ `).MatchString(out) {
		t.Errorf("the account of hook is\n%s", out)
	}
}

// The program of the guide runs.
func TestGuide(t *testing.T) {
	page := string(must.Get(os.ReadFile("../docs/guide/python.md"))(t))
	_, program, _ := strings.Cut(page, "```python\n")
	program, _, _ = strings.Cut(program, "```")
	run := python(t, "", "program.py")("")
	if exec.Command(run.Words[0], "-c", "import numpy").Run() != nil {
		t.Skip("the guide's program is NOT TESTED: it needs NumPy")
	}
	run.Words = []string{run.Words[0], "-c", program}
	if out := run.Must(t); out != "0 1.0 1.0\n" {
		t.Errorf("%q", out)
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

// pip returns commands that run pip without a network in a new environment, and commands that run
// the environment's Python.
func pip(t *testing.T) (pip, python func(arguments ...string) testrun.Command) {
	t.Helper()
	interpreter(t)
	dir := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("pip install is NOT TESTED: python3 -m venv: %v %s", err, out)
	}
	command := func(words ...string) testrun.Command {
		return testrun.Command{
			Words: append([]string{filepath.Join(dir, "bin/python")}, words...),
			Env:   []string{"PIP_NO_INDEX=1", "MIGBSP_QUIET=true", "PYTHONDONTWRITEBYTECODE=1", "TAGS=", "LDFLAGS=", "VERSION=1.2.3-rc4"},
		}
	}
	return func(arguments ...string) testrun.Command {
		return command(append([]string{"-m", "pip", "-q", "--disable-pip-version-check"}, arguments...)...)
	}, command
}

// Pip installs the package with its library from the tree and from a wheel, without other packages.
func TestWheel(t *testing.T) {
	pip, python := pip(t)
	source, dir := filepath.Join(testrun.Root(t), "python"), t.TempDir()
	installed := func() (library string) {
		t.Helper()
		if out := python("testdata/program.py").Must(t); out != "ok\n" {
			t.Errorf("%q", out)
		}
		ask := python("-c", "import migbsp; print(migbsp.__version__, migbsp._lib._name)")
		ask.Dir = dir
		version, library, _ := strings.Cut(strings.TrimSpace(ask.Must(t)), " ")
		if version != "1.2.3rc4" || !strings.HasSuffix(library, "site-packages/migbsp/libmigbsp.so") {
			t.Errorf("version %s with %s", version, library)
		}
		return library
	}
	pip("install", source).Must(t)
	library := installed()
	if text := must.Get(os.ReadFile(library))(t); !strings.Contains(string(text), "v1.2.3-rc4") {
		t.Error("the library has another version than the package")
	}
	pip("uninstall", "-y", "migbsp").Must(t)
	if _, err := os.Stat(filepath.Dir(library)); err == nil {
		t.Errorf("pip uninstall leaves %s", filepath.Dir(library))
	}
	pip("wheel", "--no-build-isolation", "-w", dir, source).Must(t)
	wheels := must.Get(filepath.Glob(dir + "/migbsp-1.2.3rc4-py3-none-linux_*.whl"))(t)
	if len(wheels) != 1 {
		t.Fatalf("the wheels are %q", wheels)
	}
	pip("install", wheels[0]).Must(t)
	installed()
}

// A source distribution has all files and modules that a wheel is built from.
func TestSourceDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("packs all sources")
	}
	pip, python := pip(t)
	dir := t.TempDir()
	pack := python("-c", "import backend, sys; print(backend.build_sdist(sys.argv[1]))", dir)
	pack.Env = append(pack.Env, "PYTHONPATH="+filepath.Join(testrun.Root(t), "python/packing"))
	if out := pack.Must(t); out != "migbsp-1.2.3rc4.tar.gz\n" {
		t.Fatalf("%q", out)
	}
	install := pip("install", dir+"/migbsp-1.2.3rc4.tar.gz")
	install.Env = append(install.Env, "GOPROXY=off", "GOMODCACHE="+filepath.Join(dir, "none"), "VERSION=")
	install.Must(t)
	if out := python("testdata/program.py").Must(t); out != "ok\n" {
		t.Errorf("%q", out)
	}
}
