//go:build !openblas || !cgo

package dense

import "slices"

// SameBits reports whether every blocking of an elimination has the same result: see
// the package comment.
const SameBits = true

// Kernel names the kernels in use: "AVX-512", "AVX2" or "generic".
func Kernel() string { return level.String() }

// Kernels names the sets of kernels of this build and this machine, the fastest first. All
// of them give the same bits.
func Kernels() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.String()
	}
	return names
}

// SetKernel puts one of [Kernels] into use, instead of the first one. It is for
// comparisons: no other function of the package may run at the same time.
func SetKernel(name string) {
	at := slices.Index(Kernels(), name)
	if at < 0 {
		panic("dense: SetKernel: there is no " + name + " here")
	}
	level = levels[at]
}

func gemm(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	gemmBuiltin(m, n, k, a, lda, b, ldb, c, ldc)
}

func trsm(m, n int, l []float64, ldl int, b []float64, ldb int) {
	trsmBuiltin(m, n, l, ldl, b, ldb)
}
