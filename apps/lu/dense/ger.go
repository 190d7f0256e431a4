package dense

// updateChunk is the number of elements of a matrix that one call of a rank-1 kernel covers: small
// enough to stay in the L2 cache between the passes of Eliminate, and to let the scheduler run every
// few microseconds.
const updateChunk = 1 << 15

// Ger subtracts a rank-1 product: A -= x yᵀ, with A rows x cols, the elements of x incX apart, and
// adjacent elements of y. x may be a column of A's storage, outside A.
//
// Order: a_ij = fma(-x_i, y_j, a_ij), once. Cost: 2 rows cols flops; A is read and written once, row
// after row.
func Ger(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	checkVector("Ger", "x", x, rows, incX)
	checkVector("Ger", "y", y, cols, 1)
	checkMatrix("Ger", "a", a, rows, cols, lda)
	if rows == 0 || cols == 0 {
		return
	}
	step := chunkRows(cols)
	for i := 0; i < rows; i += step {
		ger(min(step, rows-i), cols, x[i*incX:], incX, y, a[i*lda:], lda)
	}
}

// chunkRows is the number of rows, a multiple of eight, that hold about updateChunk elements.
func chunkRows(cols int) int {
	return max(8, updateChunk/cols&^7)
}
