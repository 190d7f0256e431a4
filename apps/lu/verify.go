package main

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// threshold is the largest scaled residual that passes, as in HPL.
const threshold = 16

// residual is max |PAx - LUx| / (max row sum of |A| * max |x| * n * eps) for a random x. A
// is generated again, and P makes the swaps of the pivoting.
func (m *matrix) residual(b *bsplib.Proc, swaps []int, seed uint64, element func(i, j int) float64) float64 {
	x := make([]float64, m.Rows.N)
	for j := range x {
		x[j] = uniform(seed+1, 0, j)
	}
	original := m.multiply(b, x, func(i, j int, _ float64) float64 { return element(i, j) })
	norm := m.multiply(b, slices.Repeat([]float64{1}, m.Rows.N), func(i, j int, _ float64) float64 { return math.Abs(element(i, j)) })
	ux := m.multiply(b, x, func(i, j int, a float64) float64 {
		if j >= i {
			return a
		}
		return 0
	})
	lux := m.multiply(b, ux, func(i, j int, a float64) float64 {
		switch {
		case j < i:
			return a
		case j == i:
			return 1
		default:
			return 0
		}
	})
	for k, pivot := range swaps {
		original[k], original[pivot] = original[pivot], original[k]
	}
	worst := 0.0
	for i := range original {
		worst = numbers.Larger(worst, math.Abs(original[i]-lux[i]))
	}
	eps := math.Nextafter(1, 2) - 1
	return worst / (largest(norm) * largest(x) * float64(m.Rows.N) * eps)
}

// multiply returns the product of x with the matrix of the given elements, on all
// processes; element gets an element's indices and its present value in A.
func (m *matrix) multiply(b *bsplib.Proc, x []float64, element func(i, j int, a float64) float64) []float64 {
	y := make([]float64, m.Rows.N)
	for li := range m.rows() {
		i, row := m.Rows.global(m.Row, li), m.row(li, 0)
		for lj, a := range row {
			j := m.Cols.global(m.Col, lj)
			y[i] += element(i, j, a) * x[j]
		}
	}
	bsplib.SumSlice(b, y)
	return y
}

// checksum mixes all elements of the factors with their positions in the matrix. It does not depend
// on their distribution.
func (m *matrix) checksum(b *bsplib.Proc) uint64 {
	sum := uint64(0)
	for li := range m.rows() {
		i := m.Rows.global(m.Row, li)
		for lj, a := range m.row(li, 0) {
			place := uint64(i)*uint64(m.Rows.N) + uint64(m.Cols.global(m.Col, lj))
			sum += numbers.Mix(math.Float64bits(a) ^ numbers.Mix(place))
		}
	}
	return bsplib.Sum(b, sum)
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = numbers.Larger(m, math.Abs(v))
	}
	return m
}
