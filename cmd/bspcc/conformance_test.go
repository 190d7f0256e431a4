package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// sources has the programs in C of the tests.
const sources = "../../bsplib/cbsp/testdata/"

// commands builds the commands, and returns their directory.
func commands(t *testing.T, tags string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("C programs run on Linux, on two kinds of processors")
	}
	if _, err := exec.LookPath("cc"); err != nil || os.Getenv("CGO_ENABLED") == "0" {
		t.Skip("needs cgo and a C compiler")
	}
	dir := testrun.Build(t, tags, "./cmd/bspcc")
	for _, name := range []string{"bspcxx", "bspfc", "bsprun"} {
		must.Do(t, os.Symlink("bspcc", filepath.Join(dir, name)))
	}
	return dir
}

// check is a check of the conformance program: its name, and the expected result.
type check struct{ name, want string }

var checkLine = regexp.MustCompile(`(?m)^(?:CHECK|WHOLE)\((\w+), ("(?:[^"\\]|\\.)*")\)`)

func checks(t *testing.T) (all []check) {
	t.Helper()
	files, _ := filepath.Glob(sources + "conformance/*.c")
	for _, file := range files {
		for _, found := range checkLine.FindAllSubmatch(must.Get(os.ReadFile(file))(t), -1) {
			all = append(all, check{string(found[1]), must.Get(strconv.Unquote(string(found[2])))(t)})
		}
	}
	if len(all) < 250 {
		t.Fatalf("only %d checks have been found", len(all))
	}
	return all
}

// compileChecks compiles the conformance program, with options.
func compileChecks(t *testing.T, dir string, options ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "conformance")
	testrun.Command{Words: slices.Concat([]string{filepath.Join(dir, "bspcc"), "-o", program}, options, conformanceFiles(t))}.Must(t)
	return program
}

// conformanceFiles returns the files of the conformance program, with options.
func conformanceFiles(t *testing.T) []string {
	t.Helper()
	files := must.Get(filepath.Glob(sources + "conformance/*.c"))(t)
	return append([]string{"-std=c99", "-D_GNU_SOURCE", "-O1", "-Wall", "-Werror"}, files...)
}

// run runs a check, by a command line that its name is added to.
func (c check) run(t *testing.T, line testrun.Command) {
	t.Helper()
	line.Words = append(line.Words[:len(line.Words):len(line.Words)], c.name, "first", "second argument")
	line.In = "3 17\n"
	r := line.Run(t)
	ok := r.Code == 0 && arrived(line, r.Out) == arrived(line, c.want)
	if text, aborts := strings.CutPrefix(c.want, "abort: "); aborts {
		ok = r.Code != 0 && strings.Contains(r.Err, text)
	}
	if code, exits := strings.CutPrefix(c.want, "exit "); exits {
		ok = strconv.Itoa(r.Code) == code
	}
	if !ok {
		t.Errorf("%s: code %d, want %q\n%s%s", line, r.Code, c.want, r.Out, r.Err)
	}
}

// arrived returns the output in comparable form. A launcher of MPI prints lines of several ranks in
// any order, also the lines of a process that has moved.
func arrived(line testrun.Command, output string) string {
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if slices.Contains(line.Words, "-shake") && !slices.Contains(line.Words, "-ranks") {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n")
}

// Primitives conform to BSPlib on one rank, on two, and if processes move after each superstep.
func TestConformance(t *testing.T) {
	program := compileChecks(t, commands(t, "cgo"))
	for _, flags := range []string{"-ranks 1", "-ranks 2", "-ranks 2 -shake"} {
		t.Run(flags, func(t *testing.T) {
			for _, c := range checks(t) {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, testrun.Line(program, "-procs 4 -quiet "+flags))
				})
			}
		})
	}
}

// fewRuns returns the checks for ranks of MPI. Those that can share a program are together, in four
// runs, because the size of a process grows with the checks and all of it moves. The others are
// apart. All ends of a program use the same code there, so a tenth of them is enough.
func fewRuns(t *testing.T) (together, apart []check) {
	var names []string
	ends := 0
	for _, c := range checks(t) {
		if c.want == "ok" && !strings.HasPrefix(c.name, "input_") {
			names = append(names, c.name)
			continue
		}
		if strings.HasPrefix(c.want, "abort: ") {
			if ends++; ends%10 != 0 {
				continue
			}
		}
		apart = append(apart, c)
	}
	for part := range slices.Chunk(names, len(names)/4+1) {
		together = append(together, check{strings.Join(part, ","), "ok"})
	}
	return together, apart
}

// runFew runs the checks of fewRuns: those that are together with each of some flags, and the
// others with the last one. They run in parallel, because launchers take longer than programs.
func runFew(t *testing.T, line func(flags string) testrun.Command, flags ...string) {
	t.Helper()
	together, apart := fewRuns(t)
	run := func(name string, c check, flags string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t, line(flags))
		})
	}
	for _, c := range apart {
		run(c.name, c, flags[len(flags)-1])
	}
	for i, c := range together {
		for _, f := range flags {
			run(fmt.Sprint("together", i, f), c, f)
		}
	}
}

