package rebalancer

import (
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// compareCases are kinds of instances too large for exhaustive search.
var compareCases = []struct {
	name string
	autoCase
}{
	{"plain", autoCase{pids: 60, ranks: 8, phases: 1, state: 1_000_000}},
	{"unequal", autoCase{pids: 50, ranks: 30, phases: 3, unequal: true, state: 1_000_000}},
	{"rotating", autoCase{pids: 64, ranks: 8, phases: 8, rotating: true, state: 1_000_000}},
	{"one each", autoCase{pids: 16, ranks: 16, phases: 2, unequal: true, state: 1_000_000}},
	{"talk", autoCase{pids: 40, ranks: 10, phases: 2, talk: 2, sets: 3, state: 1_000_000}},
	{"great states", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, state: 8_000_000_000}},
	{"memory", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, memory: true, state: 1_000_000}},
	{"pinned", autoCase{pids: 40, ranks: 6, phases: 2, unequal: true, pinned: 0.5, state: 1_000_000}},
}

// TestAutoAgainstSingleMoves compares auto with staying and with the best single
// move.
func TestAutoAgainstSingleMoves(t *testing.T) {
	const seeds = 25
	for _, c := range compareCases {
		stay, single, auto := 0.0, 0.0, 0.0
		for seed := range uint64(seeds) {
			v := c.view(rand.New(rand.NewPCG(seed, 11)))
			moves := chooseAuto(v, 0)
			if !allowed(v, costMoved(v.Where, moves)) {
				t.Errorf("%s %d: moves are not allowed", c.name, seed)
			}
			a, b, s := totalOf(v, moves), bestSingle(v), totalOf(v, nil)
			if a > s || a > b*(1+search.PruneLoss) {
				t.Errorf("%s %d: auto %.4f, best single move %.4f, staying %.4f", c.name, seed, a, b, s)
			}
			stay, single, auto = stay+s, single+b, auto+a
		}
		t.Logf("%-12s staying 1, best single move %.3f, auto %.3f", c.name, single/stay, auto/stay)
	}
}
