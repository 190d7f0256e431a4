//go:build mpi && cgo

package mpi

// nodeTable has the nodes of a Comm as a mesh sees them: ranks that meet at one board
// are a node, a rank without such is one of its own.
type nodeTable struct {
	of      []int  // number of its node, by rank
	leaders []int  // first rank, by node
	alone   []bool // whether it has one rank only, by node
	me      int    // this rank's node
}

// nodes groups the ranks of the run.
func (p *process) nodes() nodeTable {
	t := nodeTable{of: make([]int, len(p.node))}
	number := make(map[int]int)
	for r, node := range p.node {
		n, known := number[node]
		if !known || !p.sharing[r] {
			n = len(t.leaders)
			number[node] = n
			t.leaders, t.alone = append(t.leaders, r), append(t.alone, true)
		} else {
			t.alone[n] = false
		}
		t.of[r] = n
	}
	t.me = t.of[p.rank]
	return t
}
