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

// nodes groups ranks of the run, of which rank number me is this one.
func (p *process) nodes(inRun []int, me int) nodeTable {
	t := nodeTable{of: make([]int, len(inRun))}
	number := make(map[int]int)
	for r, world := range inRun {
		n, known := number[p.node[world]]
		if !known || !p.sharing[world] {
			n = len(t.leaders)
			number[p.node[world]] = n
			t.leaders, t.alone = append(t.leaders, r), append(t.alone, true)
		} else {
			t.alone[n] = false
		}
		t.of[r] = n
	}
	t.me = t.of[me]
	return t
}
