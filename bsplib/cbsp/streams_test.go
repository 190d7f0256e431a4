//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// checkLines checks that lines that processes print in pieces are whole and, if the launcher keeps the
// order, in order for each process.
func checkLines(t *testing.T, procs int, ordered bool, run func(words string) testrun.Command) {
	t.Helper()
	for words, kind := range map[string]string{"": "bytes", "wide": "wide", "descriptor": "descriptor"} {
		next := make([]int, procs)
		c := run(words)
		for line := range strings.Lines(c.Must(t)) {
			var pid, number int
			var its string
			if n, _ := fmt.Sscanf(line, "end of %d\n", &pid); n == 1 && pid < procs && (!ordered || next[pid] == 40) {
				continue
			}
			if _, err := fmt.Sscanf(line, "process %d line %d of %s\n", &pid, &number, &its); err != nil || its != kind || pid >= procs || ordered && number != next[pid] {
				t.Fatalf("%s: line %q: %v", c, line, err)
			}
			next[pid]++
		}
		if slices.Min(next) != 40 {
			t.Errorf("%s: lines of processes: %d", c, next)
		}
	}
}

func TestLines(t *testing.T) {
	object := compile(t, "gcc", "lines.c")
	for _, way := range []string{"-procs 5 -ranks 2", "-procs 5 -ranks 3 -shake"} {
		checkLines(t, 5, true, func(words string) testrun.Command {
			return program(object, strings.Fields(way+" -quiet "+words)...)
		})
	}
}

func TestUnderMPILines(t *testing.T) {
	launcher := testrun.MPI(t)
	suite := testrun.BuildSuite(t, "mpi", "./bsplib/cbsp")
	object := compile(t, "gcc", "lines.c")
	checkLines(t, 5, false, func(words string) testrun.Command {
		return launcher.On(2, testrun.Command{Words: append([]string{suite}, strings.Fields("-procs 5 -quiet -shake "+words)...), Env: []string{testVariable + "=" + object}})
	})
}
