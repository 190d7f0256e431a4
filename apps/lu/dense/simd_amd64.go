//go:build !purego && !noasm

package dense

func assemblyLevels() []simdLevel {
	switch detect() {
	case levelAVX512:
		return []simdLevel{levelAVX512, levelAVX2}
	case levelAVX2:
		return []simdLevel{levelAVX2}
	}
	return nil
}

func gemmBuiltin(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	if level < levelAVX2 {
		gemmGeneric(m, n, k, a, lda, b, ldb, c, ldc)
		return
	}
	gemmTiled(m, n, k, a, lda, b, ldb, c, ldc)
}

func trsmBuiltin(m, n int, l []float64, ldl int, b []float64, ldb int) {
	if level < levelAVX2 {
		trsmGeneric(m, n, l, ldl, b, ldb)
		return
	}
	trsmTiled(m, n, l, ldl, b, ldb)
}

func ger(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	switch level {
	case levelAVX512:
		gerAVX512(rows, cols, &x[0], incX, &y[0], &a[0], lda)
	case levelAVX2:
		gerAVX2(rows, cols, &x[0], incX, &y[0], &a[0], lda)
	default:
		gerGeneric(rows, cols, x, incX, y, a, lda)
	}
}

func swap(x, y []float64) {
	if blocks := len(x) / 8; blocks > 0 && level >= levelAVX2 {
		swapAVX2(blocks, &x[0], &y[0])
		x, y = x[blocks*8:], y[blocks*8:]
	}
	swapGeneric(x, y)
}

// gerAVX512 and gerAVX2 are Ger for rows > 0 and cols > 0, without checks.

//go:noescape
func gerAVX512(rows, cols int, x *float64, incX int, y, a *float64, lda int)

//go:noescape
func gerAVX2(rows, cols int, x *float64, incX int, y, a *float64, lda int)

// swapAVX2 is SwapRows for a number of blocks of 8 elements.
//
//go:noescape
func swapAVX2(blocks int, x, y *float64)
