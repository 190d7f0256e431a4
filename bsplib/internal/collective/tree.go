package collective

import "slices"

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
	rails   [][]int     // members of each node that work between nodes (levels), by their number and node
	widest  int         // subtrees of the rank with the most
	all     []held      // the subtrees of all ranks, in order
	between []held      // the subtrees of all nodes, in order
}

// held is a subtree with the rank or node that has it, and its number there.
type held struct {
	subtree
	at, number int
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
	t.rails = make([][]int, len(slices.MinFunc(t.nodes, func(a, b []int) int { return len(a) - len(b) })))
	for i := range t.rails {
		for _, ranks := range t.nodes {
			t.rails[i] = append(t.rails[i], ranks[i])
		}
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
