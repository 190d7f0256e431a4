//go:build mpi && cgo

package mpi

import "slices"

// nodeTable has the nodes of a Comm as a mesh sees them: ranks that meet at one board
// are a node, a rank without such is one of its own.
type nodeTable struct {
	of      []int  // number of its node, by rank
	leaders []int  // first rank, by node
	alone   []bool // whether it has one rank only, by node
	me      int    // this rank's node
}

// among returns the table of the nodes that have present ranks, from the view of rank me.
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
