package cells

// A tile is the part of a block that is computed at once: so small that its scores, which
// differ by little from cell to cell, fit into 16 bits.
const (
	tileRows    = 192
	tileColumns = 512
)

// Block computes a block of the matrix: rows of the query, the first of which has number
// first, and all columns. above is the row of cells above it on entry, and its last row on
// return. left are the cells on its left, one for each row, and right becomes its last
// column; left may be right. corner is H above left and left. Block takes the peak before
// the block and returns the peak including it.
func (c *Columns) Block(query []byte, first int, above, left, right []Cell, corner int32, top Peak) Peak {
	above, right = above[:c.count], right[:len(query)]
	copy(right, left[:len(query)])
	for from := 0; from < len(query); from += tileRows {
		to := min(from+tileRows, len(query))
		next := right[to-1].H
		for column := 0; column < c.count; column += tileColumns {
			t := tile{
				columns: c, query: query[from:to], row: first + from, column: column,
				above: above[column:min(column+tileColumns, c.count)], side: right[from:to], corner: corner,
			}
			corner = t.above[len(t.above)-1].H
			top = top.or(t.compute())
		}
		corner = next
	}
	return top
}
