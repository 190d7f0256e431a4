package rebalancer

import (
	"math/rand/v2"
	"testing"
)

// smallCases are kinds of instances that can be searched exhaustively.
var smallCases = []struct {
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
}

// TestAutoAgainstAllMappings compares auto with the best of all mappings.
func TestAutoAgainstAllMappings(t *testing.T) {
	const seeds = 12
	optimal, worst, n := 0, 1.0, 0
	for _, c := range smallCases {
		for seed := range uint64(seeds) {
			v := c.view(rand.New(rand.NewPCG(seed, 7)))
			moves := chooseAuto(v, 0)
			if !allowed(v, costMoved(v.Where, moves)) {
				t.Errorf("%s %d: moves %v are not allowed", c.name, seed, moves)
			}
			got, best := totalOf(v, moves), optimum(v)
			if got > totalOf(v, nil) {
				t.Errorf("%s %d: worse than staying", c.name, seed)
			}
			ratio := got / best
			n++
			if ratio < 1.001 {
				optimal++
			}
			worst = max(worst, ratio)
			if ratio > 1.05 {
				t.Errorf("%s %d: total %.4f, optimum %.4f", c.name, seed, got, best)
			}
		}
	}
	t.Logf("%d of %d optimal within 0.1 %%, worst %.4f of the optimum", optimal, n, worst)
	if optimal*10 < n*9 {
		t.Errorf("only %d of %d optimal", optimal, n)
	}
}
