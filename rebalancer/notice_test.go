package rebalancer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// A notice takes a few bytes per move, about a third of the decision's.
func TestNoticesAreSmall(t *testing.T) {
	const processes, ranks = 2000, 500
	random := rand.New(rand.NewPCG(1, 1))
	where := make([]int32, processes)
	d := Decision{Step: 8, Call: 1}
	for pid := range where {
		where[pid] = int32(pid / 4)
		if to := random.IntN(ranks); pid%3 > 0 {
			d.Moves = append(d.Moves, Move{Pid: pid, From: pid / 4, To: to, Bytes: 1e6, Reason: "t1 > t2"})
		}
	}
	c := New(Uniform(ranks, Link{}), where, Spec{})
	d.Learned = c.last.Learned
	d.Learned.Pending = &Pending{Moves: d.Moves}
	n := c.Notice(&d, func(int) bool { return false })
	if whole, notice := d.Size(), n.Size(); notice > 5*len(d.Moves) || notice > whole/3 {
		t.Errorf("%d bytes for %d moves; the decision has %d", notice, len(d.Moves), whole)
	}
	all := n.Size()
	d.Learned.Available = slices.Clone(d.Learned.Available)
	d.Learned.Available[7] = 0.5
	if n := c.Notice(&d, func(int) bool { return false }); n.Size() > all+12 {
		t.Errorf("a change of one rank takes %d bytes", n.Size()-all)
	}
}

// Understand rejects notices of other runs.
func TestNoticesOfOtherRuns(t *testing.T) {
	c := New(Uniform(2, Link{}), []int32{0, 1}, Spec{})
	for _, n := range []Notice{
		{Places: []place{{Pid: 2}}}, {Places: []place{{Rank: 2}}}, {Places: []place{{Pid: -1}}}, {Places: []place{{Rank: 1}, {Rank: 1}}},
		{Speeds: []rankFigure{{Rank: 2}}}, {Available: []rankFigure{{Rank: -1}}},
	} {
		if d, err := c.Understand(n); err == nil {
			t.Errorf("%+v is understood as %+v", n, d)
		}
	}
}

// A tree reaches each rank of a Set once, after as many levels as its size asks for.
func TestTrees(t *testing.T) {
	for n, levels := range map[int]int{1: 0, 2: 1, 9: 1, 33: 1, 34: 2, 73: 2, 74: 3, 585: 3} {
		p := Uniform(n+3, Link{})
		p.Sets = append(p.Sets, Set{})
		for _, rank := range []int{0, n + 1, n + 2} {
			p.Ranks[rank].Set = 1
		}
		manager := slices.IndexFunc(p.Ranks, func(r Rank) bool { return r.Set == 0 })
		trees := p.Trees([]int{manager, -1}, func(rank int) bool { return false })
		tree := trees[0]
		if trees[1] != nil || tree[0] != manager || tree.Levels() != levels {
			t.Errorf("%d ranks: %v, %d levels, want %d", n, trees, tree.Levels(), levels)
		}
		reached := map[int]int{manager: 0}
		for place := range tree {
			for _, to := range tree.Children(place) {
				if _, again := reached[to]; again || p.Ranks[to].Set != 0 {
					t.Errorf("%d ranks: rank %d is told twice, or of another Set", n, to)
				}
				reached[to] = tree.Level(place) + 1
			}
		}
		deepest := 0
		for _, level := range reached {
			deepest = max(deepest, level)
		}
		if len(reached) != n || deepest != levels {
			t.Errorf("%d ranks: %d are reached by %d levels", n, len(reached), deepest)
		}
	}
	p := Uniform(5, Link{})
	if tree := p.Trees([]int{2}, func(rank int) bool { return rank == 4 })[0]; !slices.Equal(tree, platform.Tree{2, 0, 1, 3}) {
		t.Errorf("%v", tree)
	}
}
