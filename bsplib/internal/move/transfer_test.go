package move

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer"
)

// Moves in rounds cannot deadlock: each rank meets its partners in the order of all moves, and
// no move is left out.
func TestRounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		moves := make([]rebalancer.Move, random.IntN(40))
		for pid := range moves {
			moves[pid] = rebalancer.Move{Pid: pid, From: random.IntN(7), To: random.IntN(7)}
		}
		sorted := inRounds(moves)
		free := make(map[int]int) // first round after a rank's earlier moves
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
