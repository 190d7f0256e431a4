package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchCase is what a call at scale looks like: ten supersteps that differ, a
// hundred processes per rank, placed without regard to speed.
func benchCase(pids int) autoCase {
	return autoCase{pids: pids, ranks: pids / 100, phases: 10, unequal: true, state: 1_000_000}
}

// BenchmarkAuto shows how the cost of a decision grows with the processes, and
// how far above the lower bound the predicted time ends.
func BenchmarkAuto(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchAuto(b, benchCase(n)) })
	}
}

// BenchmarkAutoRotating is BenchmarkAuto with processes that take turns.
func BenchmarkAutoRotating(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		c := benchCase(n)
		c.rotating = true
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchAuto(b, c) })
	}
}

// BenchmarkAutoTalking is BenchmarkAuto with two partners for each process.
func BenchmarkAutoTalking(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		c := benchCase(n)
		c.talk, c.sets = 2, 4
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchAuto(b, c) })
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
