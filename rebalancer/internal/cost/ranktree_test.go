package cost

import (
	"math/rand/v2"
	"testing"
)

// The tree finds the rank that a look at all of them finds, whatever loads and rates
// are, also where many are equal and some have no room.
func TestTreeFindsWhatAllRanksSay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + random.IntN(40)
		ranks, rates, loads, room := make([]int32, n), make([]float64, n), make([]float64, n), make([]bool, n)
		kinds := 1 + random.IntN(5) // of rates and loads
		for i := range n {
			ranks[i], rates[i], loads[i], room[i] = int32(i), float64(random.IntN(kinds+1))/3, float64(random.IntN(kinds))/7, random.IntN(4) > 0
		}
		tree := NewRankTree(ranks, rates, loads)
		for range 10 {
			rank := random.IntN(n)
			loads[rank] += random.Float64() - 0.5
			tree.Update(rank, loads[rank])
			more, want := random.Float64()/10, -1
			for i, rate := range rates {
				if rate > 0 && room[i] && (want < 0 || (loads[i]+more)/rate < (loads[want]+more)/rates[want]) {
					want = i
				}
			}
			if got := tree.Soonest(more, func(rank int) bool { return room[rank] }); got != want {
				t.Fatalf("rank %d, want %d, of loads %v, rates %v, room %v, with %g more", got, want, loads, rates, room, more)
			}
		}
	}
}

// On many equal ranks few are asked.
func TestTreeAsksFewRanks(t *testing.T) {
	const n = 1 << 12
	ranks, rates, loads := make([]int32, n), make([]float64, n), make([]float64, n)
	for i := range n {
		ranks[i], rates[i], loads[i] = int32(i), 1, 10
	}
	tree, asked := NewRankTree(ranks, rates, loads), 0
	for range n {
		rank := tree.Soonest(1, func(int) bool { asked++; return true })
		loads[rank]++
		tree.Update(rank, loads[rank])
	}
	if asked > 2*n || loads[0] != 11 || loads[n-1] != 11 {
		t.Errorf("%d ranks asked for %d processes; loads from %g to %g", asked, n, loads[0], loads[n-1])
	}
}
