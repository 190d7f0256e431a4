//go:build openblas && cgo

package dense

import "github.com/migbsp/migbsp/apps/lu/dense/internal/openblas"

// SameBits reports whether every blocking of an elimination has the same result: see
// the package comment.
const SameBits = false

// Kernel names the kernels in use: "OpenBLAS", its version, the processor it is tuned for, and its threads.
func Kernel() string { return openblas.Name() }

func gemm(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	openblas.Gemm(m, n, k, &a[0], lda, &b[0], ldb, &c[0], ldc)
}

func trsm(m, n int, l []float64, ldl int, b []float64, ldb int) {
	openblas.TrsmLowerUnit(m, n, &l[0], ldl, &b[0], ldb)
}
