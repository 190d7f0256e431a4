package testrun

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Launcher is a command that starts the ranks of an MPI program.
type Launcher struct {
	words []string
	hydra bool // MPICH, or a launcher with the same options
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

// Part is a group of ranks of a run that share a command, variables and a working directory.
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
	least Depth  // of suites that run on it
}

// Depth is the degree to which a suite depends on the transport between ranks.
type Depth int

const (
	Above  Depth = iota // with flags, output and signals of a run: the same on all ranks
	Engine              // with its requirements on messages
	Deep                // with messages, rounds and shared memory themselves
)

// worlds returns the layouts on which suites run: one node that shares memory, nodes of one rank,
// nodes of two, three and five, the last ones smaller, and as many nodes as make more than one round
// of messages between nodes. A single rank that a launcher starts is not an MPI run. The messages for
// a given number of nodes and ranks are the same for all suites, so the larger layouts run only with
// engines that differ.
//
// MPICH's launcher runs fewer layouts. Rounds, trees and shared memory are the same code over every
// MPI, and all their sizes run over Open MPI. MPIs differ in messages, which all of these layouts but
// one send, and in starting ranks that share memory, which the remaining one does. Ranks of MPICH
// that share cores take several times as long if they yield to each other as if they sleep. Waiting
// is therefore tried with Open MPI, on two ranks of MPICH, and by programs.
func (l Launcher) worlds(depth Depth) []world {
	const shared, alone, pairs = "MIGBSP_SHM=on", "MIGBSP_SHM=off", "MIGBSP_NODE_SIZE=2"
	// Methods of long transfers that machines and systems choose themselves.
	const pieces, without = alone + " MIGBSP_DIRECT=pieces", pairs + " MIGBSP_DIRECT=off MIGBSP_ATTACH=off"
	const threes, fives = "MIGBSP_NODE_SIZE=3", "MIGBSP_NODE_SIZE=5"
	const sleeping = " MIGBSP_WAIT=nap"
	all := []world{
		{2, shared, Deep}, {2, alone, Engine}, {3, shared, Deep}, {3, alone, Deep}, {3, pairs, Above}, {4, shared, Above},
		{4, without, Engine}, {5, threes, Engine}, {5, pairs, Deep}, {8, shared, Deep}, {8, threes, Engine}, {8, fives, Deep},
		{9, alone, Above}, {3, pieces, Engine},
	}
	if l.hydra {
		all = []world{
			{2, alone, Above}, {3, alone + sleeping, Deep}, {3, pairs + sleeping, Engine}, {4, shared + sleeping, Engine},
			{5, pairs + sleeping, Deep}, {5, threes + sleeping, Engine}, {3, pieces + sleeping, Deep},
		}
	}
	return slices.DeleteFunc(all, func(w world) bool { return w.least > depth })
}

// Suite runs the tests that BuildSuite has built in the worlds of a depth, as sub-tests. Each must
// pass, and have run something.
func (l Launcher) Suite(t *testing.T, depth Depth, suite Command) {
	for _, w := range l.worlds(depth) {
		t.Run(fmt.Sprintf("%d ranks, %s", w.ranks, w.nodes), func(t *testing.T) {
			c := l.On(w.ranks, suite)
			c.Env = append(c.Env, strings.Fields(w.nodes)...)
			if out := c.Must(t); !strings.Contains(out, "PASS\n") || strings.Contains(out, "no tests to run") {
				t.Errorf("%s: no test has run\n%s", c, out)
			}
		})
	}
}
