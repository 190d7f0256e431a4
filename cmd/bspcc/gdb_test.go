package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Two files, because a global variable of another file is searched for in all objects.
const stepped = `#include <bsp.h>
int here, total;
void add(int n);
static void step(int k) {
  here = 100 * bsp_pid() + k;
  add(10 * bsp_pid());
  bsp_sync();
}
int main(void) {
  bsp_begin(bsp_nprocs());
  for (int k = 1; k <= 3; k++) step(k);
  if (bsp_pid() == 2) *(volatile int *)16 = total;
  bsp_sync();
  bsp_end();
  return 0;
}
`

const added = `extern int here, total;
void add(int n) {
  total += n;
}
`

// Gdb shows functions, lines and variables of processes that run, wait or have failed, in a program
// and in its core file.
func TestGdb(t *testing.T) {
	if out, err := exec.Command("gdb", "-batch", "-ex", "python import gdb.unwinder").CombinedOutput(); err != nil || len(out) > 0 {
		t.Skipf("gdb is NOT TESTED: %v %s", err, out)
	}
	bin := commands(t, "cgo")
	dir := t.TempDir()
	write := func(name, text string) { must.Write(t, filepath.Join(dir, name), text, 0o666) }
	write("step.c", stepped)
	write("add.c", added)
	run := func(words ...string) string {
		t.Helper()
		c := testrun.Command{Words: words, Dir: dir}
		return c.Must(t)
	}
	run(filepath.Join(bin, "bspcc"), "-g", "-o", "step", "step.c", "add.c")
	write("migbsp.py", run(filepath.Join(bin, "bspcc"), "bsprun", "-gdb"))
	expect := func(got string, patterns ...string) {
		t.Helper()
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(got) {
				t.Errorf("no %q in\n%s", p, got)
			}
		}
	}

	write("commands", `set pagination off
break add if n == 30
run
backtrace
list
delete
break step.c:7 if $migbsp() == 1 && $migbsp("here") == 102
continue
next
print here * 1000 + $migbsp()
delete
continue
backtrace
print here * 1000 + total
migbsp
migbsp process 3
backtrace
print here * 1000 + total
kill
`)
	expect(run("gdb", "-batch", "-x", "migbsp.py", "-x", "commands", "--args", "./step", "-procs", "4"),
		`hit Breakpoint 1[.\d]*, add \(n=30\) at add.c:3`,
		`(?m)^#0 +add \(n=30\) at add.c:3\n#1 .* step \(k=1\) at step.c:6\n#2 .* main \(\) at step.c:11$`,
		`3\t  total \+= n;`,
		`hit Breakpoint 2[.\d]*, step \(k=2\) at step.c:7`,
		`= 102001\n`,
		`received signal SIGSEGV`,
		`(?m)^#0 .* main \(\) at step.c:12$`,
		`= 203060\n`,
		`process 2: main, step.c:12\nprocess 3: \w+, step.c:(7|13|14)\n`,
		`(?s)process 3.*#\d .* (step \(k=3\) at step.c:7|main \(\) at step.c:1[34])\n`,
		`= 303090\n`)

	crash := testrun.Command{Words: []string{"sh", "-c", "ulimit -c unlimited; exec ./step -procs 4"}, Dir: dir}
	crash.Fails(t, "process 2, rank 0, step.c:12: Segmentation fault|process 2, rank 1, step.c:12: Segmentation fault")
	cores := must.Get(filepath.Glob(filepath.Join(dir, "core*")))(t)
	if len(cores) == 0 {
		pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
		t.Skipf("core files are NOT TESTED: they are not written to the directory of the program (%q)", pattern)
	}
	write("commands", `backtrace
print here * 1000 + total
migbsp process 1
print here * 1000 + total
migbsp
`)
	expect(run("gdb", "-batch", "-x", "migbsp.py", "-x", "commands", filepath.Join(bin, "bspcc"), cores[0]),
		`(?m)^#0 .* main \(\) at step.c:12$`,
		`= 203060\n(.*\n)*.*= 103030\n`,
		`process 2: main, step.c:12\n`)
}

func TestGdbRefused(t *testing.T) {
	bin := commands(t, "cgo")
	refused := testrun.Line(filepath.Join(bin, "bspcc"), "bsprun -gdb -mpi 2 ./lu")
	refused.Fails(t, "-gdb starts a program on one rank: .*attach to a rank by")
	without := testrun.Line(filepath.Join(bin, "bspcc"), "bsprun -gdb "+"/bin/true")
	without.Fails(t, "is not a program that bspcc")
}
