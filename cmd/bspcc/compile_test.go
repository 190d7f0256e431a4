package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Options are the compiler's, but for a few.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		line, words, out string
		linked, inputs   bool
	}{
		{"lu.c", "lu.c", "a.out", true, true},
		{"-O2 -o lu lu.c -lm", "-O2 lu.c -lm", "lu", true, true},
		{"-olu lu.o", "lu.o", "lu", true, true},
		{"-c lu.c -o lu.o", "-c lu.c -o lu.o", "a.out", false, true},
		{"-E -", "-E -", "a.out", false, true},
		{"--version", "--version", "a.out", true, false},
		{"-I include -D NAME -v", "-I include -D NAME -v", "a.out", true, false},
		{"-shared -o liblu.so lu.c", "-shared -o liblu.so lu.c", "a.out", false, true},
		{"-no-pie -show lu.c -rdynamic", "lu.c", "a.out", true, true},
		{"-with-launcher lu.c", "lu.c", "a.out", true, true},
		{"-dialect multicore lu.c", "lu.c", "a.out", true, true},
		{"-dialect=bsplib lu.c", "lu.c", "a.out", true, true},
		{"-MF -o -MMD lu.c", "-MF -o -MMD lu.c", "a.out", true, true},
		{"-O3 -flibrary-level 2 -bspfifo 10000 -fcombine-puts -fcombine-puts-buffer 256K,128M,4K lu.c", "-O3 lu.c", "a.out", true, true},
		{"-fcontention-resolve 1 -bspbuffer=64K -fcombine-puts lu.c -prof", "lu.c", "a.out", true, true},
	} {
		r, err := read(strings.Fields(c.line))
		if err != nil || !slices.Equal(r.words, strings.Fields(c.words)) || r.out != c.out || r.linked != c.linked || r.inputs != c.inputs {
			t.Errorf("%s: %+v, %v", c.line, r, err)
		}
	}
	for _, line := range []string{"-dialect", "-dialect oxford lu.c", "-static lu.c"} {
		if _, err := read(strings.Fields(line)); err == nil {
			t.Errorf("%s is taken", line)
		}
	}
}

