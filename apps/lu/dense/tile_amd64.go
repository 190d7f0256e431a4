//go:build !purego && !noasm

package dense

// The matrix kernels work on a tile of C that fits the vector registers: 8 x 24 (AVX-512) or 4 x 12 (AVX2).
// A strip is one row of tiles.
const (
	maxTileRows = 8
	maxTileCols = 24
)

// tileRows and tileCols give the size of a tile of the kernels in use.
func tileRows() int {
	if level == levelAVX512 {
		return maxTileRows
	}
	return maxTileRows / 2
}

func tileCols() int {
	if level == levelAVX512 {
		return maxTileCols
	}
	return maxTileCols / 2
}

// strip describes C -= A B for the rows of one strip; the assembly reads it by field name.
// B is a sequence of slivers, each as wide as a tile (the last one may be narrower).
// All distances are in bytes.
type strip struct {
	a, b, c *float64
	aRow    [maxTileRows]int // from a to the start of each row of A
	cRow    [maxTileRows]int // from c to the start of each row of C
	bRow    int              // from a row of a sliver to the next
	bSliver int              // from a sliver to the next
	k, cols int              // columns of A, columns of C; both > 0
}

// setRows sets the number of rows of the strip, 1 <= rows <= tileRows, and its strides. Further rows
// of the tile alias the last: they load, compute and store the same values, because a tile is loaded
// completely before any of it is stored.
func (s *strip) setRows(rows, lda, ldc int) {
	for r := range maxTileRows {
		s.aRow[r] = min(r, rows-1) * lda * 8
		s.cRow[r] = min(r, rows-1) * ldc * 8
	}
}

func (s *strip) run() {
	if level == levelAVX512 {
		stripAVX512(s)
	} else {
		stripAVX2(s)
	}
}

// solveTile solves with one diagonal block l (tileRows x tileRows, adjacent rows) for the rows of a full
// tile b with adjacent rows.
func solveTile(l, b *float64) {
	if level == levelAVX512 {
		solveAVX512(l, b)
	} else {
		solveAVX2(l, b)
	}
}

// copyTile copies rows x cols elements, cols <= tileCols.
func copyTile(rows, cols int, dst []float64, ldd int, src []float64, lds int) {
	switch {
	case level == levelAVX512:
		copyAVX512(rows, cols, &dst[0], ldd, &src[0], lds)
	case cols == tileCols():
		copyAVX2(rows, &dst[0], ldd, &src[0], lds)
	default:
		for i := range rows {
			copy(dst[i*ldd:][:cols], src[i*lds:])
		}
	}
}

//go:noescape
func stripAVX512(s *strip)

//go:noescape
func stripAVX2(s *strip)

//go:noescape
func solveAVX512(l, b *float64)

//go:noescape
func solveAVX2(l, b *float64)

//go:noescape
func copyAVX512(rows, cols int, dst *float64, ldd int, src *float64, lds int)

//go:noescape
func copyAVX2(rows int, dst *float64, ldd int, src *float64, lds int)
