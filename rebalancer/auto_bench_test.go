package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAuto shows how the cost of a decision grows with the processes, and how far above
// the lower bound the predicted time ends: at calls of ten supersteps that differ, with a hundred
// processes per rank, placed without regard to speed, which may take turns or have two partners
// each.
func BenchmarkAuto(b *testing.B) {
	for name, c := range map[string]autoCase{"alone": {}, "turns": {rotating: true}, "talking": {talk: 2, sets: 4}} {
		c.phases, c.unequal, c.state = 10, true, 1_000_000
		for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
			if c.pids, c.ranks = n, n/100; n == 1e6 && name != "alone" {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { benchAuto(b, c) })
		}
	}
}

func benchAuto(b *testing.B, c autoCase) {
	v := c.view(rand.New(rand.NewPCG(1, 2)))
	var moves []Move
	b.ResetTimer()
	for range b.N {
		moves = chooseAuto(v, 0.02)
	}
	b.StopTimer()
	f, bound := forecastOf(v, moves), boundOf(v)
	rest := float64(f.Horizon) * bound.Least
	b.ReportMetric(f.Before/rest, "before/bound")
	b.ReportMetric(f.After/rest, "after/bound")
	b.ReportMetric(float64(len(moves)), "moves")
}
