package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// task is a calculation that we and gonum can do in place of its operand.
type task struct {
	name     string
	size     string
	flops    float64
	original []float64 // the operand as it is at the start
	operand  []float64
	ours     func()
	gonums   func()
	factor   float64 // how many rounding errors of the operand's size are to be expected, at most
}

// product is C -= A B with an n x n matrix C, as in a step of a factorisation in blocks.
func product(n, block int) *task {
	a, b, c := random(n*block), random(block*n), random(n*n)
	t := &task{
		name: "Gemm", size: fmt.Sprintf("%d x %d x %d", n, n, block),
		flops: 2 * float64(n) * float64(n) * float64(block), factor: 4 * float64(block),
		original: c, operand: slices.Clone(c),
	}
	t.ours = func() { dense.Gemm(n, n, block, a, block, b, n, t.operand, n) }
	t.gonums = func() {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1,
			blas64.General{Rows: n, Cols: block, Stride: block, Data: a},
			blas64.General{Rows: block, Cols: n, Stride: n, Data: b}, 1,
			blas64.General{Rows: n, Cols: n, Stride: n, Data: t.operand})
	}
	return t
}

// factorisation is P A = L U with an n x n matrix.
func factorisation(n, _ int) *task {
	a, pivots := random(n*n), make([]int, n)
	t := &task{
		name: "Getrf", size: fmt.Sprintf("%d x %d", n, n),
		flops: 2 * float64(n) * float64(n) * float64(n) / 3, factor: 1000 * float64(n),
		original: a, operand: slices.Clone(a),
	}
	t.ours = func() { dense.Getrf(n, t.operand, n, pivots) }
	t.gonums = func() {
		lapack64.Getrf(blas64.General{Rows: n, Cols: n, Stride: n, Data: t.operand}, pivots)
	}
	return t
}

// random has numbers in [-1, 1), the same for each call.
func random(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}

// result is what the operand becomes.
func (t *task) result(calculate func()) []float64 {
	copy(t.operand, t.original)
	calculate()
	return slices.Clone(t.operand)
}

// same reports whether the kernels in use and gonum come to the same, but for rounding.
func (t *task) same() error {
	ours, gonums := t.result(t.ours), t.result(t.gonums)
	const epsilon = 0x1p-52
	for i := range ours {
		if off := math.Abs(ours[i] - gonums[i]); !(off <= epsilon*t.factor*(1+math.Abs(gonums[i]))) {
			return fmt.Errorf("%s %s: element %d is %v with %s kernels, and gonum's is %v", t.name, t.size, i, ours[i], dense.Kernel(), gonums[i])
		}
	}
	return nil
}

// compare measures gonum and all kernels in turns: Gflop/s by round, of the kernels in the
// order of dense.Kernels.
func (t *task) compare(ctx context.Context, rounds int, long time.Duration) (gonum []float64, ours [][]float64, err error) {
	kernels := dense.Kernels()
	defer dense.SetKernel(dense.Kernel())
	for _, kernel := range kernels {
		dense.SetKernel(kernel)
		if err := t.same(); err != nil {
			return nil, nil, err
		}
	}
	ours = make([][]float64, len(kernels))
	for range rounds {
		gonum = append(gonum, t.rate(t.gonums, long))
		for i, kernel := range kernels {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			dense.SetKernel(kernel)
			ours[i] = append(ours[i], t.rate(t.ours, long))
		}
	}
	return gonum, ours, nil
}

// rate is how many Gflop/s a calculation makes while it runs for so long, but once at least.
func (t *task) rate(calculate func(), long time.Duration) float64 {
	return frame.PerSecond(long, func() { copy(t.operand, t.original) }, calculate) * t.flops * 1e-9
}
