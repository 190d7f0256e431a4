package bsplib_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func plus(a, b int) int { return a + b }

// For every root and lengths from nothing to more than there are processes.
func TestBroadcast(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		for root := range b.NProcs() {
			for _, n := range []int{0, 1, 2, 5, 100} {
				data := make([]int, n)
				if b.Pid() == root {
					data = numbers(root, n)
				}
				bsplib.Broadcast(b, root, data)
				if err := equal(b, fmt.Sprintf("%d values from %d", n, root), data, numbers(root, n)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// share is what process pid contributes: pid mod 3 numbers.
func share(pid int) []int { return numbers(10*pid, pid%3) }

func shares(procs int) [][]int {
	all := make([][]int, procs)
	for pid := range all {
		all[pid] = share(pid)
	}
	return all
}

func TestGather(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		for root := range b.NProcs() {
			got, want := bsplib.Gather(b, root, share(b.Pid())), [][]int(nil)
			if b.Pid() == root {
				want = shares(b.NProcs())
			}
			if err := equal(b, fmt.Sprintf("root %d", root), got, want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestAllgather(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		return equal(b, "all values", bsplib.Allgather(b, share(b.Pid())), shares(b.NProcs()))
	})
}

func TestAllToAll(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		give, want := make([][]int, b.NProcs()), make([][]int, b.NProcs())
		for pid := range give {
			give[pid], want[pid] = numbers(100*b.Pid()+pid, pid), numbers(100*pid+b.Pid(), b.Pid())
		}
		return equal(b, "what arrived", bsplib.AllToAll(b, give), want)
	})
}

// What a collective returns is a copy, which stays.
func TestResultsOutliveSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		first := bsplib.Allgather(b, []int{b.Pid()})
		bsplib.Allgather(b, []int{-1})
		bsplib.Allgather(b, []int{-2})
		return equal(b, "the first result", slices.Concat(first...), numbers(0, b.NProcs()))
	})
}

func TestReductions(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		p, pid := b.NProcs(), b.Pid()
		sum := p * (p - 1) / 2
		for root := range p {
			want := 0
			if pid == root {
				want = sum
			}
			if err := equal(b, "Reduce", bsplib.Reduce(b, root, pid, plus), want); err != nil {
				return err
			}
		}
		for _, n := range []int{0, 1, 3, 50} {
			x, want := numbers(pid, n), make([]int, n)
			for i := range want {
				want[i] = sum + i*p
			}
			bsplib.AllreduceSlice(b, x, plus)
			if err := equal(b, "AllreduceSlice", x, want); err != nil {
				return err
			}
		}
		return cmp.Or(
			equal(b, "Allreduce", bsplib.Allreduce(b, pid, plus), sum),
			equal(b, "Scan", bsplib.Scan(b, pid, plus), pid*(pid+1)/2))
	})
}

// The order of the processes is kept: op need not be commutative.
func TestReductionsKeepTheOrder(t *testing.T) {
	type word [8]byte
	join := func(a, b word) word { copy(a[slices.Index(a[:], 0):], b[:]); return a }
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		mine := word{byte('a' + b.Pid())}
		var all word
		copy(all[:], "abcdefg"[:b.NProcs()])
		upToMe := all
		clear(upToMe[b.Pid()+1:])
		slice := []word{mine}
		bsplib.AllreduceSlice(b, slice, join)
		return cmp.Or(
			equal(b, "Allreduce", bsplib.Allreduce(b, mine, join), all),
			equal(b, "Scan", bsplib.Scan(b, mine, join), upToMe),
			equal(b, "AllreduceSlice", slice[0], all))
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

// Collectives are Syncs: they deliver what else was put.
func TestCollectivesDeliverPuts(t *testing.T) {
	for _, c := range collectives {
		t.Run(c.name, func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				x := bsplib.Register(b, make([]int, 1))
				b.Sync()
				x.Put(right(b), 0, 1+b.Pid())
				c.call(b)
				return equal(b, "the area", x.Slice()[0], 1+left(b))
			})
		})
	}
}
