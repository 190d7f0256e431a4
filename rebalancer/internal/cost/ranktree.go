package cost

import (
	"cmp"
	"math"
	"slices"
)

// RankTree has ranks that can compute, in the leaves of a binary tree, so
// that the one which is done first is found without a look at all of them. Nodes know
// what no rank below them beats: a time is a rank's load with a process, over its rate,
// and rounding keeps the order of times.
type RankTree struct {
	rates  []float64 // of all ranks of the platform
	ranks  []int32   // of the leaves; by rate, those that are equally fast by rank
	leaves int       // a power of two; node 1 is the root, leaf i is node leaves + i
	rate   []float64 // largest below each node
	first  []int32   // lowest rank below each node
	load   []float64 // least below each node
}

// NewRankTree puts ranks with rates and loads into a tree.
func NewRankTree(ranks []int32, rates, loads []float64) *RankTree {
	t := &RankTree{rates: rates, leaves: 1}
	for _, rank := range ranks {
		if rates[rank] > 0 {
			t.ranks = append(t.ranks, rank)
		}
	}
	slices.SortFunc(t.ranks, t.compare)
	for t.leaves < len(t.ranks) {
		t.leaves *= 2
	}
	t.rate, t.first, t.load = make([]float64, 2*t.leaves), make([]int32, 2*t.leaves), make([]float64, 2*t.leaves)
	for node := range t.load {
		t.load[node], t.first[node] = math.Inf(1), noRank
	}
	for i, rank := range t.ranks {
		node := t.leaves + i
		t.rate[node], t.first[node], t.load[node] = rates[rank], rank, loads[rank]
	}
	for node := t.leaves - 1; node > 0; node-- {
		t.rate[node] = max(t.rate[2*node], t.rate[2*node+1])
		t.first[node] = min(t.first[2*node], t.first[2*node+1])
		t.load[node] = min(t.load[2*node], t.load[2*node+1])
	}
	return t
}

// noRank is the lowest rank of none.
const noRank = math.MaxInt32

// compare is the order of ranks in the leaves.
func (t *RankTree) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(t.rates[a], t.rates[b]), cmp.Compare(a, b))
}

// Update changes the load of a rank, if it is in the tree.
func (t *RankTree) Update(rank int, load float64) {
	leaf, found := slices.BinarySearchFunc(t.ranks, int32(rank), t.compare)
	if !found {
		return
	}
	node := t.leaves + leaf
	t.load[node] = load
	for node /= 2; node > 0; node /= 2 {
		t.load[node] = min(t.load[2*node], t.load[2*node+1])
	}
}

// Soonest is the rank that has the least time with so much more work, the lowest of
// several, of those that may be taken; -1 if there is none. It asks may of each rank if
// it finds none, else of few.
func (t *RankTree) Soonest(more float64, may func(rank int) bool) int {
	best, at := 0.0, -1
	// bound is a time that no rank below a node beats; a leaf's is its own.
	bound := func(node int) float64 {
		load := t.load[node] + more
		if load < 0 && node < t.leaves {
			return math.Inf(-1)
		}
		return load / t.rate[node]
	}
	var below func(node int)
	below = func(node int) {
		time, first := bound(node), int(t.first[node])
		switch beaten := at >= 0 && (time > best || time == best && first > at); {
		case first == noRank || beaten:
		case node >= t.leaves:
			if may(first) {
				best, at = time, first
			}
		default:
			left, right := 2*node, 2*node+1
			if l, r := bound(left), bound(right); r < l || r == l && t.first[right] < t.first[left] {
				left, right = right, left
			}
			below(left)
			below(right)
		}
	}
	below(1)
	return at
}
