package move

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer"
)

// Ranks that go through moves in rounds never wait for each other in a circle: each meets its
// partners in the order of all moves, and none is left out.
func TestRounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		moves := make([]rebalancer.Move, random.IntN(40))
		for pid := range moves {
			moves[pid] = rebalancer.Move{Pid: pid, From: random.IntN(7), To: random.IntN(7)}
		}
		sorted := inRounds(moves)
		free := make(map[int]int) // round from which on a rank takes part in no earlier move
		last := 0
		for _, m := range sorted {
			round := max(free[m.From], free[m.To])
			if round < last {
				t.Fatalf("move %+v belongs before others: %+v", m, sorted)
			}
			last = round
			free[m.From], free[m.To] = round+1, round+1
		}
		slices.SortFunc(sorted, func(a, b rebalancer.Move) int { return a.Pid - b.Pid })
		if !slices.Equal(sorted, moves) {
			t.Fatalf("%+v are not all of %+v", sorted, moves)
		}
	}
}
