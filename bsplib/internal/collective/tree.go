package collective

import (
	"runtime"

	"github.com/migbsp/migbsp/mpi"
)

// This file has the tree in which reductions combine, and what of it lies where.
//
// The tree is binary and over the pids: [0, p) is combined from [0, m) and [m, p), with
// m half of p rounded up, and so on down to the processes. Its shape depends on p alone.
// Where processes are decides only who combines what: a subtree whose processes are all
// on one rank is combined there, one whose ranks are all on one node on that node, and
// the rest between nodes. So results have the same bits on every mapping, and there is
// little to send where neighbours in pid are neighbours in place.

// middle is where the tree splits [lo, hi).
func middle(lo, hi int) int { return lo + (hi-lo+1)/2 }

// subtree is the processes [lo, hi) of the tree.
type subtree struct{ lo, hi int }

// layout is the tree as it lies on ranks and nodes. All ranks have the same one.
type layout struct {
	members []int       // ranks with processes, in order
	nodes   [][]int     // the same by node, in the order of their first ranks
	node    []int       // by rank: number of its node in nodes, -1 without processes
	place   []int       // by rank: its number among the members of its node
	procs   [][]int     // by rank: pids, in order
	index   []int       // by pid: its number among those of its rank
	ranks   [][]subtree // by rank: the largest subtrees that lie whole on it, in order
	whole   [][]subtree // by node: the largest subtrees that lie whole on it, in order
	rails   int         // members of each node that work between nodes: see levels
	widest  int         // subtrees of the rank with the most
	all     []held      // the subtrees of all ranks, in order
	between []held      // the subtrees of all nodes, in order
}

// held is a subtree with the rank or node that has it, and its number there.
type held struct {
	subtree
	at, number int
}

// layout returns how the tree lies now: anew after processes have moved.
func (r *Rank) layout() *layout {
	if r.tree != nil {
		return r.tree
	}
	nodes := make([]int, r.comm.Size())
	for rank := range nodes {
		nodes[rank] = r.stream.Peers.Node(rank)
	}
	r.tree = newLayout(r.where, nodes)
	return r.tree
}

// newLayout lays the tree out over processes that are on these ranks, and ranks that
// are on these nodes.
func newLayout(where []int32, nodeOf []int) *layout {
	size := len(nodeOf)
	t := &layout{
		node: make([]int, size), place: make([]int, size),
		procs: make([][]int, size), index: make([]int, len(where)), ranks: make([][]subtree, size),
	}
	for pid, rank := range where {
		t.index[pid] = len(t.procs[rank])
		t.procs[rank] = append(t.procs[rank], pid)
	}
	number := make(map[int]int)
	for rank := range size {
		t.node[rank] = -1
		if len(t.procs[rank]) == 0 {
			continue
		}
		t.members = append(t.members, rank)
		n, known := number[nodeOf[rank]]
		if !known {
			n = len(t.nodes)
			number[nodeOf[rank]] = n
			t.nodes = append(t.nodes, nil)
		}
		t.node[rank], t.place[rank] = n, len(t.nodes[n])
		t.nodes[n] = append(t.nodes[n], rank)
	}
	t.rails = len(t.nodes[0])
	for _, ranks := range t.nodes {
		t.rails = min(t.rails, len(ranks))
	}
	t.whole = make([][]subtree, len(t.nodes))
	t.all = largest(len(where), func(pid int) int { return int(where[pid]) })
	t.between = largest(len(where), func(pid int) int { return t.node[where[pid]] })
	enumerate(t.all, t.ranks)
	for _, trees := range t.ranks {
		t.widest = max(t.widest, len(trees))
	}
	enumerate(t.between, t.whole)
	return t
}

// enumerate numbers the subtrees of each place, and lists them there.
func enumerate(all []held, by [][]subtree) {
	for i := range all {
		h := &all[i]
		h.number = len(by[h.at])
		by[h.at] = append(by[h.at], h.subtree)
	}
}

// largest are the largest subtrees over p processes that lie whole at one place, in
// order.
func largest(p int, at func(pid int) int) (all []held) {
	var visit func(lo, hi int) (place int, whole bool)
	visit = func(lo, hi int) (int, bool) {
		if hi-lo == 1 {
			all = append(all, held{subtree: subtree{lo, hi}, at: at(lo)})
			return at(lo), true
		}
		begin, mid := len(all), middle(lo, hi)
		a, wholeA := visit(lo, mid)
		b, wholeB := visit(mid, hi)
		if !wholeA || !wholeB || a != b {
			return 0, false
		}
		all = append(all[:begin], held{subtree: subtree{lo, hi}, at: a})
		return a, true
	}
	visit(0, p)
	return all
}

// cut is where part i of n things in k parts begins.
func cut(i, n, k int) int { return i * n / k }

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

func (r *Rank) shape() *shape {
	if r.form == nil {
		f := &shape{ranks: r.comm.Size()}
		count := make(map[int]int)
		for rank := range f.ranks {
			count[r.stream.Peers.Node(rank)]++
			f.inner = max(f.inner, count[r.stream.Peers.Node(rank)])
		}
		f.nodes = len(count)
		cores := mpi.CoresHere(r.comm)
		if cores == 0 {
			cores = runtime.GOMAXPROCS(0)
		}
		f.spare = cores >= mpi.RanksHere(r.comm)
		f.folds, f.trees = r.foldsAtFirst, r.foldsAtFirst > 0 && r.stream.Out.Runs != nil
		r.form = f
	}
	return r.form
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
