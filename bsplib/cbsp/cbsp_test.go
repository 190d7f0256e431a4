//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// testVariable names the object that this test binary runs as its launcher, instead of its tests.
const testVariable = "CBSP_TEST_OBJECT"

func TestMain(m *testing.M) {
	if path := os.Getenv(testVariable); path != "" {
		flags, own, err := Arguments(os.Args[1:])
		if err != nil {
			panic(err)
		}
		Main(Object{Path: path}, flags, append([]string{strings.TrimSuffix(filepath.Base(path), ".so")}, own...))
	}
	os.Exit(m.Run())
}

// compile makes an object of programs in testdata, or skips the test.
func compile(t testing.TB, compiler string, sources ...string) string {
	t.Helper()
	compiler, options, _ := strings.Cut(compiler, " ")
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("no %s: programs are not compiled", compiler)
	}
	dir := t.TempDir()
	object := filepath.Join(dir, strings.TrimSuffix(sources[0], filepath.Ext(sources[0]))+".so")
	words := []string{"-O2", "-g", "-fPIC", "-shared", "-Iinclude", "-J", dir, "-o", object}
	if compiler != "gfortran" {
		words = append(words[:5:5], words[7:]...)
	}
	words = append(words, strings.Fields(options)...)
	for _, source := range sources {
		words = append(words, filepath.Join("testdata/programs", source))
	}
	out, err := exec.Command(compiler, append(words, "-lm")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", compiler, words, err, out)
	}
	return object
}

// program returns a command that runs an object in a launcher.
func program(object string, words ...string) testrun.Command {
	return testrun.Command{Words: append([]string{os.Args[0]}, words...), Env: []string{testVariable + "=" + object}}
}

// ways are flags for runs in one Go program.
var ways = []string{"-procs 1", "-procs 5 -ranks 1", "-procs 5 -ranks 2", "-procs 5 -ranks 2 -shake"}

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ compiler, sources string }{
		{"gcc", "all.c"}, {"gcc", "keeps.c"}, {"gcc -pthread", "unpinned.c"}, {"gcc", "heap.c"}, {"gcc", "nested.c"}, {"gcc", "apart.c"}, {"gcc", "messages.c"}, {"g++", "moves.cc"}, {"g++ -std=c++17", "thrown.cc"}, {"g++ -std=c++17 -pthread", "threads.cc"}, {"gfortran", "moves.f90 fortran_main.c"},
	} {
		t.Run(c.sources, func(t *testing.T) {
			object := compile(t, c.compiler, strings.Fields(c.sources)...)
			for _, way := range ways {
				p := program(object, strings.Fields(way+" -quiet")...)
				if out := p.Must(t); !strings.Contains(out, "all is right\n") || strings.Count(out, "once\n") > 1 {
					t.Errorf("%s: %q", way, out)
				}
			}
			p := program(object, strings.Fields("-procs 5 -ranks 2 -shake -quiet")...)
			p.Env = append(p.Env, "MIGBSP_HEAP=6GiB") // in longer slots
			if out := p.Must(t); !strings.Contains(out, "all is right\n") {
				t.Errorf("%s: %q", p.Env, out)
			}
		})
	}
}

// Primitives find their process without a function of the dynamic linker. The compiler would call one
// unless it can assume that the thread's variable is in the program itself.
func TestPrimitivesReadTheirThreadDirectly(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors have other names for that")
	}
	out, err := exec.Command("gcc", "-O2", "-fPIC", "-S", "-o", "-", "primitives.c").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	must.Do(t, err)
	if n := strings.Count(string(out), "__tls_get_addr"); n > 0 {
		t.Errorf("primitives.c calls __tls_get_addr %d times", n)
	}
}

// The account has the reason why a process stays on its rank, and the line.
func TestPinned(t *testing.T) {
	p := program(compile(t, "gcc", "keeps.c"), strings.Fields("-procs 2 -ranks 2 -shake -table full")...)
	out := strings.Join(strings.Fields(p.Run(t).Err), " ")
	for pid := range 2 {
		if want := fmt.Sprintf("note: process %d stays on its rank while it has what tmpfile gave it at keeps.c:23", pid); !strings.Contains(out, want) {
			t.Errorf("%s, want %s", out, want)
		}
	}
}

