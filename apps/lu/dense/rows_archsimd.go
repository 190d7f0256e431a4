//go:build goexperiment.simd && amd64

package dense

import "simd/archsimd"

// The kernels on single rows have vectors of four elements at all levels: memory is what limits them.

// trsmVectors is TrsmLowerUnit without checks. The rows are halved down to a tile, and there each row is
// subtracted from those below.
func trsmVectors(m, n int, l []float64, ldl int, b []float64, ldb int) {
	if m <= vectorRows {
		for i := range m - 1 {
			below := i + 1
			gerVectors(m-below, n, l[below*ldl+i:], ldl, b[i*ldb:], b[below*ldb:], ldb)
		}
		return
	}
	top := (m/2 + vectorRows - 1) / vectorRows * vectorRows
	trsmVectors(top, n, l, ldl, b, ldb)
	gemmVectors(m-top, n, top, l[top*ldl:], ldl, b, ldb, b[top*ldb:], ldb)
	trsmVectors(m-top, n, l[top*ldl+top:], ldl, b[top*ldb:], ldb)
}

// gerVectors is Ger without checks.
func gerVectors(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	for i := range rows {
		s := x[i*incX]
		factor := archsimd.BroadcastFloat64x4(-s)
		from, to := y[:cols], a[i*lda:][:cols]
		for len(from) >= 8 && len(to) >= 8 {
			row := (*[8]float64)(to)
			y0, y1 := load256((*[8]float64)(from))
			a0, a1 := load256(row)
			store256(row, factor.MulAdd(y0, a0), factor.MulAdd(y1, a1))
			from, to = from[8:], to[8:]
		}
		subtractRow(s, from, to)
	}
	archsimd.ClearAVXUpperBits()
}

// negate sets to[j] = -from[j] in slices of the same length, also for zeros.
func negate(to, from []float64) {
	minus := archsimd.BroadcastFloat64x4(-1)
	for len(from) >= 8 && len(to) >= 8 {
		low, high := load256((*[8]float64)(from))
		store256((*[8]float64)(to), minus.Mul(low), minus.Mul(high))
		from, to = from[8:], to[8:]
	}
	for j, v := range from {
		to[j] = -v
	}
}
