//go:build !mpi

package bsplib_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A signal to one rank of an MPI run, or to all, makes all end with code 75. The
// processes continue within one Go program, then on another number of MPI ranks,
// and so on.
func TestUnderMPIRestartsBetweenEngines(t *testing.T) {
	launcher := testrun.MPI(t)
	t.Parallel()
	program, alone := lasting(t, "mpi"), lasting(t, "")
	_, want, _ := ran(t, nil, alone, "-procs", "7", "-quiet")
	signalled := []string{"2", "all"}
	if launcher.Hydra() { // its ranks spin: only runs with one signalled rank end differently
		signalled = signalled[:1]
	}
	for _, ranks := range signalled {
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
			c := testrun.Command{Words: append([]string{alone, "-ranks", "3"}, flags...)}
			if leg.ranks > 0 {
				c = launcher.On(leg.ranks, testrun.Command{Words: append([]string{program}, flags...)})
			}
			if i == 0 {
				c.Words = append(c.Words, "-procs", "7")
			}
			c.Env = []string{fmt.Sprintf("LASTING_SIGNAL=%d:%s", leg.stage, ranks), "MIGBSP_SHM=" + leg.shm}
			r := c.Run(t)
			switch last := i == len(legs)-1; {
			case last && (r.Code != 0 || r.Out != want):
				t.Errorf("signal to %s: code %d, %q, %q, want %q", ranks, r.Code, r.Out, r.Err, want)
			case !last && r.Code != bsplib.ExitCheckpointed:
				t.Fatalf("signal to %s, leg %d: code %d, %q, %q", ranks, i, r.Code, r.Out, r.Err)
			}
		}
	}
}

// A rank that cannot find its part prints its number, its host and the missing
// file, and all ranks end with code 2.
func TestUnderMPIMissingPart(t *testing.T) {
	launcher := testrun.MPI(t)
	t.Parallel()
	program, dir := lasting(t, "mpi"), t.TempDir()
	write := launcher.On(3, testrun.Line(program, "-procs 6 -balance off -checkpoint "+dir))
	write.Env = []string{"LASTING_SIGNAL=3:1"}
	if r := write.Run(t); r.Code != 75 {
		t.Fatalf("code %d, %q", r.Code, r.Err)
	}
	part := dir + "/" + checkpointsIn(t, dir)[0] + "/rank-00001.part"
	must.Do(t, os.Remove(part))
	r := launcher.On(3, testrun.Line(program, "-restart "+dir)).Run(t)
	host, _ := os.Hostname()
	if want := fmt.Sprintf("lasting: -restart %s: rank 1 on %s: open %s: no such file or directory\n", dir, host, part); r.Code != 2 || !strings.Contains(r.Err, want) {
		t.Errorf("code %d, %q, want %q", r.Code, r.Err, want)
	}
}