// The standard output is the program's: the account goes to the standard error, if requested.
func TestAccount(t *testing.T) {
	object := compile(t, "gcc", "ring.c")
	own := program(object, "-procs", "2", "-quiet").Must(t)
	for _, c := range []struct{ flags, account string }{
		{"", "^$"}, {"-table sites", "^ ring\n 2 processes on "}, {"-format json", `^\{\n`}, {"-format csv", "^where,"}, {"-table steps", `^ *step `},
	} {
		r := program(object, strings.Fields("-procs 2 "+c.flags)...).Run(t)
		if r.Code != 0 || r.Out != own || !regexp.MustCompile(c.account).MatchString(r.Err) {
			t.Errorf("%s: code %d, printed %q, want %q, and\n%q, want %q", c.flags, r.Code, r.Out, own, r.Err, c.account)
		}
	}
}

// Errors name the function, the process, the superstep and the line, and end with the right code.
func TestErrors(t *testing.T) {
	object := compile(t, "gcc", "errors.c")
	text := must.Get(os.ReadFile("testdata/programs/errors.c"))(t)
	for _, c := range []struct {
		how  string
		code int
		want string
	}{
		{"", 0, ""},
		{"code", 5, ""},
		{"early", 7, ""},
		{"put", 1, "errors: superstep 2, process 2, rank 1, LINE: bsp_put: Writes 4 bytes beyond registered range of 4 bytes at process 0"},
		{"pid", 1, "errors: superstep 2, process 2, rank 1, LINE: bsp_get: The source process ID does not exist"},
		{"null", 1, "errors: superstep 2, process 2, rank 1, LINE: Segmentation fault: access to memory at 0x8"},
		{"divide", 1, "errors: superstep 2, process 2, rank 1, LINE: Floating point exception"},
		{"stack", 1, "errors: superstep 2, process 2, rank 1, errors.c:[0-9]+: Segmentation fault: stack overflow: the stack of a process has 64 MiB"},
		{"abort", 1, "errors: superstep 2, process 2, rank 1, LINE: stop at 42"},
		{"exit", 1, `errors: superstep 2, process 2, rank 1.*: bsp_end: was not called before end of program: exit\(3\)`},
		{"before", 1, "errors: process 0, LINE: bsp_sync: can only be called within SPMD section"},
		{"frame", 1, "errors: superstep 2, process 2, rank 1, LINE: Segmentation fault: stack overflow: the stack of a process has 64 MiB"},
		{"wide", 1, "errors: superstep 2, process 2, rank 1, LINE: stack overflow: the stack of a process has 64 MiB"},
		{"library", 1, "errors: superstep 2, process 2, rank 1, LINE: Segmentation fault: access to memory at 0x8"},
		{"heap", 1, "errors: superstep 2, process 2, rank 1.*: Segmentation fault: access to memory at .*: 5120 MiB that were asked for are not there, for a process has a heap of 37[0-9][0-9] MiB \\(-heap\\)"},
		{"-heap 6GiB heap", 0, ""},
		{"-heap 3MiB full", 1, "errors: superstep 2, process 2, rank 1, LINE: out of memory: 100000 bytes that were asked for are not there, for a process has a heap of 3 MiB \\(-heap\\)"},
		{"-heap 8TiB", 2, "errors: -heap 8TiB: of 3 processes each can have 5592[0-9]{3}MiB at most \\(see bsprun -help\\)"},
		{"-heap 1KiB", 2, `errors: invalid value "1KiB" for flag -heap: expected 1MiB at least`},
		{"-heap 8", 2, `errors: invalid value "8" for flag -heap: expected a size with a unit, such as 512MiB or 16GiB`},
		{"-procs 5000", 2, "errors: there can be 4096 processes at most"},
		{"-heap 3MiB registrations", 1, "errors: superstep 2, process 2, rank 1, LINE: (bsp_push_reg: )?no memory is left"},
		{"thread", 1, "cbsp.test: bsp_sync: called by a thread that is not a process"},
		{"aborts", 1, "errors: superstep 2, process 2, rank 1, LINE: abort"},
		{"now", 1, `errors: superstep 2, process 2, rank 1.*: bsp_end: was not called before end of program: exit\(3\)`},
		{"return", 1, `errors: superstep 2, process 2, rank 1.*: bsp_end: was not called before end of program: exit\(0\)`},
		{"free", 1, "errors: superstep 2, process 2, rank 1.*: free: the memory at 0x[0-9a-f]+ is free already"},
		{"end", 1, "errors: superstep [0-9]+, process 2, rank 1.*: bsp_sync/bsp_end: Some processes have called bsp_sync, while others have called bsp_end"},
		{"tags", 1, "errors: superstep 2, process [0-9], rank [01], .*: bsp_sync/bsp_set_tagsize: Not all processes announced the same tag size"},
	} {
		line := ""
		for i, l := range strings.Split(string(text), "\n") {
			if strings.Contains(l, "/* LINE "+c.how[strings.LastIndex(c.how, " ")+1:]+" */") {
				line = fmt.Sprint("errors.c:", i+1)
			}
		}
		r := program(object, strings.Fields("-procs 3 -ranks 2 -quiet "+c.how)...).Run(t)
		want := strings.ReplaceAll(c.want, "LINE", line)
		if r.Code != c.code || !regexp.MustCompile("^"+want).MatchString(r.Err) || strings.Count(r.Err, "\n") > 1 {
			t.Errorf("%q: code %d, want %d:\n%s\nwant %s", c.how, r.Code, c.code, r.Err, want)
		}
	}
}

