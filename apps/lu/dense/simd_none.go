//go:build !amd64 || purego || noasm

package dense

func assemblyLevels() []simdLevel { return nil }

func gemmBuiltin(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	gemmGeneric(m, n, k, a, lda, b, ldb, c, ldc)
}

func trsmBuiltin(m, n int, l []float64, ldl int, b []float64, ldb int) {
	trsmGeneric(m, n, l, ldl, b, ldb)
}

func ger(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	gerGeneric(rows, cols, x, incX, y, a, lda)
}

func eliminateHead(rows, cols int, pivot, a []float64, lda int) (done, next int, largest float64) {
	return eliminateHeadGeneric(rows, cols, pivot, a, lda)
}

func swap(x, y []float64) { swapGeneric(x, y) }
