//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// nodeTable has the nodes of a Comm as a mesh sees them: ranks that meet at one board
// are a node, a rank without such is one of its own.
type nodeTable struct {
	of      []int  // number of its node, by rank
	leaders []int  // first rank, by node
	alone   []bool // whether it has one rank only, by node
	me      int    // this rank's node
}

// among is the table of the nodes that have ranks that are present, as one of these, me,
// sees them.
func (t *nodeTable) among(present []bool, me int) nodeTable {
	if present == nil {
		return *t
	}
	n := nodeTable{of: make([]int, len(t.of))}
	number := slices.Repeat([]int{-1}, len(t.leaders))
	for r, node := range t.of {
		switch {
		case !present[r]:
			n.of[r] = -1
			continue
		case number[node] < 0:
			number[node] = len(n.leaders)
			n.leaders, n.alone = append(n.leaders, r), append(n.alone, true)
		default:
			n.alone[number[node]] = false
		}
		n.of[r] = number[node]
	}
	n.me = n.of[me]
	return n
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
