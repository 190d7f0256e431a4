//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

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

// testVariable names the object that this test runs as its launcher, in the place of tests.
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
func compile(t *testing.T, compiler string, sources ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("no %s: programs are not compiled", compiler)
	}
	dir := t.TempDir()
	object := filepath.Join(dir, strings.TrimSuffix(sources[0], filepath.Ext(sources[0]))+".so")
	words := []string{"-O2", "-g", "-fPIC", "-shared", "-Iinclude", "-J", dir, "-o", object}
	if compiler != "gfortran" {
		words = append(words[:5:5], words[7:]...)
	}
	for _, source := range sources {
		words = append(words, filepath.Join("testdata/programs", source))
	}
	out, err := exec.Command(compiler, append(words, "-lm")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", compiler, words, err, out)
	}
	return object
}

// program is a command that runs an object in a launcher.
func program(object string, words ...string) testrun.Command {
	return testrun.Command{Words: append([]string{os.Args[0]}, words...), Env: []string{testVariable + "=" + object}}
}

// ways are how programs run in one Go program.
var ways = []string{"-procs 1", "-procs 5 -ranks 1", "-procs 5 -ranks 2", "-procs 5 -ranks 2 -shake"}

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ compiler, sources string }{
		{"gcc", "all.c"}, {"gcc", "keeps.c"}, {"gcc", "nested.c"}, {"g++", "moves.cc"}, {"gfortran", "moves.f90 fortran_main.c"},
	} {
		t.Run(c.sources, func(t *testing.T) {
			object := compile(t, c.compiler, strings.Fields(c.sources)...)
			for _, way := range ways {
				p := program(object, strings.Fields(way+" -quiet")...)
				if out := p.Must(t); !strings.Contains(out, "all is right\n") {
					t.Errorf("%s: %q", way, out)
				}
			}
		})
	}
}

// Errors name the function, the process, the superstep and the line, and end with the right code.
func TestErrors(t *testing.T) {
	object := compile(t, "gcc", "errors.c")
	text, err := os.ReadFile("testdata/programs/errors.c")
	if err != nil {
		t.Fatal(err)
	}
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
		{"free", 1, "errors: superstep 2, process 2, rank 1.*: free: the memory at 0x[0-9a-f]+ is free already"},
		{"end", 1, "errors: superstep [0-9]+, process 2, rank 1.*: bsp_sync/bsp_end: Some processes have called bsp_sync, while others have called bsp_end"},
		{"tags", 1, "errors: superstep 2, process [0-9], rank [01], .*: bsp_sync/bsp_set_tagsize: Not all processes announced the same tag size"},
	} {
		line := ""
		for i, l := range strings.Split(string(text), "\n") {
			if strings.Contains(l, "/* LINE "+c.how+" */") {
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

func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	for _, program := range []struct{ compiler, sources string }{
		{"gcc", "all.c"}, {"gcc", "keeps.c"}, {"g++", "moves.cc"}, {"gfortran", "moves.f90 fortran_main.c"},
	} {
		object := compile(t, program.compiler, strings.Fields(program.sources)...)
		for _, way := range []string{"-procs 5 -quiet", "-procs 5 -quiet -shake moves"} {
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
	other := compile(t, "gcc", "ring.c")
	f, err := os.OpenFile(other, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("another build")
	f.Close()
	program(other, "-ranks", "2", "-quiet", "-restart", dir).Fails(t, "its program is another, or another build of it")
}
