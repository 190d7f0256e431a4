//go:build goexperiment.simd && amd64

package dense

import (
	"simd/archsimd"
	"sync"
)

// vectorDepth is how many values of k one pass over C has: four rows of A and a sliver of B stay in a
// first-level cache.
const vectorDepth = 128

// vectorBuffer holds a sliver of -B, and a tile at the edge of C.
type vectorBuffer struct {
	sliver [vectorDepth * maxVectorCols]float64
	tile   [vectorRows * maxVectorCols]float64
}

var vectorBuffers = sync.Pool{New: func() any { return new(vectorBuffer) }}

// gemmVectors is Gemm without checks: sliver after sliver of B, for each of them down the rows of C.
func gemmVectors(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	buf := vectorBuffers.Get().(*vectorBuffer)
	for p := 0; p < k; p += vectorDepth {
		depth := min(vectorDepth, k-p)
		for j := 0; j < n; j += vectorCols() {
			cols := min(vectorCols(), n-j)
			buf.pack(depth, cols, b[p*ldb+j:], ldb)
			for i := 0; i < m; i += vectorRows {
				buf.subtract(min(vectorRows, m-i), cols, depth, a[i*lda+p:], lda, c[i*ldc+j:], ldc)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
	vectorBuffers.Put(buf)
}

// pack copies -B, which is k x cols, to the sliver. What it leaves beside the columns of B is of no
// consequence.
func (buf *vectorBuffer) pack(k, cols int, b []float64, ldb int) {
	width := vectorCols()
	for p := range k {
		to := buf.sliver[p*width:][:cols]
		for j, v := range b[p*ldb:][:cols] {
			to[j] = -v
		}
	}
}

// subtract takes the product of rows x k elements of A and the sliver from rows x cols elements of C.
// A tile at the edge of C is completed in the buffer; its rows beyond the last one of A repeat that.
func (buf *vectorBuffer) subtract(rows, cols, k int, a []float64, lda int, c []float64, ldc int) {
	var from [vectorRows][]float64
	for r := range from {
		from[r] = a[min(r, rows-1)*lda:][:k]
	}
	width := vectorCols()
	if rows == vectorRows && cols == width {
		tileVectors(&from, buf.sliver[:k*width], c, ldc)
		return
	}
	tile := buf.tile[:vectorRows*width]
	copyCols(rows, cols, tile, width, c, ldc)
	tileVectors(&from, buf.sliver[:k*width], tile, width)
	copyCols(rows, cols, c, ldc, tile, width)
}

func tileVectors(a *[vectorRows][]float64, b, c []float64, ldc int) {
	if level == levelArchsimdAVX512 {
		tileVectors512(a, b, c, ldc)
	} else {
		tileVectors256(a, b, c, ldc)
	}
}

func copyCols(rows, cols int, dst []float64, ldd int, src []float64, lds int) {
	for i := range rows {
		copy(dst[i*ldd:][:cols], src[i*lds:])
	}
}

// trsmVectors is TrsmLowerUnit without checks. The rows are halved down to a tile.
func trsmVectors(m, n int, l []float64, ldl int, b []float64, ldb int) {
	if m <= vectorRows {
		trsmGeneric(m, n, l, ldl, b, ldb)
		return
	}
	top := (m/2 + vectorRows - 1) / vectorRows * vectorRows
	trsmVectors(top, n, l, ldl, b, ldb)
	gemmVectors(m-top, n, top, l[top*ldl:], ldl, b, ldb, b[top*ldb:], ldb)
	trsmVectors(m-top, n, l[top*ldl+top:], ldl, b[top*ldb:], ldb)
}

// gerVectors is Ger without checks.
func gerVectors(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	const lanes = 4
	for i := range rows {
		s := -x[i*incX]
		factor := archsimd.BroadcastFloat64x4(s)
		from, to := y[:cols], a[i*lda:][:cols]
		for len(from) >= lanes && len(to) >= lanes {
			v, w := (*[lanes]float64)(from), (*[lanes]float64)(to)
			factor.MulAdd(archsimd.LoadFloat64x4(v), archsimd.LoadFloat64x4(w)).Store(w)
			from, to = from[lanes:], to[lanes:]
		}
		subtractRow(-s, from, to)
	}
	archsimd.ClearAVXUpperBits()
}
