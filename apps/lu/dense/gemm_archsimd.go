//go:build goexperiment.simd && amd64

package dense

import (
	"simd/archsimd"
	"sync"
)

// vectorDepth is how many values of k one pass over C has: four rows of A and a sliver of B stay in a
// first-level cache.
const vectorDepth = 256

// vectorBuffer holds a sliver of -B, and a tile at the edge of C.
type vectorBuffer struct {
	sliver [vectorDepth]sliverRow
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
	for p := range k {
		negate(buf.sliver[p][:cols], b[p*ldb:][:cols])
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
		tileVectors(&from, buf.sliver[:k], c, ldc)
		return
	}
	tile := buf.tile[:vectorRows*width]
	copyCols(rows, cols, tile, width, c, ldc)
	tileVectors(&from, buf.sliver[:k], tile, width)
	copyCols(rows, cols, c, ldc, tile, width)
}

func tileVectors(a *[vectorRows][]float64, b []sliverRow, c []float64, ldc int) {
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
