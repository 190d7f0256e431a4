package collective

import "math/bits"

// shape is what does not change in a run: how many ranks and nodes there are. The
// number of a collective's Syncs depends on it, on p and on the length of the data,
// but not on where processes are, so that a move does not change what supersteps a
// program has.
type shape struct {
	ranks int
	nodes int
	inner int // ranks on the node with the most
	folds int // bytes that each rank may give to an exchange that folds: then all nodes share cores
}

// What a Sync and a byte take, in picoseconds, as far as the choice between ways of a
// collective depends on it: measured on one node with two ranks, and over TCP.
const (
	nodeSync     = 300_000    // and as much again for each further rank's share
	nodeSyncRank = 100_000    // for each rank of the node
	netSync      = 20_000_000 // for each doubling of the nodes
	netHop       = 10_000_000 // from node to node
	nodeByte     = 100        // to copy or to combine
	netByte      = 1000
	netPiece     = 32 // bytes that go with each piece between nodes
)

// doublings of one node make all.
func (f *shape) doublings() int { return bits.Len(uint(f.nodes - 1)) }

// sync is what a Sync takes.
func (f *shape) sync() int { return nodeSync + nodeSyncRank*f.inner + netSync*f.doublings() }

// way is how a collective of so many bytes goes.
type way struct {
	fold  bool // the exchange combines
	much  bool // in levels, within nodes and between them; else each rank has all from all others
	inner bool // of these: there are several ranks on a node
	tree  bool // between nodes along a tree, else in parts
}

// mostClimbing bounds what goes up a tree: a node takes in as much from each of log2 N others at
// the same time.
const mostClimbing = 4 << 20

// reduction chooses how n bytes of each process are reduced for all of them.
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
		if n >= longGiven {
			levels -= n * nodeByte / 2 // each rank reads its own part where it lies: AllreduceSlice 1 MiB
		}
	}
	direct := f.sync() + 2*n*f.ranks*nodeByte + f.inner*(f.ranks-f.inner)*(n+netPiece)*netByte
	if direct <= levels {
		return way{}
	}
	return w
}

// levels is how n bytes go in levels, with what that takes: along a tree it takes climb between
// nodes, in parts combining takes more besides.
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

// broadcast chooses how n bytes come from one process to all.
func (f *shape) broadcast(n int) way {
	if f.nodes == 1 {
		return way{}
	}
	w, levels := f.levels(n, f.doublings()*(netHop+n*netByte), 0)
	w.tree = w.tree || f.folds > 0
	direct := f.sync() + (f.ranks-f.inner)*(n+netPiece)*netByte
	if n < longShelf && (f.folds > 0 || direct <= levels) {
		return way{}
	}
	return w
}