// inputs are programs whose process 0 reads numbers from 1 to so many between supersteps.
var inputs = []struct {
	compiler, sources, arguments string
	numbers                      int
}{
	{"gcc", "input.c", "", 10}, {"gcc", "input.c", "8000", 8000},
	{"g++", "input.cc", "", 300}, {"g++", "input.cc", "apart", 300}, {"gfortran", "input.f90 fortran_main.c", "", 300},
}

func numbersTo(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintln(&text, i+1)
	}
	return text.String()
}

// Process 0 reads the input on every rank, from a file and from a pipe.
func TestInput(t *testing.T) {
	for _, c := range inputs {
		object := compile(t, c.compiler, strings.Fields(c.sources)...)
		for _, way := range ways {
			p := program(object, strings.Fields(way+" -quiet "+c.arguments)...)
			p.In = numbersTo(c.numbers)
			if out := p.Must(t); out != "all is right\n" {
				t.Errorf("%s %s: %q", c.sources, way, out)
			}
		}
	}
}

// fed returns a command with a text as its input, from a file or from a pipe.
func fed(t *testing.T, c testrun.Command, text string, pipe bool) testrun.Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	script := `exec "$@" <` + path
	if pipe {
		script = "cat " + path + ` | exec "$@"`
	}
	c.Words = append([]string{"sh", "-c", script, "sh"}, c.Words...)
	return c
}

// A file that is not an object for this machine, or does not fit, is refused in one line.
func TestRefusedObjects(t *testing.T) {
	object := compile(t, "gcc", "errors.c")
	whole, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int, to byte) []byte {
		other := slices.Clone(whole)
		other[at] = to
		return other
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "errors.so")
	for what, text := range map[string]struct {
		object []byte
		want   string
	}{
		"machine": {changed(18, 243), `it is for another architecture \(ELF machine 243\)`},
		"32 bits": {changed(4, 1), "it is no object of 64 bits"},
		"type":    {changed(16, 1), "it is no shared object: link with -shared"},
		"cut off": {whole[:5000], "it is cut off"},
		"short":   {whole[:10], "it is too short for an object"},
		"text":    {make([]byte, 5000), "it is no object of 64 bits"},
		"missing": {nil, "no such file or directory|No such file or directory"},
	} {
		os.Remove(path)
		if text.object != nil {
			must.Do(t, os.WriteFile(path, text.object, 0o777))
		}
		r := program(path, "-quiet").Run(t)
		if r.Code != 2 || !regexp.MustCompile("^errors: "+path+": (?:"+text.want+")\n$").MatchString(r.Err) {
			t.Errorf("%s: code %d, %s", what, r.Code, r.Err)
		}
	}
	early := program(object, "-procs", "3", "-quiet")
	early.Env = append(early.Env, "ERRORS_IN_CONSTRUCTOR=1")
	early.Fails(t, "^errors: process 0.*: abort\n$")
	for _, c := range []struct{ heap, err string }{{"3GiB", "^errors: .*memory of process 0: Cannot allocate memory: with a shorter heap it may fit \\(-heap\\)\n$"}, {"64MiB", "^$"}} {
		limited := program(object, "-procs", "2", "-quiet", "-heap", c.heap)
		limited.Words = append([]string{"sh", "-c", `ulimit -d 2000000; exec "$@"`, "sh"}, limited.Words...)
		if r := limited.Run(t); !regexp.MustCompile(c.err).MatchString(r.Err) {
			t.Errorf("-heap %s: code %d, %s", c.heap, r.Code, r.Err)
		}
	}
	for kilobytes, want := range map[int]string{
		8000000: "^errors: .*: the addresses of processes cannot be reserved .*; linked by  bspcc -static-rank  it needs none, with one process on each rank\n$",
		300000:  "^cbsp.test: 800 MiB of addresses are needed, and all are limited to 292 MiB \\(ulimit -v\\)\n$",
	} {
		limited := program(object, "-quiet")
		limited.Words = append([]string{"sh", "-c", fmt.Sprint("ulimit -v ", kilobytes, `; exec "$@"`), "sh"}, limited.Words...)
		if r := limited.Run(t); r.Code != 2 || !regexp.MustCompile(want).MatchString(r.Err) {
			t.Errorf("%d: code %d, %s", kilobytes, r.Code, r.Err)
		}
	}
}

