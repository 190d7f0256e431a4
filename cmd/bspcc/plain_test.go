package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// plainCommands builds the commands, and next to them the library of programs with one process on
// each rank.
func plainCommands(t *testing.T, tags string) string {
	t.Helper()
	dir := commands(t, tags)
	library := testrun.Line(filepath.Join(testrun.Root(t), "scripts/libmigbsp"), dir)
	library.Env = []string{"TAGS=" + tags}
	library.Must(t)
	return dir
}

// compilePlain compiles a program with one process on each rank.
func compilePlain(t *testing.T, dir, command string, words ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	testrun.Command{Words: append([]string{filepath.Join(dir, command), "-static-rank", "-o", out}, words...)}.Must(t)
	return out
}

// needSeveral are checks whose program must have more than one process to end as it does.
var needSeveral = regexp.MustCompile("of_one$|others|differ|by_some|where_it_is_null|of_the_target|^begin_|^nprocs_|^output_before|beyond_the_end|^sum_|^input_")

// Errors that end a program with a process end it with the same line if it is linked statically.
func TestStaticRank(t *testing.T) {
	dir := plainCommands(t, "cgo")
	program := compileChecks(t, dir, "-static-rank")
	for _, c := range checks(t) {
		if c.want != "ok" && !needSeveral.MatchString(c.name) {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, testrun.Line(program, "-quiet"))
			})
		}
	}
	for _, p := range programs {
		p.run(t, dir, func(program string) []testrun.Command { return []testrun.Command{testrun.Line(program, "-quiet")} }, "-static-rank")
	}
}

// Flags, errors and ends are as with a launcher; flags that need several processes are refused.
func TestStaticRankFlags(t *testing.T) {
	dir := plainCommands(t, "cgo")
	program := compilePlain(t, dir, "bspcc", "-g", sources+"programs/plain.c")
	for _, c := range []struct {
		flags, arguments string
		code             int
		out, err         string // the output, as regular expressions
	}{
		{"-quiet", "a -quiet", 0, "^1 process, 2 arguments: a -quiet\nafter\n$", "^$"},
		{"-quiet --", "-version", 0, "^1 process, 1 arguments: -version\n", "^$"},
		{"-table verdict", "", 0, "^1 process, 0 arguments:\nafter\n$", "1 process on 1 rank, -balance off\n"},
		{"-version", "", 0, `^program \(migbsp\)`, "^$"},
		{"-procs 4", "", 2, "^$", "^program: -procs 4: .*one process.*: 4 processes on 1 rank here\n$"},
		{"-procs x", "", 2, "^$", "^program: invalid value \"x\" for flag -procs"},
		{"-procs", "", 2, "^$", "^program: -procs needs a value\n$"},
		{"-balance pwor -quiet", "", 0, "^1 process", "^program: processes stay where they are: .*one process.*\n$"},
		{"-heap 1GiB", "", 2, "^$", "^program: -heap 1GiB: a program that is linked with -static-rank has the heap of its system .*\n$"},
		{"-shake", "", 1, "^$", "^program: -shake: .*one process.*\n$"},
		{"-checkpoint .", "", 1, "^$", "^program: -checkpoint .: .*one process.*\n$"},
		{"-quiet", "code", 5, "^1 process", "^$"},
		{"-quiet", "early", 7, "^$", "^$"},
		{"-quiet", "exit", 1, "^1 process", `^program: superstep 1, process 0, rank 0, plain.c:\d+: bsp_end: was not called before end of program: exit\(3\)\n$`},
		{"-quiet", "null", 1, "^1 process", `^program: superstep 1, process 0, rank 0, plain.c:\d+: Segmentation fault: access to memory at 0x8\n$`},
		{"-quiet", "stack", 1, "^1 process", `^program: superstep 1, process 0, rank 0, plain.c:\d+: Segmentation fault: stack overflow`},
		{"-quiet", "abort", 1, "^1 process", `^program: superstep 1, process 0, rank 0.*: abort\n$`},
		{"-quiet", "thread", 1, "^$", `^program: bsp_pid: called by a thread that is not a process\n$`},
	} {
		r := testrun.Line(program, c.flags+" "+c.arguments).Run(t)
		if r.Code != c.code || !regexp.MustCompile(c.out).MatchString(r.Out) || !regexp.MustCompile(c.err).MatchString(r.Err) {
			t.Errorf("%s %s: code %d, want %d\n%q, want %s\n%q, want %s", c.flags, c.arguments, r.Code, c.code, r.Out, c.out, r.Err, c.err)
		}
	}
	if out := testrun.Line(filepath.Join(dir, "bsprun"), "-n 1 "+program+" -quiet").Must(t); !strings.Contains(out, "1 process, 1 arguments: -quiet\n") {
		t.Errorf("bsprun: %q", out)
	}
}

