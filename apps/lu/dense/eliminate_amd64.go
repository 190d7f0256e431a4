//go:build !purego && !noasm

package dense

// eliminateHead performs the step of Eliminate on the first columns of A, at least two, and returns
// their number, the row with the largest absolute value in the second column, and that value (-1 for
// none).
func eliminateHead(rows, cols int, pivot, a []float64, lda int) (done, next int, largest float64) {
	const block = 8
	if level != levelAVX512 || rows < block {
		return eliminateHeadGeneric(rows, cols, pivot, a, lda)
	}
	done = min(cols, 9)
	whole := rows / block * block
	next, largest = eliminateAVX512(whole/block, done, &pivot[0], &a[0], lda)
	if next *= block; largest >= 0 {
		at, _ := maxAbs(block, a[next*lda+1:], lda)
		next += at
	}
	if whole < rows {
		at, v := eliminateRest(rows-whole, done, pivot, a[whole*lda:], lda)
		if v > largest {
			next, largest = whole+at, v
		}
	}
	return done, next, largest
}

// eliminateRest is eliminateHead for the rows that fill no block, and all of the columns.
func eliminateRest(rows, cols int, pivot, a []float64, lda int) (next int, largest float64) {
	done, next, largest := eliminateHeadGeneric(rows, cols, pivot, a, lda)
	if done < cols {
		ger(rows, cols-done, a, lda, pivot[done:cols], a[done:], lda)
	}
	return next, largest
}

// eliminateAVX512 is eliminateHead for blocks of 8 rows and 2 <= cols <= 9. It returns the block with
// the largest value.
//
//go:noescape
func eliminateAVX512(blocks, cols int, pivot, a *float64, lda int) (best int, largest float64)
