package rebalancer

import (
	"math/rand/v2"
	"testing"
)

// TestPlanAgreesWithForecast moves at random and compares the plan's total with
// the prediction made anew, then takes all back.
func TestPlanAgreesWithForecast(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 9))
		c := autoCase{pids: 30, ranks: 7, phases: 4, sets: 3, talk: 3, unequal: true, state: 10_000_000}
		v := c.view(rng)
		plan := newAutoPlan(newAutoModel(v), v.Where)
		start := plan.total()
		for range 60 {
			plan.move(rng.IntN(c.pids), rng.IntN(c.ranks))
			if got, want := plan.total(), totalOf(v, movesTo(v, plan.where)); !near(got, want) {
				t.Fatalf("seed %d: plan %.9f, forecast %.9f", seed, got, want)
			}
		}
		plan.rollback(0)
		if got := plan.total(); !near(got, start) || plan.away != 0 {
			t.Errorf("seed %d: %.9f after taking all back, %.9f before", seed, got, start)
		}
	}
}

func TestPhasesJoinWhatIsAlike(t *testing.T) {
	tests := []struct {
		name string
		work [][]float32
		want int
	}{
		{"same", repeat(4, 1, 1, 1, 1), 1},
		{"shrinking", repeat(4, 4, 3, 2, 1), 1},
		{"turns", [][]float32{{1, 0, 1, 0}, {0, 1, 0, 1}}, 2},
		{"noise", [][]float32{{1, 1.02, 0.99, 1}, {1, 0.98, 1.01, 1.03}}, 1},
		{"one stands out", [][]float32{{1, 9}, {1, 1}}, 2},
		{"idle", [][]float32{{1, 0, 0}, {1, 0, 0}}, 2},
	}
	for _, test := range tests {
		v := plainView(test.work, make([]int32, len(test.work)), []float64{1})
		if got := newAutoModel(v).phases; got != test.want {
			t.Errorf("%s: %d phases, want %d", test.name, got, test.want)
		}
	}
}
