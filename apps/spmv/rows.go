package main

// rows is the nonzeros of some rows, in compressed form. Rows are ordered by the column i mod Cols of
// the grid that owns their number of the product, and then by i.
type rows struct {
	Starts  []int   // of each row, and the end of the last
	Columns []int32 // offsets in Needed
	Values  []float64
}

// times multiplies len(y) rows from one on with a vector.
func (a *rows) times(y, x []float64, first int) {
	done := a.fast(y, x, first)
	a.plain(y[done:], x, first+done)
}

// plain is times in Go. Products are rounded before they are added, on any processor.
func (a *rows) plain(y, x []float64, first int) {
	columns, values := a.Columns, a.Values
	k := a.Starts[first]
	for i, end := range a.Starts[first+1 : first+1+len(y)] {
		sum := 0.0
		for ; k < end; k++ {
			sum += float64(values[k] * x[columns[k]])
		}
		y[i] = sum
	}
}
