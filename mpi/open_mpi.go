//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	gompi "github.com/sbromberger/gompi"

	_ "github.com/migbsp/migbsp/mpi/internal/header"
)

// Open starts MPI and returns the Comm of this process among those a launcher
// started, or nil when there are no others: the ranks are then goroutines of
// this process (InProcess). It is called once, before other uses of MPI.
//
// The environment may say how: MIGBSP_SHM=off makes every rank its own node,
// MIGBSP_NODE_SIZE=k makes nodes of at most k ranks, MIGBSP_WAIT=spin, yield or
// nap says how ranks wait (by default each decides from what it observes).
//
// quota is how many cores the control group of this process may use at a time, 0
// if that is not limited. Ranks that have less than a core each do not spend it on
// waiting.
func Open(quota float64) (Comm, error) {
	tasks, launcher := Launched()
	if tasks == 0 || tasks == 1 {
		return nil, nil
	}
	nodes, err := nodesFromEnv()
	if err != nil {
		return nil, err
	}
	mode, err := waitModeFromEnv()
	if err != nil {
		return nil, err
	}
	if gompi.IsOn() {
		return nil, errors.New("mpi: Open was called before")
	}
	gompi.Start(true)
	if gompi.WorldSize() == 1 {
		gompi.Stop()
		if tasks == SeveralTasks {
			return nil, nil
		}
		return nil, fmt.Errorf("%s started %d tasks, but %s, which this program was built with, sees only one: use the launcher of that library, or build for the launcher's (see scripts/mpi-env)", launcher, tasks, Library())
	}
	return open(nodes, mode, quota)
}

func open(nodes nodeRule, mode waitMode, quota float64) (Comm, error) {
	p, err := newProcess(nodes, mode, quota)
	if err != nil {
		return nil, err
	}
	return p.all()
}

// nodeRule says how many ranks may count as one node, and which setting of the
// environment has it so, if any.
type nodeRule struct {
	size    int
	setting string
}

func nodesFromEnv() (nodeRule, error) {
	switch s := os.Getenv("MIGBSP_SHM"); s {
	case "", "on":
	case "off":
		return nodeRule{1, "MIGBSP_SHM=off"}, nil
	default:
		return nodeRule{}, fmt.Errorf("mpi: MIGBSP_SHM is %q, want on or off", s)
	}
	s := os.Getenv("MIGBSP_NODE_SIZE")
	if s == "" {
		return nodeRule{maxMembers, ""}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return nodeRule{}, fmt.Errorf("mpi: MIGBSP_NODE_SIZE is %q, want a number of ranks", s)
	}
	return nodeRule{min(n, maxMembers), "MIGBSP_NODE_SIZE=" + s}, nil
}

// Library names the MPI library that this build uses, "" if none.
func Library() string {
	first, _, _ := strings.Cut(strings.TrimSpace(libraryVersion()), "\n")
	first, _, _ = strings.Cut(first, ",")
	name := strings.NewReplacer("Version:", " ", "\t", " ").Replace(first)
	return strings.Join(strings.Fields(name), " ")
}