// Tools for ordinary executables work with the program.
func TestStaticRankTools(t *testing.T) {
	dir := plainCommands(t, "cgo")
	source := sources + "programs/plain.c"
	t.Run("sanitizer", func(t *testing.T) {
		probe := exec.Command("cc", "-fsanitize=address", "-x", "c", "-", "-o", "/dev/null")
		probe.Stdin = strings.NewReader("int main(void) { return 0; }")
		if probe.Run() != nil {
			t.Skip("the compiler has no address sanitizer")
		}
		program := compilePlain(t, dir, "bspcc", "-g", "-fsanitize=address", source)
		testrun.Line(program, "-quiet").Must(t)
		testrun.Line(program, "-quiet beyond").Fails(t, "AddressSanitizer: heap-buffer-overflow")
		testrun.Line(filepath.Join(dir, "bspcc"), "-fsanitize=address "+source).Fails(t, "-fsanitize=address needs -static-rank")
	})
	program := compilePlain(t, dir, "bspcc", "-g", source)
	t.Run("gdb", func(t *testing.T) {
		if _, err := exec.LookPath("gdb"); err != nil {
			t.Skip(err)
		}
		if out := testrun.Line("gdb", "-batch -ex run -ex bt --args "+program+" -quiet null").Run(t).Out; !regexp.MustCompile(`#0 .* in main .*plain.c:\d+`).MatchString(out) {
			t.Errorf("gdb says\n%s", out)
		}
	})
	t.Run("valgrind", func(t *testing.T) {
		if _, err := exec.LookPath("valgrind"); err != nil {
			t.Skip(err)
		}
		line := "-q --error-exitcode=9 --suppressions=" + filepath.Join(testrun.Root(t), "bsplib/cbsp/libmigbsp/valgrind.supp") + " " + program + " -quiet "
		testrun.Line("valgrind", line).Must(t)
		testrun.Line("valgrind", line+"beyond").Fails(t, "Invalid write of size 4")
	})
	must.Do(t, os.Remove(filepath.Join(dir, plainName)))
	testrun.Line(filepath.Join(dir, "bspcc"), "-static-rank "+source).Fails(t, "there is no libmigbsp.so beside .*scripts/libmigbsp ")
}