// A relocation that the launcher does not support.
func TestRefusedRelocations(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the relocation is one of x86-64")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "local.c"), filepath.Join(dir, "local.so")
	must.Do(t, os.WriteFile(source, []byte("int main(void) { return 0; }\n__asm__(\".data\\n.quad main@SIZE\");\n"), 0o666))
	testrun.Command{Words: []string{"gcc", "-w", "-shared", "-fPIC", source, "-o", object}}.Must(t)
	program(object, "-quiet").Fails(t, "^local: relocation of type 33: compile with -fPIC\n$")
}

// If a rank has another library, or if random addresses cannot be switched off, the run goes on
// without moves, and prints the reason.
func TestUnderMPIOtherLibraries(t *testing.T) {
	launcher := testrun.MPI(t)
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	object := compile(t, "gcc", "all.c")
	other := filepath.Join(t.TempDir(), "libother.so")
	testrun.Command{Words: []string{"gcc", "-shared", "-x", "c", "/dev/null", "-o", other}}.Must(t)
	ways := map[string]string{"libother.so": `case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) export LD_PRELOAD=` + other + `;; esac; exec "$@"`}
	if _, err := exec.LookPath("strace"); err == nil {
		ways["[^ ]+"] = `exec strace -o /dev/null -f -e trace=personality -e inject=personality:error=EPERM "$@"`
	}
	for name, script := range ways {
		c := launcher.On(2, testrun.Command{Words: append([]string{"sh", "-c", script, "sh", suite}, strings.Fields("-procs 5 -quiet -shake")...), Env: []string{testVariable + "=" + object}})
		r := c.Run(t)
		if r.Code != 0 || !strings.Contains(r.Out, "all is right\n") || !regexp.MustCompile("(?m)^all: processes stay where they are: on rank 1 "+name+" is another here, or at another address$").MatchString(r.Err) {
			t.Errorf("%s: code %d, %q\n%s", name, r.Code, r.Out, r.Err)
		}
	}
}

func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	for _, program := range []struct{ compiler, sources string }{
		{"gcc", "all.c"}, {"gcc", "keeps.c"}, {"gcc -pthread", "unpinned.c"}, {"gcc", "heap.c"}, {"gcc", "apart.c"}, {"gcc", "messages.c"}, {"g++", "moves.cc"}, {"g++ -std=c++17", "thrown.cc"}, {"gfortran", "moves.f90 fortran_main.c"},
	} {
		object := compile(t, program.compiler, strings.Fields(program.sources)...)
		for _, way := range []string{"-procs 5 -quiet", "-procs 5 -quiet -heap 6GiB -shake moves"} {
			c := launcher.On(2, testrun.Command{Words: append([]string{suite}, strings.Fields(way)...), Env: []string{testVariable + "=" + object}})
			if out := c.Must(t); !strings.Contains(out, "all is right\n") {
				t.Errorf("%s %s: %q", program.sources, way, out)
			}
		}
	}
	object := compile(t, "gcc", "ring.c")
	c := launcher.On(2, testrun.Command{Words: append([]string{suite}, strings.Fields("-procs 4 -quiet -shake 100 0 reads")...), Env: []string{testVariable + "=" + object}})
	c.Words = append([]string{"sh", "-c", `seq 0 10000 | exec "$@"`, "sh"}, c.Words...)
	if out := c.Must(t); out != program(object, strings.Fields("-procs 4 -ranks 1 -quiet 100")...).Must(t) {
		t.Errorf("with input: %q", out)
	}
	for i, p := range inputs[1:] {
		object := compile(t, p.compiler, strings.Fields(p.sources)...)
		c := launcher.On(2, testrun.Command{Words: append([]string{suite}, strings.Fields("-procs 3 -quiet -shake "+p.arguments)...), Env: []string{testVariable + "=" + object}})
		if out := fed(t, c, numbersTo(p.numbers), i%2 == 1).Must(t); out != "all is right\n" {
			t.Errorf("%s: %q", p.sources, out)
		}
	}
	checkpointsOfInput(t, []checkpointOfInput{{15, 10, true}, {900, 1100, false}}, func(words ...string) testrun.Command {
		object := words[0]
		return launcher.On(2, testrun.Command{Words: append([]string{suite}, words[1:]...), Env: []string{testVariable + "=" + object}})
	}, "-shake")
}

