package bsplib_test

import (
	"cmp"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// The programs of Hill et al., BSPlib: The BSP programming library, Parallel
// Computing 24 (1998), call by call.

// reverse: process i ends with the value of process p-1-i.
func reverse(b *bsplib.Proc, x int) int {
	mem := []int{x}
	area := bsplib.Register(b, mem)
	b.Sync()
	area.Put(b.NProcs()-1-b.Pid(), 0, mem[0])
	area.Pop()
	b.Sync()
	return mem[0]
}

func TestReverse(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		return equal(b, "the value", reverse(b, b.Pid()), b.NProcs()-1-b.Pid())
	})
}

// putArray: xs, spread over the processes, is a permutation; each number goes
// to its own place.
func putArray(b *bsplib.Proc, xs []int) {
	n := len(xs)
	area := bsplib.Register(b, xs)
	b.Sync()
	for _, x := range xs {
		area.Put(x/n, x%n, x)
	}
	b.Sync()
	area.Pop()
}

func TestPutArray(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		last := 3*(b.NProcs()-b.Pid()) - 1
		xs := []int{last, last - 1, last - 2}
		putArray(b, xs)
		return equal(b, "the numbers", xs, numbers(3*b.Pid(), 3))
	})
}

// bspSum: the sum of all processes' numbers, on all of them.
func bspSum(b *bsplib.Proc, xs []int) int {
	result := make([]int, 1)
	for _, x := range xs {
		result[0] += x
	}
	area := bsplib.Register(b, result)
	b.Sync()
	sums := make([]int, b.NProcs())
	for from := range sums {
		area.HPGet(from, 0, sums[from:from+1])
	}
	b.Sync()
	total := 0
	for _, s := range sums {
		total += s
	}
	area.Pop()
	return total
}

func TestBSPSum(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		xs := make([]int, 6)
		for i := range xs {
			xs[i] = i * b.Pid()
		}
		return equal(b, "the sum", bspSum(b, xs), 15*b.NProcs()*(b.NProcs()-1)/2)
	})
}

// allGatherSparseVec: everybody gets what is not zero of a spread vector, and
// where it stands.
func allGatherSparseVec(b *bsplib.Proc, dense []float32) (sparse []float32, index []int32) {
	q := bsplib.NewQueue[int32, float32](b)
	b.Sync()
	for i, v := range dense {
		if v != 0 {
			for to := range b.NProcs() {
				q.Send(to, int32(len(dense)*b.Pid()+i), v)
			}
		}
	}
	b.Sync()
	n := q.Len()
	sparse, index = make([]float32, n), make([]int32, n)
	for i := range n {
		index[i], _, _ = q.Peek()
		q.Receive(sparse[i : i+1])
	}
	return sparse, index
}

func TestAllGatherSparseVec(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		dense := make([]float32, 4)
		dense[b.Pid()%4] = float32(b.Pid()) + 0.5
		sparse, index := allGatherSparseVec(b, dense)
		var values []float32
		var places []int32
		for pid := range b.NProcs() {
			values = append(values, float32(pid)+0.5)
			places = append(places, int32(4*pid+pid%4))
		}
		return cmp.Or(equal(b, "values", sparse, values), equal(b, "places", index, places))
	})
}
