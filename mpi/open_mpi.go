//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// nap says how ranks wait (by default each decides from what it observes),
// MIGBSP_DIRECT=off, pieces or on how memory goes between nodes, MIGBSP_ATTACH=off
// that ranks of a node do not copy from each other's ordinary memory, and MIGBSP_RADIX=k
// in which rounds nodes meet (by default that follows from what messages take).
//
// quota is how many cores the control group of this process may use at a time, 0
// if that is not limited. Ranks that have less than a core each do not spend it on
// waiting.
//
// The error is a *LaunchError if MPI sees fewer processes than were started.
func Open(quota float64) (Comm, error) {
	l := launchOf(os.Getenv)
	if l.tasks == 0 || l.tasks == 1 {
		return nil, nil
	}
	if err := CheckLaunch(); err != nil {
		return nil, err
	}
	nodes, err := nodesFromEnv()
	if err != nil {
		return nil, err
	}
	mode, err := waitModeFromEnv()
	if err != nil {
		return nil, err
	}
	direct, err := directFromEnv()
	if err != nil {
		return nil, err
	}
	radix, err := radixFromEnv()
	if err != nil {
		return nil, err
	}
	if gompi.IsOn() {
		return nil, errors.New("mpi: Open was called before")
	}
	gompi.Start(true)
	switch size := gompi.WorldSize(); {
	case size == 1 && l.tasks == SeveralTasks:
		gompi.Stop()
		return nil, nil
	case size < l.tasks:
		err := l.unfit(Library(), size)
		gompi.Stop()
		return nil, err
	}
	return open(nodes, direct, radix, mode, quota)
}

func open(nodes nodeRule, direct directRule, radix int, mode waitMode, quota float64) (Comm, error) {
	p, err := newProcess(nodes, direct, mode, quota)
	if err != nil {
		return nil, err
	}
	return p.all(radix)
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

// pmixOnly reports whether the Open MPI of this program finds other tasks by PMIx and in no
// other way. Open MPI 5 knows no other; before that its components tell, where they are
// files of their own. Where they are not, the answer is no.
func pmixOnly() bool {
	if version, found := strings.CutPrefix(Library(), "Open MPI v"); found {
		if major, err := strconv.Atoi(strings.SplitN(version, ".", 2)[0]); err == nil && major >= 5 {
			return true
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(maps)) {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.Contains(line[at:], "/libmpi.so") {
			continue
		}
		dir := filepath.Dir(strings.TrimSpace(line[at:]))
		var components []string
		for _, below := range []string{"openmpi*", "openmpi*/lib/openmpi*"} {
			found, _ := filepath.Glob(filepath.Join(dir, below, "mca_pmix_*.so"))
			components = append(components, found...)
		}
		return len(components) > 0 && !slices.ContainsFunc(components, func(path string) bool {
			name := filepath.Base(path)
			return name == "mca_pmix_s1.so" || name == "mca_pmix_s2.so" || name == "mca_pmix_cray.so"
		})
	}
	return false
}