// The same on two ranks of MPI.
func TestUnderMPIConformance(t *testing.T) {
	launcher := testrun.MPI(t)
	program := compileChecks(t, commands(t, "mpi"))
	runFew(t, func(flags string) testrun.Command {
		return launcher.On(2, testrun.Line(program, "-procs 4 -quiet"+flags))
	}, "", " -shake")
}

// program is one of the directory programs, which prints ok.
type program struct{ command, options, file string }

var programs = []program{
	{"bspcc", "-dialect multicore -Wall -Werror", "multicore.c"},
	{"bspcc", "-dialect multicore -O2 -Wall -Werror", "direct.c"},
	{"bspcc", "-std=c99 -Wall -Wextra -Werror", "codes.c"},
	{"bspcxx", "-std=c++11 -Wall -Wextra -Werror", "codes.cc"},
	{"bspcc", "-std=c99 -Wall -Wextra -Werror", "lpf.c"},
	{"bspcxx", "-Wall -Werror", "classes.cc"},
	{"bspfc", "-Wall", "module.f90"},
	{"bspfc", "-Wall", "common.f"},
}

// compile compiles the program, or skips the test if its compiler is missing.
func (p program) compile(t *testing.T, dir string, options ...string) string {
	t.Helper()
	for i := range compilers {
		if _, err := compilers[i].find(); err != nil && compilers[i].command == p.command {
			t.Skip(err)
		}
	}
	source := must.Get(filepath.Abs(sources + "programs/" + p.file))(t)
	c := testrun.Command{Dir: t.TempDir()} // Fortran writes modules into it
	out := filepath.Join(c.Dir, "program")
	c.Words = slices.Concat([]string{filepath.Join(dir, p.command)}, strings.Fields(p.options), options, []string{source, "-o", out})
	c.Must(t)
	return out
}

// Programs in the other dialect and the other languages.
func TestLanguages(t *testing.T) {
	dir := commands(t, "cgo")
	for _, p := range programs {
		p.run(t, dir, func(program string) (lines []testrun.Command) {
			for _, flags := range []string{"-ranks 1", "-ranks 2", "-ranks 2 -shake"} {
				lines = append(lines, testrun.Line(program, "-procs 4 -quiet "+flags))
			}
			return lines
		})
	}
}

// run compiles the program, in parallel with others, and checks the output of the lines that run
// it.
func (p program) run(t *testing.T, dir string, lines func(program string) []testrun.Command, options ...string) {
	t.Helper()
	t.Run(p.file, func(t *testing.T) {
		t.Parallel()
		for _, line := range lines(p.compile(t, dir, options...)) {
			if said := line.Must(t); said != "ok\n" {
				t.Errorf("%s: %q", line, said)
			}
		}
	})
}

func TestUnderMPILanguages(t *testing.T) {
	launcher := testrun.MPI(t)
	dir := commands(t, "mpi")
	for _, p := range programs {
		p.run(t, dir, func(program string) []testrun.Command {
			return []testrun.Command{launcher.On(2, testrun.Line(program, "-procs 4 -quiet -shake"))}
		})
	}
}

// The programs shown in pages print the same on all ranks and after any moves.
func TestExamples(t *testing.T) {
	dir := commands(t, "cgo")
	for _, c := range []struct{ file, arguments, in, want string }{
		{"inprod.c", "", "1000\n", "inner product 333833500, expected 333833500\n"},
		{"samplesort.c", "20000", "", "20000 numbers sorted, none is lost\n"},
		{"heat.c", "64 50", "", "heat after 50 steps: 246618.672159\n"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "example")
			testrun.Command{Words: []string{filepath.Join(dir, "bspcc"), "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-o", out, "../../examples/c/" + c.file}}.Must(t)
			for _, flags := range []string{"-ranks 1", "-ranks 2", "-ranks 2 -shake"} {
				line := testrun.Line(out, "-procs 8 -quiet "+flags+" "+c.arguments)
				line.In = c.in
				if said := line.Must(t); said != c.want {
					t.Errorf("%s: %q, want %q", flags, said, c.want)
				}
			}
			if c.file != "heat.c" {
				return
			}
			moved := testrun.Line(out, "-procs 16 -start blocks -table verdict -hosts ../../examples/two-sets.hosts 256 1500").Run(t)
			whole := testrun.Line(out, "-procs 16 -ranks 1 -quiet 256 1500").Must(t)
			if moved.Out != whole || !regexp.MustCompile(`[1-9][0-9]* moves in [1-9]`).MatchString(moved.Err) {
				t.Errorf("on two clusters: %s%s\nwant %s and moves", moved.Out, moved.Err, whole)
			}
		})
	}
}
