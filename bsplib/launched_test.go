//go:build !mpi

package bsplib_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// TestUnderMPI runs the tests of this package on the ranks of a launcher.
func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	t.Parallel() // with tests of programs that end, which mostly wait
	launcher.Suite(t, testrun.Engine, testrun.Line(testrun.BuildSuite(t, "mpi", "./bsplib"), "-test.short"))
}

// A program that fails prints one line, and ends with the same code on all ranks.
func TestUnderMPIFailures(t *testing.T) {
	launcher := testrun.MPI(t)
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/failing"), "failing")
	for how, text := range map[string]string{
		"bounds":     `process 1, .*Put: writes elements \[3:5\] of process 0`,
		"panic":      `process 1, .*panic: out of order`,
		"end":        `process 1 has ended its program, while process 0 called Sync here`,
		"error":      `process 1, .*cannot go on`,
		"abort":      `process 1, .*enough`,
		"register":   `process 1, .*it registered or popped areas or made queues 1 times`,
		"queue":      `process 1, .*it registered or popped areas or made queues 1 times`,
		"goroutine":  `process 1, .*main.go:\d+: this call is made on a goroutine that the program has started`,
		"unverified": `(?m)^ efficiency `, // the account
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			said := launcher.On(3, testrun.Line(program, "-procs 5 -how "+how)).Fails(t, text)
			if strings.Contains(said, "not in the same exchange") {
				t.Errorf("ranks take each other's failure for one of their own:\n%s", said)
			}
		})
	}
}

// An error that several ranks meet alone, each at the same line, is printed once, by one rank.
func TestUnderMPIToldOnce(t *testing.T) {
	launcher := testrun.MPI(t)
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/failing"), "failing")
	all := []string{"MIGBSP_SHM=on", "MIGBSP_NODE_SIZE=2", "MIGBSP_SHM=off"}
	if launcher.Hydra() { // its ranks choose the one to print by the same exchanges
		all = all[1:2]
	}
	for _, nodes := range all {
		for how, text := range map[string]string{
			"panics":    `panic: out of order`,
			"aborts":    `main.go:\d+: enough`,
			"outside":   `Put: writes elements`,
			"errors":    `cannot go on`,
			"operation": `Sync, or the end of a stage, within the operation of a collective`,
			"different": `process 1, rank 1, main.go:32: this process is in a Max of int, while processes 0, 2 and 3 are in a Sum of int at main.go:34`,
			"types":     `main.go:36: this process is in a Sum of float64, while processes 0, 2 and 3 are in a Sum of int at main.go:38`,
			"others":    `panic: out of order`,
		} {
			t.Run(nodes+", "+how, func(t *testing.T) {
				t.Parallel()
				c := launcher.On(4, testrun.Line(program, "-procs 4 -how "+how))
				c.Env = append(c.Env, nodes)
				said := c.Fails(t, text)
				if n := len(regexp.MustCompile(`(?m)^failing: superstep `).FindAllString(said, -1)); n != 1 {
					t.Errorf("told %d times:\n%s", n, said)
				}
				if strings.Contains(said, "ended by signal") {
					t.Errorf("a rank tells of its end too:\n%s", said)
				}
			})
		}
	}
}