// bspcc chooses the compiler by the files of its command line.
func TestDriver(t *testing.T) {
	for line, want := range map[string]string{
		"lu.c": "bspcc lu.c", "lu.o -lm": "bspcc lu.o -lm", "-o lu.f90 lu.c": "bspcc lu.c",
		"lu.cc": "bspcxx lu.cc", "-c++ lu.o": "bspcxx lu.o", "lu.cpp part.o": "bspcxx lu.cpp part.o",
		"lu.cc part.c": "bspcc lu.cc part.c -lstdc++", "-c lu.cc part.c": "bspcc -c lu.cc part.c",
		"lu.f90 part.c": "bspfc lu.f90 part.c", "-f77 lu.o": "bspfc lu.o", "lu.F part.cc": "bspfc lu.F part.cc -lstdc++",
	} {
		r := must.Get(read(strings.Fields(line)))(t)
		c := r.driver()
		if got := c.command + " " + strings.Join(r.words, " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestCalled(t *testing.T) {
	for line, want := range map[string]string{
		"bspcc lu.c":           "bspcc lu.c",
		"/usr/bin/bspcxx -c x": "bspcxx -c x",
		"bspcc bspfc x.f":      "bspfc x.f",
		"bspcc.test":           "bspcc",
		"bsprun -n 4 lu":       "bsprun -n 4 lu",
		"anything bsprun lu":   "bsprun lu",
		"bspcc bsprun.c":       "bspcc bsprun.c",
	} {
		name, arguments := called(strings.Fields(line))
		if got := strings.Join(append([]string{name}, arguments...), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

const hello = `#include <bsp.h>
static int procs;
static void spmd(void) {
  bsp_begin(procs);
  bsp_sync();
  bsp_end();
}
int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  procs = bsp_nprocs();
  spmd();
  printf("%d:", procs);
  for (int i = 1; i < argc; i++) printf(" %s", argv[i]);
  puts("");
  return 0;
}
`

// The commands compile, link and start programs as users call them, and report errors.
func TestCommands(t *testing.T) {
	bin := commands(t, "cgo")
	dir := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	file("hello.c", hello)
	file("typo.c", "#include <bsp.h>\nvoid bsp_snyc(void);\nint main(void) { bsp_begin(1); bsp_snyc(); bsp_end(); return 0; }\n")
	file("mixed.c", "void mcbsp_put(void);\n#include <bsp.h>\nint main(void) { mcbsp_put(); return 0; }\n")
	line := func(text string) testrun.Command {
		words := strings.Fields(text)
		from := bin
		if words[0] == "./hello" {
			from = dir
		}
		words[0] = filepath.Join(from, words[0])
		return testrun.Command{Words: words, Dir: dir, Env: []string{"XDG_CACHE_HOME=" + filepath.Join(dir, "cache")}}
	}
	file("classes.cc", "#include <bsp.h>\n#include <iostream>\nint main() { bsp_begin(1); std::cout << \"C++\" << std::endl; bsp_end(); }\n")
	file("part.c", "int part(void) { return 42; }\n")
	file("whole.c", "#include <bsp.h>\nint part(void);\nint main(void) { bsp_begin(1); printf(\"%d\\n\", part()); bsp_end(); return 0; }\n")
	for _, c := range []struct{ line, out string }{
		{"bspcc -shared part.c -o libpart.so", ""},
		{"bspcc whole.c -L. -lpart -Wl,-rpath,$ORIGIN -o hello", ""},
		{"./hello -quiet", "42\n"},
		{"bspcc -O3 -flibrary-level 2 -bspfifo 10000 -fcombine-puts classes.cc -o hello", ""},
		{"./hello -quiet", "C++\n"},
		{"bspcc -O2 -Wall -c hello.c", ""},
		{"bspcc hello.o -o hello", ""},
		{"bspcc -show hello.c", "*hello.c* -shared *-e,migbsp_start* -o a.out *"},
		{"bspcc -show -with-launcher hello.c", "*hello.c* -shared *# a.out is *"},
		{"bspcc -c -show hello.c", "cc -g -I* -c hello.c -fPIC *"},
		{"bspcc -dumpmachine", "*-*"},
		{"bspcc -help", "*Usage: bspcc*-dialect*"},
		{"bsprun -help", "*Usage: bsprun*-strategy*-procs*"},
		{"./hello -procs 3 -quiet input -quiet", "3: input -quiet\n"},
		{"./hello -quiet -procs 2 -- -procs 7", "2: -procs 7\n"},
		{"bsprun -n 5 -quiet -strategy off ./hello -n 1", "5: -n 1\n"},
		{"bsprun -quiet -npes 2 -- ./hello -- x", "2: -- x\n"},
		{"bsprun -show -mpi 4 -n 8 ./hello x", "mpirun -n 4 ./hello -procs 8 -- x\n"},
	} {
		out := line(c.line).Must(t)
		if !matches(c.out, out) {
			t.Errorf("%s: %q, want %q", c.line, out, c.out)
		}
	}
	for _, c := range []struct{ line, text string }{
		{"bspcc", "no files"},
		{"bspcc typo.c", "undefined reference to `bsp_snyc'"},
		{"bspcc nothing.c", "nothing.c"},
		{"bspcc -static hello.c", "-static"},
		{"bspcc -dialect oxford hello.c", "bsplib and multicore"},
		{"bsprun", "no program"},
		{"bsprun -frob ./hello", "-frob is no flag"},
		{"bsprun ./nothing", "^bsprun: ./nothing does not exist: compile it first, as in  bspcc nothing.c -o ./nothing\n$"},
		{"bsprun nothing", "^bsprun: nothing is not in PATH, and no file in this directory: compile it first, as in  bspcc nothing.c -o nothing\n$"},
		{"bsprun ./nothing.so", "^bsprun: ./nothing.so does not exist: "},
		{"bsprun hello", "^bsprun: hello is not in PATH: for the file in this directory write ./hello\n$"},
		{"bsprun hello.c", "^bsprun: hello.c is not executable: compile it with bspcc, bspcxx or bspfc, and name the program that they write\n$"},
		{"bsprun .", "^bsprun: . is a directory: expected a program\n$"},
		{"bsprun hello.c/x", "^bsprun: hello.c/x cannot be found: not a directory\n$"},
		{"bsprun /bin/true", "^bsprun: /bin/true is not a program that bspcc, bspcxx or bspfc has compiled: compile it with one of them\n$"},
		{"bsprun -survive no -mpi 2 ./hello", "^bsprun: -survive \"no\": expected a number of losses, such as 3"},
		{"./hello -procs", "-procs needs a value"},
	} {
		line(c.line).Fails(t, c.text)
	}
	with := func(variable, text string) testrun.Command {
		c := line(text)
		c.Env = append(c.Env, variable)
		return c
	}
	with("PATH=/nowhere", "bspcc hello.c").Fails(t, "there is no cc, gcc, clang in PATH: apt-get install gcc")
	with("MIGBSP_CC=nocc -O3", "bspcc hello.c").Fails(t, "nocc cannot be run")
	if _, err := exec.LookPath("musl-gcc"); err == nil {
		with("MIGBSP_CC=musl-gcc", "bspcc hello.c").Fails(t, "^bspcc: musl-gcc is for a C library that is not glibc, such as musl: programs need glibc, so choose another compiler\n$")
	}
	with("PATH=/nowhere", "bsprun -survive 2 -mpi 4 ./hello").Fails(t, "^bsprun: -survive needs migbsp, which is neither beside bsprun nor in PATH: ")
	if r := line("bsprun -survive 2 -quiet -n 2 ./hello x").Run(t); r.Code != 0 || r.Out != "2: x\n" || !strings.HasPrefix(r.Err, "bsprun: -survive 2 has no effect: ") {
		t.Errorf("in one process: %+v", r)
	}
	must.Do(t, os.WriteFile(filepath.Join(bin, "migbsp"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o777))
	if out := line("bsprun -survive 2 -mpi 4 -n 8 ./hello x").Must(t); out != "run -survive 2 -- mpirun -n 4 ./hello -procs 8 -- x\n" {
		t.Errorf("under migbsp: %q", out)
	}
	with("XDG_CACHE_HOME=/dev/null/none", "bspcc hello.c -o hello").Must(t)
	hidden := filepath.Join(t.TempDir(), "hidden")
	bspcc := filepath.Join(bin, "bspcc")
	line("bspcc -with-launcher hello.c -o whole").Must(t)
	must.Do(t, os.Rename(bspcc, hidden))
	line("./hello").Fails(t, "bspcc of migbsp, which runs it, is neither where it was when this was linked nor in PATH")
	for path, variable := range map[string]string{"hello": "MIGBSP_LAUNCHER=" + hidden, "whole": "LC_ALL=C"} {
		moved := testrun.Line(filepath.Join(dir, path), "-quiet -procs 2 x")
		moved.Env = []string{variable}
		if out := moved.Must(t); out != "2: x\n" {
			t.Errorf("%s, its launcher elsewhere: %q", path, out)
		}
	}
}

// matches reports whether text matches a pattern in which * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) || !strings.HasSuffix(text, parts[len(parts)-1]) {
		return false
	}
	for _, part := range parts {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}