// Ranks reach each other's services where host names do not resolve.
func TestUnderMPIWithoutNames(t *testing.T) {
	launcher := testrun.MPI(t)
	if err := exec.Command("unshare", "--uts", "hostname", "nowhere").Run(); err != nil {
		t.Skip("no host names of one's own: ", err)
	}
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	named := []string{"unshare", "--uts", "sh", "-c", `hostname nowhere-${OMPI_COMM_WORLD_RANK-$PMI_RANK}.invalid && exec "$@"`, "sh", suite}
	for _, c := range []struct{ source, words, want string }{
		{"input.c", "-procs 3 -quiet -shake", "all is right\n"}, {"direct.c", "-procs 4 -quiet -shake", "ok\n"},
	} {
		run := launcher.On(2, testrun.Command{Words: append(named[:len(named):len(named)], strings.Fields(c.words)...), Env: []string{testVariable + "=" + compile(t, "gcc", c.source)}})
		if out := fed(t, run, numbersTo(10), true).Must(t); out != c.want {
			t.Errorf("%s: %q", c.source, out)
		}
	}
}

// A run that has been checkpointed goes on with the same result, and with the same program only.
func TestCheckpoint(t *testing.T) {
	object := compile(t, "gcc", "ring.c")
	dir := t.TempDir()
	want := program(object, strings.Fields("-procs 4 -ranks 2 -quiet 50")...).Must(t)
	if got := program(object, "-procs", "4", "-ranks", "2", "-quiet", "-checkpoint", dir, "-checkpoint-every", "20stages", "50").Must(t); got != want {
		t.Errorf("with checkpoints: %q, want %q", got, want)
	}
	for _, ranks := range []string{"1", "2", "3"} {
		if got := program(object, "-ranks", ranks, "-quiet", "-restart", dir).Must(t); got != want {
			t.Errorf("from a checkpoint on %s ranks: %q, want %q", ranks, got, want)
		}
	}
	program(object, "-ranks", "2", "-quiet", "-heap", "5GiB", "-restart", dir).Fails(t, `-heap is "5GiB" here, "" in `)
	other := compile(t, "gcc", "ring.c")
	f := must.Get(os.OpenFile(other, os.O_APPEND|os.O_WRONLY, 0))(t)
	f.WriteString("another build")
	f.Close()
	program(other, "-ranks", "2", "-quiet", "-restart", dir).Fails(t, "its program is another, or another build of it")
}

type checkpointOfInput struct {
	stages, numbers int // one checkpoint is written
	pipe            bool
}

// checkpointsOfInput starts a run that writes a checkpoint and ends when process 0 has read a part
// of its input, and then restarts it with the same input.
func checkpointsOfInput(t *testing.T, cases []checkpointOfInput, run func(words ...string) testrun.Command, flags ...string) {
	t.Helper()
	object := compile(t, "gcc", "input.c")
	for _, c := range cases {
		dir := t.TempDir()
		text, numbers := numbersTo(c.numbers), fmt.Sprint(c.numbers)
		first := run(append(append([]string{object, "-procs", "3", "-quiet", "-checkpoint", dir, "-checkpoint-every", fmt.Sprint(c.stages, "stages")}, flags...), numbers)...)
		if out := fed(t, first, text, c.pipe).Must(t); out != "all is right\n" {
			t.Errorf("%+v: %q", c, out)
		}
		if out := fed(t, run(object, "-quiet", "-restart", dir), text, c.pipe).Must(t); out != "all is right\n" {
			t.Errorf("%+v, from the checkpoint: %q", c, out)
		}
	}
}

// Areas can be read at once after a checkpoint too, with processes on other ranks.
func TestCheckpointOfDirectGets(t *testing.T) {
	object := compile(t, "gcc", "direct.c")
	dir := t.TempDir()
	for _, words := range []string{"-procs 4 -ranks 2 -quiet -shake -checkpoint " + dir + " -checkpoint-every 50stages", "-ranks 3 -quiet -restart " + dir, "-ranks 1 -quiet -restart " + dir} {
		if out := program(object, strings.Fields(words)...).Must(t); out != "ok\n" {
			t.Errorf("%s: %q", words, out)
		}
	}
}

func TestCheckpointOfInput(t *testing.T) {
	cases := []checkpointOfInput{{13, 10, false}, {15, 10, true}, {19, 10, false}, {19, 10, true}, {4000, 12000, true}, {4000, 12000, false}}
	checkpointsOfInput(t, cases, func(words ...string) testrun.Command {
		return program(words[0], append([]string{"-ranks", "2"}, words[1:]...)...)
	})
}
