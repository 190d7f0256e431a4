package bsplib_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func plus(a, b int) int { return a + b }

// What a collective returns is a copy, which stays.
func TestResultsOutliveSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		first := bsplib.Allgather(b, []int{b.Pid()})
		bsplib.Allgather(b, []int{-1})
		bsplib.Allgather(b, []int{-2})
		return equal(b, "the first result", slices.Concat(first...), numbers(0, b.NProcs()))
	})
}

// Sums of floating-point numbers have the same bits on all processes, by all
// routes, and on all numbers of ranks.
func TestSumsAreTheSameEverywhere(t *testing.T) {
	for _, procs := range []int{3, 7, 64, 65, 100} {
		var want float64
		onOne := bsplib.Config{Procs: procs, Ranks: 1}
		err := bsplib.Run(onOne, func(b *bsplib.Proc, _ *none) error {
			want = allSums(b)[0]
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		bsptest.Run(t, procs, func(b *bsplib.Proc, _ *none) error {
			sums := allSums(b)
			for route, sum := range sums {
				if sum != want {
					return fmt.Errorf("process %d, route %d: %v, want %v", b.Pid(), route, sum, want)
				}
			}
			return nil
		})
	}
}

// allSums adds numbers of very different sizes in every way there is.
func allSums(b *bsplib.Proc) []float64 {
	add := func(a, b float64) float64 { return a + b }
	mine := math.Pow(10, float64(b.Pid()%17)) / 3
	slice := []float64{mine, mine, mine}
	bsplib.AllreduceSlice(b, slice, add)
	sums := append(slice, bsplib.Allreduce(b, mine, add))
	last := b.NProcs() - 1
	reduced, scanned := bsplib.Reduce(b, last, mine, add), bsplib.Scan(b, mine, add)
	if b.Pid() == last {
		sums = append(sums, reduced, scanned)
	}
	return sums
}
