package main

import (
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// best returns the least possible time of a run without moves if its processes were placed
// again, free of cost, before each superstep.
//
// steps are the run's supersteps, speedsAt returns the speeds of the ranks in a superstep.
// With even processes, computing takes the time of the best number of them on each rank,
// and the rest no more than an empty superstep, in seconds. Otherwise it is all work
// divided by all speed, as if messages took no time. No run need reach these bounds.
func best(steps []ledger.Step, procs int, even bool, empty float64, speedsAt func(step int) []float64) float64 {
	sum := 0.0
	for i := range steps {
		s := &steps[i]
		speeds := speedsAt(s.First)
		done := (s.WorkSum - s.DeniedSum).Seconds() // of a core of speed 1
		least := done / frame.Sum(speeds)
		if even {
			least = done/float64(procs)*longestShare(procs, speeds) + empty
		}
		sum += min(s.Total.Seconds(), least)
	}
	return sum
}

// longestShare returns the longest time of a rank for its part of n equal processes, each
// of which takes a second at speed 1, in the best distribution.
func longestShare(n int, speeds []float64) float64 {
	counts := make([]int, len(speeds))
	for range n {
		at, least := 0, 0.0
		for rank, speed := range speeds {
			if time := float64(counts[rank]+1) / speed; rank == 0 || time < least {
				at, least = rank, time
			}
		}
		counts[at]++
	}
	longest := 0.0
	for rank, count := range counts {
		longest = max(longest, float64(count)/speeds[rank])
	}
	return longest
}

// slowestWork returns the expected time of computing by the speed of the slowest rank,
// which had a core for only a part of that time.
func slowestWork(steps []ledger.Step, speedsAt func(step int) []float64) time.Duration {
	sum := 0.0
	for i := range steps {
		s := &steps[i]
		sum += (s.WorkMax - s.Denied).Seconds() / speedsAt(s.First)[s.SlowestRank]
	}
	return time.Duration(sum * 1e9)
}
