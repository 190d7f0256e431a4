package rebalancer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// TestPlanAgreesWithForecast makes random moves, compares the plan's total with a new prediction, and
// undoes all of them. On crowded hosts the moves of auto are no worse than staying.
func TestPlanAgreesWithForecast(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed/2, 9))
		c := autoCase{pids: 30, ranks: 7, phases: 4, sets: 3, talk: 3, unequal: true, state: 10_000_000}
		v, busy := c.view(rng), seed%2 == 1
		if busy {
			c.ranks = 9
			v = crowded(c.view(rng), 1.5, 4, 0.5)
		}
		plan := search.NewPlan(newForecastModel(v).instance(), v.Where)
		start := plan.Total()
		for range 60 {
			plan.Move(rng.IntN(c.pids), rng.IntN(c.ranks))
			if got, want := plan.Total(), totalOf(v, movesTo(v, plan.Where())); !near(got, want) {
				t.Fatalf("seed %d: plan %.9f, forecast %.9f", seed, got, want)
			}
		}
		plan.Rollback(0)
		if got := plan.Total(); !near(got, start) || !slices.Equal(plan.Where(), v.Where) {
			t.Errorf("seed %d: %.9f after taking all back, %.9f before", seed, got, start)
		}
		if !busy {
			continue
		}
		if got := totalOf(v, chooseAuto(v, 0)); got > start {
			t.Errorf("seed %d: %.9f after the moves, %.9f before", seed, got, start)
		}
	}
}
