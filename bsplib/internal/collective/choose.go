package collective

// shape is what does not change in a run: how many ranks and nodes there are. The
// number of a collective's Syncs depends on it, on p and on the length of the data,
// but not on where processes are, so that a move does not change what supersteps a
// program has.
type shape struct {
	ranks int
	nodes int
	inner int  // ranks on the node with the most
	spare bool // this rank's node has a core for each of its ranks
	folds int  // bytes that each rank may give to an exchange that folds; 0 where none does
	trees bool // runs go along trees of nodes
}

// What a Sync and a byte take, in picoseconds, as far as the choice between ways of a
// collective depends on it: measured on one node with two ranks, and over TCP.
const (
	nodeSync     = 300_000    // and as much again for each further rank's share
	nodeSyncRank = 100_000    // for each rank of the node
	netSync      = 20_000_000 // for each doubling of the nodes
	nodeByte     = 100        // to copy or to combine
	netByte      = 1000
	netPiece     = 72 // bytes that go with each piece between nodes
)

// sync is what a Sync takes.
func (f *shape) sync() int {
	t := nodeSync + nodeSyncRank*f.inner
	for n := 1; n < f.nodes; n *= 2 {
		t += netSync
	}
	return t
}

// wayOfReduction is how n bytes of each process are reduced for all of them.
type wayOfReduction struct {
	fold    bool // the exchange combines
	direct  bool // each rank has all from all others, and combines for itself
	inner   bool // ranks of a node put theirs together first, and share the result last
	nodes   bool // there are several nodes
	scatter bool // between nodes each combines a part, and has the other parts from them
	tree    bool // between nodes what there is goes up the tree in one barrier, and down again
}

// mostClimbing bounds what goes up a tree: a node takes in as much from each of log2 N others at
// the same time.
const mostClimbing = 4 << 20

// reduction chooses the way with the least time.
func (f *shape) reduction(n int) wayOfReduction {
	outside := f.ranks - f.inner
	direct := f.sync() + 2*n*f.ranks*nodeByte + f.inner*outside*(n+netPiece)*netByte
	w := wayOfReduction{inner: f.inner > 1, nodes: f.nodes > 1}
	switch {
	case shelfHeader+n <= f.folds:
		return wayOfReduction{fold: true}
	case f.trees && n <= mostClimbing:
		w.tree = true
		return w
	}
	syncs, rest := 0, 0
	if w.inner {
		syncs, rest = 2, 2*n*nodeByte+2*n*nodeByte
		if n >= longGiven {
			rest -= n * nodeByte / 2 // each rank reads its own part where it lies: AllreduceSlice 1 MiB
		}
	}
	if w.nodes {
		all := f.sync() + (f.nodes-1)*n*netByte + f.nodes*n*nodeByte
		parts := 2*f.sync() + 2*n*(f.nodes-1)/f.nodes*netByte + n*nodeByte
		if w.inner {
			parts += n * nodeByte // combined on a shelf, and not in place
		}
		w.scatter = parts < all
		rest += min(all, parts)
	}
	if !w.inner && !w.scatter || direct <= syncs*f.sync()+rest {
		return wayOfReduction{direct: true}
	}
	return w
}

// wayOfBroadcast is how n bytes come from one process to all.
type wayOfBroadcast struct {
	direct  bool // from the root's rank to all
	inner   bool // one rank of each node has it first, and shares it last
	scatter bool // the nodes have parts first, and exchange them
	tree    bool // what has come to a node's first rank goes on from there
}

// broadcast chooses the way with the least time.
func (f *shape) broadcast(n int) wayOfBroadcast {
	if f.nodes == 1 {
		return wayOfBroadcast{direct: true}
	}
	inner := f.inner > 1
	if f.trees && n >= longShelf {
		return wayOfBroadcast{direct: !inner, inner: inner, tree: true}
	}
	last := 0
	if inner {
		last = f.sync() + 2*n*nodeByte
	}
	direct := f.sync() + (f.ranks-f.inner)*(n+netPiece)*netByte
	nodes := f.sync() + (f.nodes-1)*(n+netPiece)*netByte + last
	parts := 2*f.sync() + 2*(n*(f.nodes-1)/f.nodes+(f.nodes-1)*netPiece)*netByte + last
	switch least := min(direct, nodes, parts); least {
	case direct:
		return wayOfBroadcast{direct: true}
	case nodes:
		return wayOfBroadcast{inner: inner}
	default:
		return wayOfBroadcast{inner: inner, scatter: true}
	}
}

// longShelf is the length from which what a collective has for a rank of another node is a
// run: less than for Puts, as no copy is made of it.
const longShelf = 32 << 10
