package dense

// Gemm subtracts a product: C -= A B, with A m x k, B k x n and C m x n.
//
// Order: c_ij = fma(-a_ik, b_kj, c_ij) for k = 0, 1, 2, ...; see the package comment.
// A and B may be parts of the same storage as C, without common elements.
// Cost: 2 m n k flops; C is read and written once per 256 values of k.
func Gemm(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	checkMatrix("Gemm", "a", a, m, k, lda)
	checkMatrix("Gemm", "b", b, k, n, ldb)
	checkMatrix("Gemm", "c", c, m, n, ldc)
	if m == 0 || n == 0 || k == 0 {
		return
	}
	gemm(m, n, k, a, lda, b, ldb, c, ldc)
}

// TrsmLowerUnit solves in place with a unit lower triangular matrix: B = L⁻¹ B, with L m x m and B m
// x n. It takes the diagonal of L as one, and does not read the elements on and above the diagonal.
//
// Order: b_ij = fma(-l_ik, b_kj, b_ij) for k = 0 ... i-1, with finished b_kj. L and B may be parts of
// the same storage, without common elements. Cost: m² n flops.
func TrsmLowerUnit(m, n int, l []float64, ldl int, b []float64, ldb int) {
	checkMatrix("TrsmLowerUnit", "l", l, m, m, ldl)
	checkMatrix("TrsmLowerUnit", "b", b, m, n, ldb)
	if m < 2 || n == 0 {
		return
	}
	trsm(m, n, l, ldl, b, ldb)
}
