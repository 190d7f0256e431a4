package testrun

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Launcher is a command that starts the ranks of an MPI program.
type Launcher struct {
	words []string
	hydra bool // MPICH's, or one that takes the same options
}

// MPI returns the launcher that MIGBSP_TEST_MPI names. The test is skipped without one.
func MPI(t testing.TB) Launcher {
	t.Helper()
	words := strings.Fields(os.Getenv("MIGBSP_TEST_MPI"))
	if len(words) == 0 {
		t.Skip("needs a launcher: MIGBSP_TEST_MPI='mpirun --oversubscribe', as scripts/test mpi sets it")
	}
	version, err := exec.Command(words[0], "--version").CombinedOutput()
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", words[0], err, version)
	}
	return Launcher{words, strings.Contains(string(version), "HYDRA")}
}

// Hydra reports whether the launcher is MPICH's, or one with the same options.
func (l Launcher) Hydra() bool { return l.hydra }

// String returns the launcher with its options.
func (l Launcher) String() string { return strings.Join(l.words, " ") }

// Part is a number of ranks of a run that are started in the same way, with their own
// variables and working directory.
type Part struct {
	Ranks   int
	Command Command
}

// On returns the command that runs a program on a number of ranks. All ranks get its
// variables.
func (l Launcher) On(ranks int, program Command) Command {
	program.Words = append(append(l.words[:len(l.words):len(l.words)], "-n", fmt.Sprint(ranks)), program.Words...)
	return program
}

// Parts returns the command that starts parts as the ranks of one run.
func (l Launcher) Parts(parts ...Part) Command {
	c := Command{Words: l.words[:len(l.words):len(l.words)]}
	for i, p := range parts {
		if i > 0 {
			c.Words = append(c.Words, ":")
		}
		c.Words = append(c.Words, "-n", fmt.Sprint(p.Ranks))
		for _, variable := range p.Command.Env {
			if name, value, _ := strings.Cut(variable, "="); l.hydra {
				c.Words = append(c.Words, "-env", name, value)
			} else {
				c.Words = append(c.Words, "-x", variable)
			}
		}
		if p.Command.Dir != "" {
			c.Words = append(c.Words, "-wdir", p.Command.Dir)
		}
		c.Words = append(c.Words, p.Command.Words...)
	}
	return c
}

// world is a number of ranks and how they form nodes.
type world struct {
	ranks int
	nodes string // variables, NAME=value
}

// worlds are those on which suites run: one node that shares memory, nodes of one rank,
// nodes of two, three and five, the last ones smaller, and as many nodes as make more than
// one round of messages between nodes. A single rank that a launcher starts is no MPI run
// at all.
//
// With MPICH's launcher they are fewer. Rounds, trees and shared memory are the same code
// over every MPI, and all sizes of them run over Open MPI; what MPIs differ in are messages,
// which all of these send but one, and starting ranks that share memory, which that does.
// Eight ranks of MPICH on two cores, which never yield, take minutes.
func (l Launcher) worlds() []world {
	const shared, alone, pairs = "MIGBSP_SHM=on", "MIGBSP_SHM=off", "MIGBSP_NODE_SIZE=2"
	// Ways of long transfers that machines and systems choose for themselves.
	const pieces, without = alone + " MIGBSP_DIRECT=pieces", pairs + " MIGBSP_DIRECT=off MIGBSP_ATTACH=off"
	const threes, fives = "MIGBSP_NODE_SIZE=3", "MIGBSP_NODE_SIZE=5"
	if l.hydra {
		return []world{{2, alone}, {3, alone}, {3, pairs}, {4, shared}, {5, pairs}, {5, threes}, {3, pieces}}
	}
	return []world{
		{2, shared}, {2, alone}, {3, shared}, {3, alone}, {3, pairs}, {4, shared}, {4, without},
		{5, threes}, {5, pairs}, {8, shared}, {8, threes}, {8, fives}, {9, alone}, {3, pieces},
	}
}

// Suite runs the tests that BuildSuite has built in all worlds, as sub-tests. Each must
// pass, and have run something.
func (l Launcher) Suite(t *testing.T, suite Command) {
	for _, w := range l.worlds() {
		t.Run(fmt.Sprintf("%d ranks, %s", w.ranks, w.nodes), func(t *testing.T) {
			c := l.On(w.ranks, suite)
			c.Env = append(c.Env, strings.Fields(w.nodes)...)
			if out := c.Must(t); !strings.Contains(out, "PASS\n") || strings.Contains(out, "no tests to run") {
				t.Errorf("%s: no test has run\n%s", c, out)
			}
		})
	}
}
