package collective

import "slices"

// This file defines the tree of reductions, and its layout on ranks and nodes.
//
// The tree is a binary tree over the pids: [0, p) is combined from [0, m) and [m, p), with m half
// of p rounded up, and so on down to the processes. Its shape depends on p alone. The mapping
// decides only which rank combines a subtree: a subtree whose processes are all on one rank is
// combined there, a subtree whose ranks are all on one node is combined on that node, and the rest
// between nodes. Results therefore have the same bits on every mapping, and few data are sent if
// neighbours in pid are on the same rank or node.

// middle returns the pid at the split of [lo, hi).
func middle(lo, hi int) int { return lo + (hi-lo+1)/2 }

// subtree is the processes [lo, hi) of the tree.
type subtree struct{ lo, hi int }

// layout is the tree's layout on ranks and nodes. It is the same on all ranks.
type layout struct {
	members []int       // ranks with processes, in order
	nodes   [][]int     // the same by node, in the order of their first ranks
	node    []int       // by rank: number of its node in nodes, -1 without processes
	place   []int       // by rank: its index among the members of its node
	procs   [][]int     // by rank: pids, in order
	index   []int       // by pid: its index among the processes of its rank
	ranks   [][]subtree // by rank: the largest subtrees completely on it, in order
	whole   [][]subtree // by node: the largest subtrees completely on it, in order
	rails   [][]int     // members of each node that work between nodes (levels), by index and node
	widest  int         // maximum number of subtrees of a rank
	all     []held      // the subtrees of all ranks, in order
	between []held      // the subtrees of all nodes, in order
}

// held is a subtree with its rank or node, and its index there.
type held struct {
	subtree
	at, number int
}

// newLayout returns the layout for the rank of each process and the node of each rank.
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

// enumerate numbers the subtrees of each rank or node, and appends them to its list.
func enumerate(all []held, by [][]subtree) {
	for i := range all {
		h := &all[i]
		h.number = len(by[h.at])
		by[h.at] = append(by[h.at], h.subtree)
	}
}

// largest returns the largest subtrees over p processes that are completely on one rank or node,
// in order. at returns the rank or node of a process.
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

// cut returns the first index of part i if n elements are cut into k parts.
func cut(i, n, k int) int { return i * n / k }
