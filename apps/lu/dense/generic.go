package dense

import "math"

// The portable kernels: they state the order of arithmetic in Go, and the assembly has to agree with them
// bit for bit. math.FMA is one instruction where the machine has it, and exact in software elsewhere.

// gemmGeneric is Gemm without checks. Four values of k are applied per pass over a row of C.
func gemmGeneric(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	for i := range m {
		ai, ci := a[i*lda:][:k], c[i*ldc:][:n]
		p := 0
		for ; p+4 <= k; p += 4 {
			subtractRows4((*[4]float64)(ai[p:]), b[p*ldb:], ldb, ci)
		}
		for ; p < k; p++ {
			subtractRow(ai[p], b[p*ldb:][:n], ci)
		}
	}
}

// subtractRow is y -= s x.
func subtractRow(s float64, x, y []float64) {
	x = x[:len(y)]
	for j := range y {
		y[j] = math.FMA(-s, x[j], y[j])
	}
}

// subtractRows4 is y -= s[0] x0, then s[1] x1, s[2] x2 and s[3] x3, where x0 ... x3 are the first rows of x.
func subtractRows4(s *[4]float64, x []float64, ldx int, y []float64) {
	n := len(y)
	x0, x1, x2, x3 := x[:n], x[ldx:][:n], x[2*ldx:][:n], x[3*ldx:][:n]
	s0, s1, s2, s3 := -s[0], -s[1], -s[2], -s[3]
	for j := range y {
		v := math.FMA(s0, x0[j], y[j])
		v = math.FMA(s1, x1[j], v)
		v = math.FMA(s2, x2[j], v)
		y[j] = math.FMA(s3, x3[j], v)
	}
}

// trsmGeneric is TrsmLowerUnit without checks: row i of B is a Gemm with the i finished rows above it.
func trsmGeneric(m, n int, l []float64, ldl int, b []float64, ldb int) {
	for i := 1; i < m; i++ {
		gemmGeneric(1, n, i, l[i*ldl:], ldl, b, ldb, b[i*ldb:], ldb)
	}
}

// gerGeneric is Ger without checks.
func gerGeneric(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	for i := range rows {
		subtractRow(x[i*incX], y[:cols], a[i*lda:][:cols])
	}
}

// swapGeneric is SwapRows without checks.
func swapGeneric(x, y []float64) {
	y = y[:len(x)]
	for j, v := range x {
		x[j], y[j] = y[j], v
	}
}

// eliminateHeadGeneric performs the step of Eliminate on the first two columns of A. It returns the
// number of columns, and index and value of the largest absolute value in the second column (-1 for
// none).
func eliminateHeadGeneric(rows, cols int, pivot, a []float64, lda int) (done, next int, largest float64) {
	p, u := pivot[0], pivot[1]
	largest = -1
	for i := range rows {
		row := (*[2]float64)(a[i*lda:])
		l := row[0] / p
		v := math.FMA(-l, u, row[1])
		row[0], row[1] = l, v
		if v = math.Abs(v); v > largest {
			next, largest = i, v
		}
	}
	return 2, next, largest
}
