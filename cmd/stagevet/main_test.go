package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// tool builds stagevet.
func tool(t *testing.T) string {
	t.Helper()
	return filepath.Join(testrun.Build(t, "", "./cmd/stagevet"), "stagevet")
}

// module makes a module of a program and a stub of the library for tests.
func module(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	library := must.Get(os.ReadFile("stages/testdata/src/github.com/migbsp/migbsp/bsplib/bsplib.go"))(t)
	for name, text := range map[string]string{
		"go.mod":           "module github.com/migbsp/migbsp\n\ngo 1.26\n",
		"bsplib/bsplib.go": string(library),
		"app/main.go":      program,
	} {
		must.Write(t, filepath.Join(dir, name), text, 0o666)
	}
	return dir
}

const wrong = `package main

import "github.com/migbsp/migbsp/bsplib"

type state struct{ N int }

func main() { bsplib.Main(program) }

func program(b *bsplib.Proc, s *state) error {
	total := 0
	for k := range b.Stages(s.N) {
		total += k
	}
	s.N = total
	return nil
}
`

const finding = "main.go:12:3: total is set in the stage loop at line 11 and read after it: a process that moved in between has lost it; make it a field of the state"

func TestBothWaysToRunIt(t *testing.T) {
	path := tool(t)
	right := strings.Replace(wrong, "total += k", "s.N += k", 1)
	for _, way := range []struct {
		name    string
		command []string
	}{
		{"by itself", []string{path, "./..."}},
		{"by go vet", []string{"go", "vet", "-vettool=" + path, "./..."}},
	} {
		t.Run(way.name, func(t *testing.T) {
			for program, want := range map[string]string{wrong: finding, right: ""} {
				c := exec.Command(way.command[0], way.command[1:]...)
				c.Dir = module(t, program)
				out, err := c.CombinedOutput()
				if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
					t.Errorf("%v, %q; want %q", err, out, want)
				}
			}
		})
	}
}

// The first sentence of help, on the standard output, describes the findings, because manual pages
// are made of it.
func TestHelp(t *testing.T) {
	out, err := exec.Command(tool(t), "-help").Output()
	if text := string(out); err != nil || !strings.HasPrefix(text, "Stagevet finds what the programs of migbsp lose when a process moves.\n\nBetween") || !strings.Contains(text, "\nUsage: stagevet [flags] PACKAGE...\n\nFlags:\n  -V") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestProgramsOfTestsAreLookedAtOnDemand(t *testing.T) {
	path := tool(t)
	dir := module(t, "package main\n\nfunc main() {}\n")
	program := strings.Replace(wrong, "func main() { bsplib.Main(program) }\n", "", 1)
	must.Do(t, os.WriteFile(filepath.Join(dir, "app", "main_test.go"), []byte(program), 0o666))
	for _, way := range []struct {
		args []string
		want string
	}{
		{[]string{"./..."}, ""},
		{[]string{"-stages.tests", "./..."}, "main_test.go:11:3: total is set in the stage loop at line 10"},
	} {
		c := exec.Command(path, way.args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if (err != nil) != (way.want != "") || !strings.Contains(string(out), way.want) {
			t.Errorf("%v: %v, %q; want %q", way.args, err, out, way.want)
		}
	}
}

func TestNothingIsFoundInTheProgramsOfThisTree(t *testing.T) {
	c := exec.Command("go", "vet", "-vettool="+tool(t), "./apps/...", "./bench/load", "./bench/bsp", "./cmd/migbsp/template", "./examples/...")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
