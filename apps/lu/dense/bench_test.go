package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rate runs a benchmark of calls with so many floating-point operations each and reports GFLOP/s.
func rate(b *testing.B, name string, flops float64, call func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			call()
		}
		b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

func random(rows, cols int) matrix { return newMatrix(rand.New(rand.NewPCG(1, 1)), rows, cols, 0) }

// product is a size of Gemm in a distributed LU: the local rows and columns, and the block.
type product struct{ m, n, k int }

func (p product) flops() float64 { return 2 * float64(p.m) * float64(p.n) * float64(p.k) }

func BenchmarkGemm(b *testing.B) {
	for _, p := range []product{{10, 10, 10}, {50, 50, 8}, {50, 50, 50}, {100, 100, 64}, {500, 500, 64}, {500, 500, 128}, {1000, 1000, 64}, {2000, 2000, 64}, {2000, 2000, 128}} {
		x, y, z := random(p.m, p.k), random(p.k, p.n), random(p.m, p.n)
		rate(b, fmt.Sprintf("m=%d,n=%d,k=%d", p.m, p.n, p.k), p.flops(), func() {
			Gemm(p.m, p.n, p.k, x.data, p.k, y.data, p.n, z.data, p.n)
		})
	}
}

func BenchmarkGer(b *testing.B) {
	for _, p := range []product{{50, 50, 1}, {250, 500, 1}, {500, 1000, 1}, {1000, 2000, 1}, {2000, 2000, 1}} {
		x, y, z := random(p.m, 1), random(1, p.n), random(p.m, p.n)
		rate(b, fmt.Sprintf("rows=%d,cols=%d", p.m, p.n), p.flops(), func() {
			Ger(p.m, p.n, x.data, 1, y.data, z.data, p.n)
		})
	}
}

func BenchmarkTrsmLowerUnit(b *testing.B) {
	for _, p := range []product{{8, 50, 0}, {50, 50, 0}, {64, 500, 0}, {64, 2000, 0}, {128, 2000, 0}, {256, 1000, 0}} {
		l, x := random(p.m, p.m), random(p.m, p.n)
		for i := range l.data {
			l.data[i] = 0 // the right-hand side stays what it is from call to call
		}
		rate(b, fmt.Sprintf("m=%d,n=%d", p.m, p.n), float64(p.m)*float64(p.m)*float64(p.n), func() {
			TrsmLowerUnit(p.m, p.n, l.data, p.m, x.data, p.n)
		})
	}
}

func BenchmarkEliminate(b *testing.B) {
	for _, p := range []product{{1000, 8, 0}, {1000, 64, 0}, {1000, 1000, 0}} {
		a, pivot := random(p.m, p.n), random(1, p.n)
		clear(pivot.data)
		pivot.data[0] = 1
		rate(b, fmt.Sprintf("rows=%d,cols=%d", p.m, p.n), 2*float64(p.m)*float64(p.n-1), func() {
			Eliminate(p.m, p.n, pivot.data, a.data, p.n)
		})
	}
}

func BenchmarkGetrf(b *testing.B) {
	for _, n := range []int{50, 100, 500, 1000, 1024, 2000} {
		a, pivots := random(n, n), make([]int, n)
		work := a.clone()
		rate(b, fmt.Sprintf("n=%d", n), 2*float64(n)*float64(n)*float64(n)/3, func() {
			copy(work.data, a.data)
			Getrf(n, n, work.data, n, pivots)
		})
	}
}
