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
	netPiece     = 72 // bytes that go with each piece between nodes
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
	if f.folds > 0 && shelfHeader+n <= f.folds {
		return way{fold: true}
	}
	w := way{much: true, inner: f.inner > 1}
	levels := 0
	if f.nodes > 1 {
		climb := 2*f.doublings()*(netHop+n*netByte) + f.doublings()*n*nodeByte
		parts := 2*netHop + 2*(n*(f.nodes-1)/f.nodes+(f.nodes-1)*netPiece)*netByte + n*nodeByte
		if w.tree = climb < parts; f.folds > 0 {
			w.tree = n <= mostClimbing
		}
		levels = f.sync() + (f.nodes-1)*netPiece*netByte + min(climb, parts)
		if w.tree && f.folds > 0 {
			return w
		}
	}
	if w.inner {
		levels += 2*f.sync() + 2*n*nodeByte + 2*n*nodeByte
		if f.nodes > 1 {
			levels -= f.sync()
		}
		if n >= longGiven {
			levels -= n * nodeByte / 2 // each rank reads its own part where it lies: AllreduceSlice 1 MiB
		}
	}
	direct := f.sync() + 2*n*f.ranks*nodeByte + f.inner*(f.ranks-f.inner)*(n+netPiece)*netByte
	if levels == 0 || direct <= levels {
		return way{}
	}
	return w
}

// broadcast chooses how n bytes come from one process to all.
func (f *shape) broadcast(n int) way {
	if f.nodes == 1 {
		return way{}
	}
	w := way{much: true, inner: f.inner > 1}
	down := f.doublings() * (netHop + n*netByte)
	parts := 2*netHop + 2*(n*(f.nodes-1)/f.nodes+(f.nodes-1)*netPiece)*netByte
	w.tree = f.folds > 0 || down <= parts
	levels := f.sync() + (f.nodes-1)*netPiece*netByte + min(down, parts)
	if w.inner {
		levels += f.sync() + 2*n*nodeByte
	}
	if direct := f.sync() + (f.ranks-f.inner)*(n+netPiece)*netByte; n < longShelf && (f.folds > 0 || direct <= levels) {
		return way{}
	}
	return w
}
