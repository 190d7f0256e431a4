//go:build !purego && !noasm

package dense

import "sync"

const (
	packSize    = 1 << 16 // elements of B packed at a time: half a megabyte, to stay in a second-level cache
	maxDepth    = 256     // values of k per pass over C
	inPlaceRows = 64      // up to this many rows B is read where it lies: packing it would cost more
)

// buffer holds packed slivers of B.
type buffer [packSize]float64

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// gemmTiled is Gemm without checks.
func gemmTiled(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	if m <= inPlaceRows {
		for p := 0; p < k; p += maxDepth {
			s := strip{k: min(maxDepth, k-p), cols: n, b: &b[p*ldb], bRow: ldb * 8, bSliver: tileCols() * 8}
			s.runDown(m, a[p:], lda, c, ldc)
		}
		return
	}
	buf := buffers.Get().(*buffer)
	for p := 0; p < k; p += maxDepth {
		depth := min(maxDepth, k-p)
		gemmPacked(m, n, depth, a[p:], lda, b[p*ldb:], ldb, c, ldc, buf)
	}
	buffers.Put(buf)
}

// gemmPacked is gemmTiled for k <= maxDepth, with packed slivers of as many columns of B as buf holds.
func gemmPacked(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int, buf *buffer) {
	width := packSize / k / tileCols() * tileCols()
	for j := 0; j < n; j += width {
		cols := min(width, n-j)
		pack(k, cols, b[j:], ldb, buf)
		s := strip{k: k, cols: cols, b: &buf[0], bRow: tileCols() * 8, bSliver: k * tileCols() * 8}
		s.runDown(m, a, lda, c[j:], ldc)
	}
}

// pack copies the k x cols matrix b to buf, one sliver after the other.
func pack(k, cols int, b []float64, ldb int, buf *buffer) {
	nr := tileCols()
	for j := 0; j < cols; j += nr {
		copyTile(k, min(nr, cols-j), buf[j*k:], nr, b[j:], ldb)
	}
}

// runDown runs the strip at every row of tiles of an m-row C, from the top.
func (s *strip) runDown(m int, a []float64, lda int, c []float64, ldc int) {
	rows := tileRows()
	s.setRows(min(rows, m), lda, ldc)
	for i := 0; i < m; i += rows {
		if m-i < rows && i > 0 {
			s.setRows(m-i, lda, ldc)
		}
		s.a, s.c = &a[i*lda], &c[i*ldc]
		s.run()
	}
}
