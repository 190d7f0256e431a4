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

// A round of messages between nodes waits for one message to arrive, which takes as
// long as it takes to post roundCost messages: 25 us and 5 to 10 us over TCP, 1.5 us
// and 0.4 us over fast networks.
const roundCost = 4

// radix returns the radix of the rounds between nodes (exchange_rounds.c): that with
// the least cost, of those that send no more than 2 ceil(log2 nodes) messages or one for
// each other node, whichever is more.
func radix(nodes int) int {
	limit := 0
	for n := 1; n < nodes; n *= 2 {
		limit += 2
	}
	best, least := 2, 0
	for r := 2; r <= max(nodes, 2); r++ {
		rounds, messages := steps(nodes, r)
		if messages > limit+2 && r > 2 {
			continue
		}
		if cost := rounds*roundCost + messages; least == 0 || cost < least {
			best, least = r, cost
		}
	}
	return best
}

// steps returns how many rounds of that radix nodes make, and how many messages each
// of them sends.
func steps(nodes, radix int) (rounds, messages int) {
	for unit := 1; unit < nodes; unit *= radix {
		rounds++
		for v := 1; v < radix && v*unit < nodes; v++ {
			messages++
		}
	}
	return rounds, messages
}
