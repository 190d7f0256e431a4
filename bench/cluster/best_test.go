package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

func TestLongestShareIsTheBestThereIs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(7)
		speeds := make([]float64, 1+random.IntN(4))
		for i := range speeds {
			speeds[i] = 0.1 + random.Float64()
		}
		want := math.Inf(1)
		counts := make([]int, len(speeds))
		var all func(rank, left int)
		all = func(rank, left int) {
			if rank == len(speeds)-1 {
				counts[rank] = left
				longest := 0.0
				for r, count := range counts {
					longest = max(longest, float64(count)/speeds[r])
				}
				want = min(want, longest)
				return
			}
			for k := range left + 1 {
				counts[rank] = k
				all(rank+1, left-k)
			}
		}
		all(0, n)
		if got := longestShare(n, speeds); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%d processes, speeds %v: %g, want %g", n, speeds, got, want)
		}
	}
}

func TestBest(t *testing.T) {
	ms := func(x float64) time.Duration { return time.Duration(x * 1e6) }
	step := func(number int, totalTime float64, work ...float64) ledger.Step {
		s := ledger.Step{First: number, Last: number, Count: 1, Total: ms(totalTime)}
		for _, w := range work {
			s.Work = append(s.Work, ms(w))
			s.WorkSum += ms(w)
			if ms(w) > s.WorkMax {
				s.WorkMax, s.SlowestRank = ms(w), len(s.Work)-1
			}
		}
		return s
	}
	equal := func(int) []float64 { return []float64{1, 1} }
	slowedAt2 := func(step int) []float64 {
		if step < 2 {
			return []float64{1, 1}
		}
		return []float64{1, 0.25}
	}
	for _, c := range []struct {
		name  string
		steps []ledger.Step
		procs int
		even  bool
		at    func(int) []float64
		want  float64 // ms
	}{
		{"balanced", []ledger.Step{step(1, 12, 10, 10)}, 4, true, equal, 11},
		{"one rank has all", []ledger.Step{step(1, 22, 20, 0)}, 4, true, equal, 11},
		{"three processes on two ranks", []ledger.Step{step(1, 31, 30, 0)}, 3, true, equal, 21},
		{"the same, by work over speed", []ledger.Step{step(1, 31, 30, 0)}, 3, false, equal, 15},
		{"slowed", []ledger.Step{step(1, 11, 10, 10), step(2, 41, 10, 10)}, 4, true, slowedAt2, 11 + 21},
	} {
		if got := 1000 * best(c.steps, c.procs, c.even, 0.001, c.at); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %g ms, want %g", c.name, got, c.want)
		}
	}
	denied := step(2, 41, 10, 20)
	denied.Denied, denied.DeniedSum = ms(15), ms(15) // so that rank 1 ran for 5 ms
	if got := 1000 * best([]ledger.Step{denied}, 3, false, 0, equal); math.Abs(got-7.5) > 1e-6 {
		t.Errorf("of time without a core: %g ms, want 7.5", got)
	}
	if got := slowestWork([]ledger.Step{step(1, 11, 10, 5), denied}, slowedAt2); got != ms(10+20) {
		t.Errorf("slowest work %v", got)
	}
}
