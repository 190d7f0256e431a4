package bsplib_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// launcher is Open MPI's, with what it takes to use it here; the test is
// skipped where there is none.
func launcher(t *testing.T) (environ, words []string) {
	t.Helper()
	for _, name := range []string{"mpirun.openmpi", "mpirun"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}, []string{path, "--oversubscribe"}
		}
	}
	t.Skip("there is no mpirun")
	return nil, nil
}

// A signal to one rank of an MPI run, or to all, makes all end with 75, and the
// processes go on within one program, from there on another number of MPI ranks,
// and so on.
func TestRestartsBetweenEngines(t *testing.T) {
	bsptest.InProcess(t)
	if testing.Short() {
		t.Skip("builds and starts many programs")
	}
	environ, mpirun := launcher(t)
	program, alone := lasting(t, "mpi"), lasting(t, "")
	_, want, _ := ran(t, nil, alone, "-procs", "7", "-quiet")
	for _, ranks := range []string{"2", "all"} {
		dir := t.TempDir()
		flags := []string{"-checkpoint", dir, "-restart", "auto", "-quiet"}
		if ranks != "all" {
			flags = append(flags, "-balance", "off") // so that the rank has processes
		}
		legs := []struct {
			ranks int // 0 without MPI
			stage int
			shm   string
		}{{3, 5, "on"}, {0, 12, ""}, {4, 19, "off"}, {0, 1000, ""}}
		for i, leg := range legs {
			words := append([]string{alone, "-ranks", "3"}, flags...)
			if leg.ranks > 0 {
				words = append(append(append([]string{}, mpirun...), "-np", fmt.Sprint(leg.ranks), program), flags...)
			}
			if i == 0 {
				words = append(words, "-procs", "7")
			}
			code, stdout, stderr := ran(t, append(environ, fmt.Sprintf("LASTING_SIGNAL=%d:%s", leg.stage, ranks), "MIGBSP_SHM="+leg.shm), words...)
			switch last := i == len(legs)-1; {
			case last && (code != 0 || stdout != want):
				t.Errorf("signal to %s: code %d, %q, %q, want %q", ranks, code, stdout, stderr, want)
			case !last && code != bsplib.ExitCheckpointed:
				t.Fatalf("signal to %s, leg %d: code %d, %q, %q", ranks, i, code, stdout, stderr)
			}
		}
	}
}

// A rank that cannot find its part says which it is, where it runs and what it
// has looked for, and all ranks end with code 2.
func TestMissingPartOverMPI(t *testing.T) {
	bsptest.InProcess(t)
	if testing.Short() {
		t.Skip("builds and starts many programs")
	}
	environ, mpirun := launcher(t)
	program, dir := lasting(t, "mpi"), t.TempDir()
	run := func(environ []string, args ...string) (int, string) {
		code, _, stderr := ran(t, environ, append(append(append([]string{}, mpirun...), "-np", "3", program), args...)...)
		return code, stderr
	}
	if code, stderr := run(append(environ, "LASTING_SIGNAL=3:1"), "-procs", "6", "-balance", "off", "-checkpoint", dir); code != 75 {
		t.Fatalf("code %d, %q", code, stderr)
	}
	part := dir + "/" + checkpointsIn(t, dir)[0] + "/rank-00001.part"
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	code, stderr := run(environ, "-restart", dir)
	host, _ := os.Hostname()
	if want := fmt.Sprintf("lasting: -restart %s: rank 1 on %s: open %s: no such file or directory\n", dir, host, part); code != 2 || !strings.Contains(stderr, want) {
		t.Errorf("code %d, %q, want %q", code, stderr, want)
	}
}
