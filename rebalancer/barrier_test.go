package rebalancer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// fartherView has 4 ranks in 2 Sets and processes of equal work, all on the slower Set. Barriers
// between the Sets are slow.
func fartherView(near, far float64) View {
	v := plainView(repeat(6, 1), []int32{0, 1, 0, 1, 0, 1}, []float64{1, 1, 1.1, 1.1})
	v.Platform.Sets = []Set{{Name: "one"}, {Name: "two", Manager: 2}}
	link := v.Platform.Links[0][0]
	v.Platform.Links = [][]Link{{link, link}, {link, link}}
	v.Platform.Ranks[2].Set, v.Platform.Ranks[3].Set = 1, 1
	v.Platform.Arrivals = [][]float64{{near, far}, {far, near}}
	for r := range v.Snapshot.Ranks {
		v.Snapshot.Ranks[r].Remaining = 1000
	}
	return v
}

// The incrementally updated barrier time equals the time computed from scratch.
func TestBarrierTimeFollowsMoves(t *testing.T) {
	v := fartherView(0.25, 4)
	followMoves(t, v, func(where []int32) float64 {
		want := v.Platform.Barrier
		for _, rank := range where[1:] {
			want += v.Platform.Arrivals[v.Platform.Ranks[where[0]].Set][v.Platform.Ranks[rank].Set]
		}
		return want
	})
	v = leaving()
	followMoves(t, v, func(where []int32) float64 { return cost.Barrier(v.Platform, where) })
}

// followMoves moves processes at random and compares the barrier time with want.
func followMoves(t *testing.T, v View, want func(where []int32) float64) {
	t.Helper()
	where := slices.Clone(v.Where)
	barrier := cost.NewBarrierTime(v.Platform, where)
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		pid, to := random.IntN(len(where)), random.IntN(4)
		barrier.Move(pid, int(where[pid]), to)
		where[pid] = int32(to)
		want, anew, least := want(where), cost.Barrier(v.Platform, where), cost.LeastBarrier(v.Platform)
		if got := barrier.Time(); !near(got, want) || !near(anew, want) || want < least {
			t.Fatalf("%v: %g and made anew %g, want %g, and %g at least", where, got, anew, want, least)
		}
	}
}

// If processes far from process 0 make barriers long, either all move together or none.
func TestAutoKeepsTogetherForBarriers(t *testing.T) {
	v := fartherView(0, 10)
	where := costMoved(v.Where, chooseAuto(v, 0.02))
	for pid, rank := range where {
		if v.Platform.Ranks[rank].Set != 1 {
			t.Errorf("process %d is on rank %d: %v", pid, rank, where)
		}
	}
	v = fartherView(0, 0)
	where = costMoved(v.Where, chooseAuto(v, 0.02))
	if !slices.ContainsFunc(where, func(rank int32) bool { return rank < 2 }) {
		t.Errorf("all in one Set without a reason: %v", where)
	}
}
