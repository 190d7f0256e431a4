//go:build !goexperiment.simd || !amd64

package dense

func archsimdLevels() []simdLevel { return nil }

func gemmPortable(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	gemmGeneric(m, n, k, a, lda, b, ldb, c, ldc)
}

func trsmPortable(m, n int, l []float64, ldl int, b []float64, ldb int) {
	trsmGeneric(m, n, l, ldl, b, ldb)
}

func gerPortable(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	gerGeneric(rows, cols, x, incX, y, a, lda)
}
