package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func random(rows, cols int) matrix { return newMatrix(rand.New(rand.NewPCG(1, 1)), rows, cols, 0) }

// BenchmarkKernels measures the kernels at sizes that they have in a distributed LU, in GFLOP/s.
func BenchmarkKernels(b *testing.B) {
	rate := func(kernel string, m, n, k, flops int, call func()) {
		b.Run(fmt.Sprintf("%s/%dx%dx%d", kernel, m, n, k), func(b *testing.B) {
			for b.Loop() {
				call()
			}
			b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	for _, s := range [][3]int{{10, 10, 10}, {50, 50, 8}, {50, 50, 50}, {100, 100, 64}, {500, 500, 64}, {500, 500, 128}, {1000, 1000, 64}, {2000, 2000, 64}, {2000, 2000, 128}} {
		m, n, k := s[0], s[1], s[2]
		x, y, z := random(m, k), random(k, n), random(m, n)
		rate("Gemm", m, n, k, 2*m*n*k, func() { Gemm(m, n, k, x.data, k, y.data, n, z.data, n) })
	}
	for _, s := range [][2]int{{50, 50}, {250, 500}, {500, 1000}, {1000, 2000}, {2000, 2000}} {
		m, n := s[0], s[1]
		x, y, z := random(m, 1), random(1, n), random(m, n)
		rate("Ger", m, n, 1, 2*m*n, func() { Ger(m, n, x.data, 1, y.data, z.data, n) })
	}
	for _, s := range [][2]int{{8, 50}, {50, 50}, {64, 500}, {64, 2000}, {128, 2000}, {256, 1000}} {
		m, n := s[0], s[1]
		l, x := random(m, m), random(m, n)
		clear(l.data) // the right-hand side is the same in all calls
		rate("TrsmLowerUnit", m, n, m, m*m*n, func() { TrsmLowerUnit(m, n, l.data, m, x.data, n) })
	}
	for _, s := range [][2]int{{1000, 8}, {1000, 64}, {1000, 1000}} {
		m, n := s[0], s[1]
		a, pivot := random(m, n), make([]float64, n)
		pivot[0] = 1
		rate("Eliminate", m, n, 1, 2*m*(n-1), func() { Eliminate(m, n, pivot, a.data, n) })
	}
	for _, n := range []int{50, 100, 500, 1000, 1024, 2000} {
		a, pivots := random(n, n), make([]int, n)
		work := a.clone()
		rate("Getrf", n, n, n, 2*n*n*n/3, func() {
			copy(work.data, a.data)
			Getrf(n, n, work.data, n, pivots)
		})
	}
}
