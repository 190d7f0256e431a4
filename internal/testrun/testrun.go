// Package testrun builds the module's programs and suites and runs them in tests,
// alone or under the launcher of an MPI.
//
// Tests under a launcher are named TestUnderMPI..., and skipped unless MIGBSP_TEST_MPI names the
// launcher and its options:
//
//	MIGBSP_TEST_MPI='mpirun.openmpi --oversubscribe' go test -count=1 -p 1 -run '^TestUnderMPI' ./apps ./bsplib ./mpi ./cmd/migbsp
//
// They are built for the MPI given by CGO_CFLAGS and CGO_LDFLAGS (scripts/mpi-env);
// -p 1 keeps the ranks of one package from spinning against the ranks of another.
package testrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Programs do not read profiles of earlier runs, and write none, except in tests of profiles.
func init() {
	if os.Getenv("MIGBSP_PROFILES") == "" {
		os.Setenv("MIGBSP_PROFILES", "off")
	}
}

// hang is the limit on the duration of a program. Tests that pass are far below it.
const hang = 5 * time.Minute

// Root returns the module's directory.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("the test does not run in a directory of the module: ", err)
	return ""
}

// Build builds commands, named from the module's directory as in ./apps/lu or ./apps/..., and returns
// their directory, which exists until the test ends. Without tags they are built without cgo, which a
// default build must not need.
//
// Programs that several tests need are linked once if MIGBSP_TEST_BUILT names a directory for them:
// the go command rebuilds outdated ones.
func Build(t testing.TB, tags string, packages ...string) (dir string) {
	t.Helper()
	return BuildWith(t, nil, tags, packages...)
}

// BuildWith is like Build, with additional variables as NAME=value.
func BuildWith(t testing.TB, variables []string, tags string, packages ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	kept, ok := syscall.Getenv("MIGBSP_TEST_BUILT") // unlike os.Getenv this is no input of the test
	if !ok {
		compile(t, variables, tags, "build", append([]string{"-o", dir + "/"}, packages...)...)
		return dir
	}
	settings := fmt.Sprint(tags, os.Getenv("CGO_CFLAGS"), os.Getenv("CGO_LDFLAGS"), variables)
	kept = filepath.Join(kept, fmt.Sprintf("%x", crc32.ChecksumIEEE([]byte(settings))))
	compile(t, variables, tags, "build", append([]string{"-o", kept + "/"}, packages...)...)
	for _, path := range strings.Fields(compile(t, variables, tags, "list", append([]string{"-f", "{{if eq .Name `main`}}{{.ImportPath}}{{end}}"}, packages...)...)) {
		name := filepath.Base(path)
		must.Do(t, os.Link(filepath.Join(kept, name), filepath.Join(dir, name)))
	}
	return dir
}

// BuildSuite builds the tests of a package and returns the path of the program.
func BuildSuite(t testing.TB, tags, pkg string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), filepath.Base(pkg)+".test")
	compile(t, nil, tags, "test", "-c", "-o", path, pkg)
	return path
}

// compile runs a go command and returns its output. It links without debug tables, which take half of
// the time. Paths are trimmed as by scripts/install, also if the test's own paths are not, so that
// packages are compiled once for both.
func compile(t testing.TB, variables []string, tags, command string, words ...string) string {
	t.Helper()
	root := Root(t)
	dependOnSources(t, root)
	build := exec.Command("go", append([]string{command, "-trimpath", "-tags", tags, "-ldflags=-w"}, words...)...)
	cgo := "CGO_ENABLED=1"
	if tags == "" {
		cgo = "CGO_ENABLED=0"
	}
	build.Dir, build.Env = root, append(append(os.Environ(), variables...), cgo)
	text, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", build, err, text)
	}
	return string(text)
}

// dependOnSources lists the module's directories. The go command, which caches results of
// tests, sees only files that the test program itself has opened, not files that a compiler
// reads for it.
func dependOnSources(t testing.TB, root string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return err
	}))
}

// Needs skips the test on a machine without all of these programs, and returns the path of
// the first one.
func Needs(t testing.TB, programs ...string) (path string) {
	t.Helper()
	for _, name := range programs {
		at, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("SKIPPED: no %s on this machine", name)
		}
		path = cmp.Or(path, at)
	}
	return path
}

// Command is a program with its arguments and directory. It inherits the test's environment
// except MIGBSP_ variables and CGO_ENABLED: a developer's settings must not change tests.
type Command struct {
	Words []string
	Dir   string   // by default the test's
	Env   []string // more variables, as NAME=value
	In    string   // its input; empty by default
}

// Line returns a Command of a program and its arguments, which are separated by blanks.
func Line(program, arguments string) Command {
	return Command{Words: append([]string{program}, strings.Fields(arguments)...)}
}

// Result is the exit code and the output of a command.
type Result struct {
	Code     int
	Out, Err string
}

// Run runs the command to its end. The test fails if it cannot be started or hangs.
func (c Command) Run(t testing.TB) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Words[0], c.Words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, append(environ(), c.Env...), &out, &errs
	if c.In != "" {
		cmd.Stdin = strings.NewReader(c.In)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // a launcher passes it on to its ranks
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || ctx.Err() != nil {
		t.Fatalf("%s: %v, %v\n%s%s", c, err, ctx.Err(), out.String(), errs.String())
	}
	return Result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// String returns the command line.
func (c Command) String() string {
	return strings.Join(append(c.Env[:len(c.Env):len(c.Env)], c.Words...), " ")
}

func environ() []string {
	kept := []string{"MIGBSP_CONFIG=" + os.DevNull, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MIGBSP_") && !strings.HasPrefix(variable, "CGO_ENABLED=") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// Must runs a command that has to end with code 0 and returns its standard output.
func (c Command) Must(t testing.TB) (out string) {
	t.Helper()
	r := c.Run(t)
	if r.Code != 0 {
		t.Fatalf("%s: code %d\n%s%s", c, r.Code, r.Out, r.Err)
	}
	return r.Out
}

// Fails runs a command that has to end with another code than 0, with an output that
// matches a regular expression.
func (c Command) Fails(t testing.TB, text string) (said string) {
	t.Helper()
	r := c.Run(t)
	said = r.Out + r.Err
	if r.Code == 0 || !regexp.MustCompile(text).MatchString(said) {
		t.Errorf("%s: code %d, want another than 0 and %q\n%s", c, r.Code, text, said)
	}
	return said
}

var checksum = regexp.MustCompile(`(?m)^ *checksum +([0-9a-f]{16})$`)

// Checksum runs a program that verifies its result, and returns the checksum.
func (c Command) Checksum(t testing.TB) string {
	t.Helper()
	out := c.Must(t)
	found := checksum.FindAllStringSubmatch(out, -1)
	if len(found) != 1 {
		t.Fatalf("%s: %d checksums\n%s", c, len(found), out)
	}
	return found[0][1]
}

// Buffer keeps the output of a program, which can be read meanwhile.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

// String returns the output until now.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
