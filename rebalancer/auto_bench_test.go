package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// BenchmarkAuto measures how the cost of a decision grows with the number of processes, and the gap
// between the predicted time and the lower bound. Calls cover ten different supersteps, with a hundred
// processes per rank, placed regardless of speed; processes may take turns or have two partners each.
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

// BenchmarkPercentEqual measures a call with equal work on all ranks of one Set, half of them slower:
// very many candidates that may each move to any rank.
func BenchmarkPercentEqual(b *testing.B) {
	for _, ranks := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(ranks), func(b *testing.B) {
			p, where := Uniform(ranks, Link{Latency: 1e-5, PerByte: 1e-8}), make([]int32, 10*ranks)
			o := Observation{Step: 1, Count: 1}
			for pid := range where {
				where[pid] = int32(pid / 10)
				o.Processes = append(o.Processes, Measure{Pid: pid, Time: 0.1 * float64(1+pid/10%2)})
			}
			c := New(p, where, must.Get(Parse("percent,guard=0"))(b))
			for ; o.Step <= 4; o.Step++ {
				c.Observe(o)
			}
			s := must.Get(Merge(4, c.Report(statesOf(ranks, RankState{Elapsed: 12, Steps: 4, Remaining: 1000}), freeDetail)))(b)
			for b.Loop() {
				c.Decide(s)
			}
		})
	}
}
