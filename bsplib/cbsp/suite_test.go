//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// suiteProgram is a program of testdata/suite. A comment at its top may have lines of these keys:
//
//	refused: REGEXP    the run ends with an error whose only line matches; else it prints "all is right"
//	warns: REGEXP      the run prints one line to stderr, which matches
//	link: OPTIONS      compiler options behind the source, such as -lgsl; skipped where these libraries are missing
//	options: OPTIONS   compiler options before the source
//	flags: FLAGS       flags of migbsp, behind -procs 4
//	arguments: WORDS   arguments of the program
//	input: LINES       the standard input has the numbers from 1 to LINES
//	moves: no          the program does not move: it is not run with -shake
type suiteProgram struct {
	source string
	keys   map[string]string
}

// suitePrograms reads the keys of all programs.
func suitePrograms(t *testing.T) (programs []suiteProgram) {
	t.Helper()
	known := []string{"refused", "warns", "link", "options", "flags", "arguments", "input", "moves"}
	line := regexp.MustCompile(`^(?:/\*|//|!| \*|)\s*([a-z]+): (.*?)\s*(?:\*/)?$`)
	for _, path := range must.Get(filepath.Glob("testdata/suite/*"))(t) {
		p := suiteProgram{source: filepath.Base(path), keys: map[string]string{}}
		for text := range strings.Lines(string(must.Get(os.ReadFile(path))(t))) {
			text = strings.TrimRight(text, "\n")
			if strings.HasPrefix(text, "#") || text != "" && !strings.ContainsAny(text[:1], "/!* ") {
				break
			}
			if m := line.FindStringSubmatch(text); m != nil && slices.Contains(known, m[1]) {
				p.keys[m[1]] = m[2]
			}
		}
		programs = append(programs, p)
	}
	return programs
}

func (p suiteProgram) name() string { return strings.TrimSuffix(p.source, filepath.Ext(p.source)) }

// compiler returns the compiler command of the program.
func (p suiteProgram) compiler() string {
	switch filepath.Ext(p.source) {
	case ".cc":
		return "g++"
	case ".f90":
		return "gfortran"
	}
	return "gcc"
}

// object compiles the program to a shared object, or skips the test where a library is missing.
func (p suiteProgram) object(t *testing.T) string {
	t.Helper()
	testrun.Needs(t, p.compiler())
	dir := t.TempDir()
	link := strings.Fields(p.keys["link"])
	if len(link) > 0 {
		empty := filepath.Join(dir, "empty.c")
		must.Do(t, os.WriteFile(empty, nil, 0o666))
		if out, err := exec.Command("gcc", append([]string{"-shared", "-o", filepath.Join(dir, "empty.so"), empty}, link...)...).CombinedOutput(); err != nil {
			t.Skipf("%s: %s", p.keys["link"], out)
		}
	}
	object := filepath.Join(dir, p.name()+".so")
	words := append([]string{"-O2", "-g", "-w", "-fPIC", "-shared", "-Iinclude", "-o", object}, strings.Fields(p.keys["options"])...)
	words = append(words, filepath.Join("testdata/suite", p.source))
	if p.compiler() == "gfortran" {
		words = append(words, "-fno-backtrace", "-J", dir, "testdata/programs/fortran_main.c")
	}
	out, err := exec.Command(p.compiler(), append(append(words, link...), "-lm")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", p.compiler(), words, err, out)
	}
	return object
}

// check runs the program and reports "right" or "refused", and an error for another result.
func (p suiteProgram) check(t *testing.T, c testrun.Command) string {
	t.Helper()
	if n := p.keys["input"]; n != "" {
		var lines int
		fmt.Sscan(n, &lines)
		c.In = numbersTo(lines)
	}
	r := c.Run(t)
	if want, refused := p.keys["refused"]; refused {
		var own []string // the others are the launcher's
		for line := range strings.Lines(r.Err) {
			if strings.HasPrefix(line, p.name()+": ") {
				own = append(own, line)
			}
		}
		if r.Code == 0 || len(own) != 1 || !regexp.MustCompile(want).MatchString(own[0]) || strings.Contains(r.Err, "goroutine ") {
			t.Errorf("%s: code %d, printed %q, want one line that matches %q:\n%s", c, r.Code, r.Out, want, r.Err)
		}
		return "refused"
	}
	if r.Code != 0 || r.Out != "all is right\n" {
		t.Errorf("%s: code %d, printed %q\n%s", c, r.Code, r.Out, r.Err)
	}
	want, warned := p.keys["warns"]
	if warned && !regexp.MustCompile(want).MatchString(r.Err) || r.Err != "" && !warned {
		t.Errorf("%s: stderr has %q, want %q", c, r.Err, want)
	}
	return "right"
}

// runSuite runs each program of testdata/suite with each of several sets of flags and logs a table of
// the results. command makes the command that runs an object.
func runSuite(t *testing.T, ways []string, command func(object string, words []string) testrun.Command) {
	t.Helper()
	var mu sync.Mutex
	var table []string
	count := map[string]int{}
	t.Run("programs", func(t *testing.T) {
		for _, p := range suitePrograms(t) {
			t.Run(p.source, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						mu.Lock()
						defer mu.Unlock()
						count["skipped"]++
					}
				}()
				object := p.object(t)
				for _, way := range ways {
					if strings.Contains(way, "-shake") && p.keys["moves"] == "no" {
						continue
					}
					words := strings.Fields(way + " -quiet " + p.keys["flags"] + " -- " + p.keys["arguments"])
					result := p.check(t, command(object, words))
					if t.Failed() {
						result = "WRONG"
					}
					mu.Lock()
					count[result]++
					table = append(table, fmt.Sprintf("%-24s %-32s %s", p.source, way, result))
					mu.Unlock()
				}
			})
		}
	})
	slices.SortFunc(table, cmp.Compare[string])
	t.Logf("right %d, refused %d, wrong %d, programs skipped %d\n%s", count["right"], count["refused"], count["WRONG"], count["skipped"], strings.Join(table, "\n"))
}

// A program gives the right result or is refused with one line that states the reason.
func TestSuite(t *testing.T) {
	runSuite(t, []string{"-procs 4 -ranks 2", "-procs 4 -ranks 2 -shake"}, func(object string, words []string) testrun.Command {
		return program(object, words...)
	})
}

func TestUnderMPISuite(t *testing.T) {
	launcher := testrun.MPI(t)
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	runSuite(t, []string{"-procs 4", "-procs 4 -shake"}, func(object string, words []string) testrun.Command {
		return launcher.On(2, testrun.Command{Words: append([]string{suite}, words...), Env: []string{testVariable + "=" + object}})
	})
}