// All checks, on four ranks of MPI with a process each, and sections in programs of MPI.
func TestUnderMPIStaticRank(t *testing.T) {
	launcher := testrun.MPI(t)
	dir := plainCommands(t, "mpi")
	program := compileChecks(t, dir, "-static-rank")
	runFew(t, func(string) testrun.Command { return launcher.On(4, testrun.Line(program, "-quiet")) }, "")
	t.Run("fewer than ranks, with a launcher", func(t *testing.T) {
		check{"nprocs_after_end", "3\n"}.run(t, launcher.On(4, testrun.Line(compileChecks(t, dir), "-quiet")))
	})
	for _, p := range programs {
		p.run(t, dir, func(program string) []testrun.Command {
			return []testrun.Command{launcher.On(2, testrun.Line(program, "-quiet"))}
		}, "-static-rank")
	}
	t.Run("lost", func(t *testing.T) {
		plain := compilePlain(t, dir, "bspcc", sources+"programs/plain.c")
		launcher.On(2, testrun.Line(plain, "-quiet killed")).Fails(t, "rank 1 on .* is lost: ended by signal 9")
	})
	withMPI := func(t *testing.T, options ...string) (out string) {
		out = filepath.Join(t.TempDir(), "program")
		words := slices.Concat([]string{filepath.Join(dir, "bspcc"), "-Wall", "-Werror", "-o", out}, options, strings.Fields(os.Getenv("CGO_CFLAGS")+" "+os.Getenv("CGO_LDFLAGS")))
		if os.Getenv("CGO_CFLAGS") == "" {
			words = append(words, "-I/usr/lib/x86_64-linux-gnu/openmpi/include", "-L/usr/lib/x86_64-linux-gnu/openmpi/lib", "-lmpi")
		}
		testrun.Command{Words: words}.Must(t)
		return out
	}
	t.Run("calls of MPI", func(t *testing.T) {
		object, plain := withMPI(t, sources+"programs/mpi.c"), withMPI(t, "-static-rank", sources+"programs/mpi.c")
		for _, where := range []string{"nowhere", "before", "within", "after"} {
			if said := launcher.On(3, testrun.Line(plain, "-quiet "+where)).Must(t); said != "ok\nok\nok\n" {
				t.Errorf("-static-rank, %s: %q", where, said)
			}
		}
		launcher.On(3, testrun.Line(plain, "-quiet few")).Fails(t, `program: process 1, mpi.c:\d+: bsp_begin: the program has begun MPI on more ranks than the 1 that get a process: `)
		for _, where := range []string{"nowhere", "within"} {
			if said := launcher.On(3, testrun.Line(object, "-quiet "+where)).Must(t); said != "ok\n" {
				t.Errorf("%s: %q", where, said)
			}
		}
		for _, where := range []string{"before", "after"} {
			launcher.On(3, testrun.Line(object, "-quiet "+where)).Fails(t, `program: (superstep \d+, )?process 0,( rank 0,)? mpi.c:12: MPI_Allreduce: only process 0 runs before bsp_begin and after bsp_end`)
		}
		launcher.On(2, testrun.Line(object, "-quiet -procs 4 within")).Fails(t, `program: superstep 2, process \d, rank \d, mpi.c:12: MPI_Allreduce: called by process \d of 4 on rank \d of 2: it needs one process on each rank`)
		testrun.Line(object, "-quiet").Fails(t, `^program: process 0, mpi.c:\d+: MPI_Init: MPI has not begun: start the program by mpirun, .*\n$`)
		if said := testrun.Line(plain, "-quiet after").Must(t); said != "ok\n" {
			t.Errorf("without a launcher: %q", said)
		}
	})
	t.Run("hook", func(t *testing.T) {
		out := withMPI(t, "-static-rank", sources+"programs/hook.c")
		for _, ranks := range []int{1, 2, 4} {
			if said := launcher.On(ranks, testrun.Line(out, "")).Must(t); said != "ok\n" {
				t.Errorf("%d ranks: %q", ranks, said)
			}
		}
		dir := filepath.Join(t.TempDir(), "run")
		accounted := testrun.Line(out, "")
		accounted.Env = []string{"MIGBSP_TABLE=sites", "MIGBSP_RUN_DIR=" + dir}
		if said := launcher.On(2, accounted).Run(t).Err; !regexp.MustCompile(`(?s)2 processes on 2 ranks, -balance off.*hook.c:\d+ .*record +migbsp report\s.*run-6`).MatchString(said) {
			t.Errorf("the account is\n%s", said)
		}
		if records, _ := filepath.Glob(dir + "*"); len(records) != 9 { // of 6 sections of rank 0 and 3 of rank 1
			t.Errorf("records are %q", records)
		}
		if said := launcher.On(2, testrun.Line(out, "-table verdict")).Run(t).Err; !strings.Contains(said, "2 processes on 2 ranks") {
			t.Errorf("by a flag the account is\n%s", said)
		}
		refused := testrun.Line(out, "")
		refused.Env = []string{"MIGBSP_SHAKE=true"}
		launcher.On(2, refused).Fails(t, "program: MIGBSP_SHAKE=true: .*one process")
		for how, text := range map[string]string{
			"pid":  "program: superstep 2, process 1, rank 1, hook.c:20: bsp_put: The destination process ID does not exist",
			"exit": `program: superstep 2, process 1, rank 1, hook.c:\d+: bsp_end: was not called before end of program: exit\(3\)`,
			"push": "bsp_sync/bsp_push_reg: Not all processes registered the same number of memory blocks",
		} {
			launcher.On(4, testrun.Line(out, how)).Fails(t, text)
		}
	})
}
