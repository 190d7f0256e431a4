package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// threshold is the largest scaled residual that passes, as in HPL.
const threshold = 16

// residual is max |PAx - LUx| / (max row sum of |A| * max |x| * n * eps) for a
// random x, where A is made anew and P makes the swaps of the pivoting.
func (s *state) residual(b *bsplib.Proc, n int, seed uint64, element func(i, j int) float64) float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = uniform(seed+1, 0, j)
	}
	original := s.multiply(b, x, func(i, j int, _ float64) float64 { return element(i, j) })
	norm := s.multiply(b, ones(n), func(i, j int, _ float64) float64 { return math.Abs(element(i, j)) })
	ux := s.multiply(b, x, func(i, j int, a float64) float64 {
		if j >= i {
			return a
		}
		return 0
	})
	lux := s.multiply(b, ux, func(i, j int, a float64) float64 {
		switch {
		case j < i:
			return a
		case j == i:
			return 1
		default:
			return 0
		}
	})
	for k, pivot := range s.Swaps {
		original[k], original[pivot] = original[pivot], original[k]
	}
	worst := 0.0
	for i := range original {
		worst = numbers.Larger(worst, math.Abs(original[i]-lux[i]))
	}
	eps := math.Nextafter(1, 2) - 1
	return worst / (largest(norm) * largest(x) * float64(n) * eps)
}

// multiply returns the product of x with the matrix of the given elements, on
// all processes; element gets an element's place and what A has there now.
func (s *state) multiply(b *bsplib.Proc, x []float64, element func(i, j int, a float64) float64) []float64 {
	y := make([]float64, s.Rows.N)
	for li := range s.localRows() {
		i, row := s.Rows.global(s.Row, li), s.row(li, 0)
		for lj, a := range row {
			j := s.Cols.global(s.Col, lj)
			y[i] += element(i, j, a) * x[j]
		}
	}
	bsplib.SumSlice(b, y)
	return y
}

// checksum mixes all elements of the factors with their places in the matrix:
// it does not depend on how they are dealt out.
func (s *state) checksum(b *bsplib.Proc) uint64 {
	sum := uint64(0)
	for li := range s.localRows() {
		i := s.Rows.global(s.Row, li)
		for lj, a := range s.row(li, 0) {
			place := uint64(i)*uint64(s.Rows.N) + uint64(s.Cols.global(s.Col, lj))
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

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
