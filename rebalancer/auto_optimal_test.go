package rebalancer

import (
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// mostTried is the maximum number of processes for which all mappings are tried.
const mostTried = 7

// Auto is never worse than staying. With few processes it comes close to the best mapping, within a
// thousandth in nine of ten cases; with many it is no worse than the best single move.
func TestAutoAgainstOtherMappings(t *testing.T) {
	optimal, n := 0, 0
	for _, c := range []struct {
		name string
		autoCase
	}{
		{"equal", autoCase{pids: 7, ranks: 3, phases: 1}},
		{"unequal", autoCase{pids: 7, ranks: 3, phases: 1, unequal: true}},
		{"phases", autoCase{pids: 7, ranks: 3, phases: 4, unequal: true}},
		{"rotating", autoCase{pids: 7, ranks: 3, phases: 3, rotating: true}},
		{"talk", autoCase{pids: 6, ranks: 3, phases: 1, talk: 2, sets: 2}},
		{"heavy talk", autoCase{pids: 6, ranks: 3, phases: 2, talk: 3, sets: 3, unequal: true}},
		{"state", autoCase{pids: 7, ranks: 3, phases: 2, state: 4_000_000_000, unequal: true}},
		{"memory", autoCase{pids: 7, ranks: 3, phases: 2, state: 1_000_000, memory: true, unequal: true}},
		{"pinned", autoCase{pids: 7, ranks: 3, phases: 2, pinned: 0.3, unequal: true}},
		{"drained", autoCase{pids: 6, ranks: 3, phases: 2, drained: true, unequal: true}},
		{"two ranks", autoCase{pids: 7, ranks: 2, phases: 3, talk: 1, state: 100_000_000}},
		{"plain", autoCase{pids: 60, ranks: 8, phases: 1, state: 1_000_000}},
		{"many unequal", autoCase{pids: 50, ranks: 30, phases: 3, unequal: true, state: 1_000_000}},
		{"many rotating", autoCase{pids: 64, ranks: 8, phases: 8, rotating: true, state: 1_000_000}},
		{"one each", autoCase{pids: 16, ranks: 16, phases: 2, unequal: true, state: 1_000_000}},
		{"much talk", autoCase{pids: 40, ranks: 10, phases: 2, talk: 2, sets: 3, state: 1_000_000}},
		{"great states", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, state: 8_000_000_000}},
		{"much memory", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, memory: true, state: 1_000_000}},
		{"many pinned", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, pinned: 0.5, state: 1_000_000}},
	} {
		best, most, seeds, stream := optimum, 1.05, 12, uint64(7)
		if c.pids > mostTried {
			best, most, seeds, stream = bestSingle, 1+search.PruneLoss, 25, 11
		}
		for seed := range uint64(seeds) {
			v := c.view(rand.New(rand.NewPCG(seed, stream)))
			moves := chooseAuto(v, 0)
			if !allowed(v, costMoved(v.Where, moves)) {
				t.Errorf("%s %d: moves %v are not allowed", c.name, seed, moves)
			}
			got, best, stay := totalOf(v, moves), best(v), totalOf(v, nil)
			if got > stay || got > most*best {
				t.Errorf("%s %d: total %.4f, best %.4f, staying %.4f", c.name, seed, got, best, stay)
			}
			if c.pids <= mostTried {
				n++
				if got < 1.001*best {
					optimal++
				}
			}
		}
	}
	if optimal*10 < n*9 {
		t.Errorf("only %d of %d optimal", optimal, n)
	}
}
