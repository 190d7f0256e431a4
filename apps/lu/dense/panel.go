package dense

import "math"

// A panel whose rows are spread over processes is factored column by column: each process finds its
// candidate (MaxAbs, or the result of Eliminate), the processes agree on the pivot row, its owner
// swaps (SwapRows), and each process takes the step on the rows it owns below the pivot (Eliminate).
// With Eliminate kept to a few columns, TrsmLowerUnit on the collected pivot rows and Gemm on the
// local rows update the rest of the panel, to the same bits.
//
// All of these functions work on columns of rows that are a stride apart. If the stride is a multiple
// of 512 elements, a column maps to a few lines of each cache: copy the panel to adjacent rows.

// MaxAbs returns the index of the largest absolute value among n elements that are stride apart: the
// first of several, and -1 if n is 0. It ignores NaNs; if all are NaN it returns 0.
func MaxAbs(n int, x []float64, stride int) int {
	checkVector("MaxAbs", "x", x, n, stride)
	at, _ := maxAbs(n, x, stride)
	return at
}

func maxAbs(n int, x []float64, stride int) (at int, largest float64) {
	if n == 0 {
		return -1, -1
	}
	largest = -1
	for i := range n {
		if v := math.Abs(x[i*stride]); v > largest {
			at, largest = i, v
		}
	}
	return at, largest
}

// Divide divides n elements that are stride apart by pivot: x_i = x_i / pivot.
func Divide(n int, pivot float64, x []float64, stride int) {
	checkVector("Divide", "x", x, n, stride)
	for i := range n {
		x[i*stride] /= pivot
	}
}

// SwapRows exchanges the elements of two rows of the same length. The rows may be the same row.
func SwapRows(x, y []float64) {
	if len(x) != len(y) {
		badVector("SwapRows", "y", len(y), len(x), 1)
	}
	swap(x, y)
}

// Eliminate takes one step of Gaussian elimination on the rows x cols matrix A, whose rows are below
// the pivot row: it divides the first column by pivot[0], subtracts the product of the first column
// and pivot[1:cols] from the other columns, and returns MaxAbs of the second column, the candidate
// for the next pivot (-1 without rows or a second column).
//
// Order: l_i = a_i0 / pivot_0, then a_ij = fma(-l_i, pivot_j, a_ij), once. The caller must handle a
// zero pivot: Eliminate divides by it. Cost: rows divisions and 2 rows (cols-1) flops; A goes through
// the cache once.
func Eliminate(rows, cols int, pivot, a []float64, lda int) int {
	checkVector("Eliminate", "pivot", pivot, cols, 1)
	checkMatrix("Eliminate", "a", a, rows, cols, lda)
	if rows == 0 || cols == 0 {
		return -1
	}
	if cols == 1 {
		Divide(rows, pivot[0], a, lda)
		return -1
	}
	next, largest := 0, -1.0
	step := chunkRows(cols)
	for i := 0; i < rows; i += step {
		n, part := min(step, rows-i), a[i*lda:]
		done, at, v := eliminateHead(n, cols, pivot, part, lda)
		if v > largest {
			next, largest = i+at, v
		}
		if done < cols {
			ger(n, cols-done, part, lda, pivot[done:cols], part[done:], lda)
		}
	}
	return next
}
