//go:build !openblas || !cgo

package dense

// SameBits reports whether every blocking of an elimination has the same result: see
// the package comment.
const SameBits = true

// Kernel names the kernels in use: "AVX-512", "AVX2" or "generic".
func Kernel() string { return level.String() }

func gemm(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	gemmBuiltin(m, n, k, a, lda, b, ldb, c, ldc)
}

func trsm(m, n int, l []float64, ldl int, b []float64, ldb int) {
	trsmBuiltin(m, n, l, ldl, b, ldb)
}
