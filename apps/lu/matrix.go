package main

import "github.com/migbsp/migbsp/apps/internal/numbers"

// uniform is a number in [-0.5, 0.5) that depends on all its arguments.
func uniform(seed uint64, i, j int) float64 {
	return float64(numbers.Mix(numbers.Mix(seed+uint64(i))+uint64(j))>>11)/(1<<53) - 0.5
}

// panelStride keeps the rows of a wide panel from falling on the same few
// lines of a cache.
func panelStride(width int) int {
	if width < 16 {
		return width
	}
	return width/8*8 + 8
}

// arrangedWidth is the minimum number of columns arranged in one superstep. Single numbers would cost
// too much overhead.
const arrangedWidth = 32

// copyColumns copies a number of rows and columns from one matrix to another.
func copyColumns(rows, columns int, to []float64, toStride int, from []float64, fromStride int) {
	if columns == 1 {
		for i := range rows {
			to[i*toStride] = from[i*fromStride]
		}
		return
	}
	for i := range rows {
		copy(to[i*toStride:][:columns], from[i*fromStride:])
	}
}

// tail is x from element i on, nil after its end.
func tail(x []float64, i int) []float64 {
	if i >= len(x) {
		return nil
	}
	return x[i:]
}

// share is the begin and the end of one of several equal parts of n things.
func share(n, parts, part int) (from, to int) { return n * part / parts, n * (part + 1) / parts }

// triangleSize returns the number of elements of a square to the left of its diagonal.
func triangleSize(width int) int { return width * (width - 1) / 2 }

// packTriangle copies these elements, row after row.
func packTriangle(width int, to, from []float64, stride int) {
	for j := 1; j < width; j++ {
		copy(to[triangleSize(j):], from[j*stride:][:j])
	}
}

// unpackTriangle copies them back.
func unpackTriangle(width int, to []float64, stride int, from []float64) {
	for j := 1; j < width; j++ {
		copy(to[j*stride:][:j], from[triangleSize(j):])
	}
}
