//go:build !purego && !noasm

package dense

// solveRows is the number of rows of B in one block of a triangular solve; a multiple of both tile
// heights.
const solveRows = 128

// trsmTiled is TrsmLowerUnit without checks: blocks of rows, each updated with all finished blocks by one
// Gemm, then solved sliver by sliver.
func trsmTiled(m, n int, l []float64, ldl int, b []float64, ldb int) {
	for i := 0; i < m; i += solveRows {
		rows := min(solveRows, m-i)
		if i > 0 {
			gemmTiled(rows, n, i, l[i*ldl:], ldl, b, ldb, b[i*ldb:], ldb)
		}
		solveBlock(rows, n, l[i*ldl+i:], ldl, b[i*ldb:], ldb)
	}
}

// solveBlock is trsmTiled for m <= solveRows. Each sliver of B is solved in a buffer with adjacent rows.
func solveBlock(m, n int, l []float64, ldl int, b []float64, ldb int) {
	buf := buffers.Get().(*buffer)
	mr, nr := tileRows(), tileCols()
	whole := (m + mr - 1) / mr * mr
	sliver, diagonal := buf[:whole*nr], buf[whole*nr:][:whole*mr]
	clear(sliver[m*nr:])
	packDiagonal(m, l, ldl, diagonal)
	for j := 0; j < n; j += nr {
		cols := min(nr, n-j)
		copyTile(m, cols, sliver, nr, b[j:], ldb)
		solveSliver(m, l, ldl, diagonal, sliver)
		copyTile(m, cols, b[j:], ldb, sliver, nr)
	}
	buffers.Put(buf)
}

// packDiagonal copies the blocks of one tile height on the diagonal of l: the elements below the
// diagonal, and zeros elsewhere.
func packDiagonal(m int, l []float64, ldl int, diagonal []float64) {
	mr := tileRows()
	clear(diagonal)
	for i := range m {
		first := i / mr * mr
		copy(diagonal[i*mr:], l[i*ldl+first:i*ldl+i])
	}
}

// solveSliver solves for all columns of one sliver, whose rows are adjacent and filled up to whole tiles.
func solveSliver(m int, l []float64, ldl int, diagonal, sliver []float64) {
	mr, nr := tileRows(), tileCols()
	s := strip{cols: nr, b: &sliver[0], bRow: nr * 8, bSliver: nr * 8}
	s.setRows(min(mr, m), ldl, nr)
	solveTile(&diagonal[0], &sliver[0])
	for i := mr; i < m; i += mr {
		if m-i < mr {
			s.setRows(m-i, ldl, nr)
		}
		s.a, s.c, s.k = &l[i*ldl], &sliver[i*nr], i
		s.run()
		solveTile(&diagonal[i*mr], &sliver[i*nr])
	}
}
