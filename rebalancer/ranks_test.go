package rebalancer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranks of equal processes whose cores are in turn slower by some percent, as on a shared
// machine: extra time common to the processes of a rank is attributed to
// the rank, and no process moves. A heavy process moves as before.
func TestWhatARankIsSlowerByMovesNothing(t *testing.T) {
	const ranks, each, columns = 8, 2, 6
	view := func(random *rand.Rand, heavy float32) View {
		work, where := make([][]float32, ranks*each), make([]int32, ranks*each)
		for pid := range work {
			where[pid] = int32(pid / each)
			work[pid] = make([]float32, columns)
		}
		for c := range columns {
			for rank := range ranks {
				slower := float32(0.06) * float32(rank%2) // of the odd ranks, for most of the time
				if c == columns-1 {
					slower = 0
				}
				for k := range each {
					work[rank*each+k][c] = 1 + slower + 0.01*float32(random.NormFloat64())
				}
			}
		}
		for c := range columns {
			work[0][c] *= heavy
		}
		v := plainView(work, where, slices.Repeat([]float64{1}, ranks))
		v.Platform.SpeedError = 0.08
		return v
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		if moves := chooseAuto(view(random, 1), 0.02); len(moves) > 0 {
			t.Errorf("seed %d: %d processes move between equal ranks", seed, len(moves))
		}
		if moves := chooseAuto(view(random, 3), 0.02); len(moves) == 0 {
			t.Errorf("seed %d: nothing leaves a rank with a process of three times the work", seed)
		}
	}
}
