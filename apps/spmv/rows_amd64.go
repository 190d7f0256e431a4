//go:build !purego && !noasm

package main

// fast computes times for the first rows, with instructions that prefetch nonzeros, because hardware
// prefetching stops at the end of a page. It returns the number of rows, and stops before a row with
// an index outside the matrix or the vector.
func (a *rows) fast(y, x []float64, first int) int {
	nonzeros := min(len(a.Columns), len(a.Values))
	if len(y) == 0 || len(x) == 0 || nonzeros == 0 {
		return 0
	}
	starts := a.Starts[first : first+len(y)+1]
	return timesAhead(&y[0], &starts[0], len(y), &a.Columns[0], &a.Values[0], nonzeros, &x[0], len(x))
}

// timesAhead multiplies rows, whose nonzeros are in columns and values from starts on, by a vector of
// the given length. It returns the number of rows before the first invalid row.
//
//go:noescape
func timesAhead(y *float64, starts *int, rows int, columns *int32, values *float64, nonzeros int, x *float64, length int) int
