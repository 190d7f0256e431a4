package collective

import "math/bits"

// shape holds the numbers of ranks and nodes, which are constant in a run. The number of a
// collective's Syncs depends on the shape, on p and on the length of the data, but not on the
// mapping, so that a move does not change the supersteps of a program.
type shape struct {
	ranks int
	nodes int
	inner int // ranks on the node with the most
	folds int // maximum bytes per rank in an exchange that folds; 0 unless all nodes share cores
}

// Costs of a Sync and of a byte in picoseconds. They determine the choice between algorithms, and
// were measured on one node with two ranks, and over TCP.
const (
	nodeSync     = 300_000    // a Sync within a node
	nodeSyncRank = 100_000    // added for each rank of the node
	netSync      = 20_000_000 // added for each doubling of the nodes
	netHop       = 10_000_000 // from node to node
	nodeByte     = 100        // to copy or to combine
	netByte      = 1000
	netPiece     = 32 // header bytes of each piece between nodes
)

// doublings returns the base-2 logarithm of the number of nodes, rounded up.
func (f *shape) doublings() int { return bits.Len(uint(f.nodes - 1)) }

// sync returns the cost of a Sync.
func (f *shape) sync() int { return nodeSync + nodeSyncRank*f.inner + netSync*f.doublings() }

// way is the algorithm of a collective.
type way struct {
	fold  bool // the exchange combines the data
	much  bool // in levels, within and between nodes; otherwise each rank receives the data of all others
	inner bool // with levels: a node has several ranks
	tree  bool // with levels: along a tree between nodes, otherwise in parts
}

// mostClimbing is the maximum data of a reduction along a tree, in bytes. A node of N may receive
// the data of log2 N others at the same time.
const mostClimbing = 4 << 20

// reduction chooses the algorithm to reduce n bytes of each process for all processes.
func (f *shape) reduction(n int) way {
	switch {
	case f.folds > 0 && codeRoom+n <= f.folds:
		return way{fold: true}
	case f.ranks == 1:
		return way{}
	}
	w, levels := f.levels(n, 2*f.doublings()*(netHop+n*netByte)+f.doublings()*n*nodeByte, n*nodeByte)
	if f.folds > 0 {
		if w.tree = n <= mostClimbing; w.tree {
			return w
		}
	}
	if w.inner {
		levels += 2 * n * nodeByte // to combine
		if n >= longContribution {
			levels -= n * nodeByte / 2 // each rank reads its own part in place; measured with AllreduceSlice of 1 MiB
		}
	}
	direct := f.sync() + 2*n*f.ranks*nodeByte + f.inner*(f.ranks-f.inner)*(n+netPiece)*netByte
	if direct <= levels {
		return way{}
	}
	return w
}

// levels chooses the algorithm in levels for n bytes and returns its cost. climb is the cost between
// nodes along a tree, more the additional cost of combining in parts.
func (f *shape) levels(n, climb, more int) (w way, cost int) {
	w = way{much: true, inner: f.inner > 1}
	if f.nodes > 1 {
		parts := 2*netHop + 2*(n*(f.nodes-1)/f.nodes+(f.nodes-1)*netPiece)*netByte + more
		w.tree = climb <= parts
		cost = f.sync() + (f.nodes-1)*netPiece*netByte + min(climb, parts)
	}
	if w.inner {
		cost += f.sync() + 2*n*nodeByte
		if f.nodes == 1 {
			cost += f.sync()
		}
	}
	return w, cost
}

// broadcast chooses the algorithm to send n bytes from one process to all.
func (f *shape) broadcast(n int) way {
	if f.nodes == 1 {
		return way{}
	}
	w, levels := f.levels(n, f.doublings()*(netHop+n*netByte), 0)
	w.tree = w.tree || f.folds > 0
	direct := f.sync() + (f.ranks-f.inner)*(n+netPiece)*netByte
	if n < longData && (f.folds > 0 || direct <= levels) {
		return way{}
	}
	return w
}
