package cells

// tile is a part of a block. above and side are the cells above it and on its left, and
// become its last row and its last column.
type tile struct {
	columns     *Columns
	query       []byte
	row, column int // the first ones
	above, side []Cell
	corner      int32 // H above side
}

// generic computes a tile and returns its peak.
//
// If H(i,j) comes from E(i,j), E(i,j+1) can ignore it, because a new gap costs no less than
// a longer one: so E waits for two operations only.
func (t *tile) generic() Peak {
	top, corner := Peak{Score: Never}, t.corner
	for i, letter := range t.query {
		next := t.side[i].H
		most, e := t.computeRow(t.columns.of(letter, t.column, t.column+len(t.above)), t.side[i].Gap, corner)
		top = top.or(Peak{most, int32(t.row + i)})
		t.side[i], corner = Cell{t.above[len(t.above)-1].H, e}, next
	}
	return top
}

// computeRow computes one row and returns its largest score and E after it. e and diagonal
// are E and H on its left.
func (t *tile) computeRow(pairs []int8, e, diagonal int32) (most, after int32) {
	open, extend := t.columns.open, t.columns.extend
	above := t.above[:len(pairs)]
	for j, pair := range pairs {
		up := above[j]
		h := max(diagonal+int32(pair), up.Gap, 0)
		diagonal = up.H
		next := max(h-open, e-extend)
		h = max(h, e)
		above[j] = Cell{h, max(h-open, up.Gap-extend)}
		most, e = max(most, h), next
	}
	return most, e
}

// bounds returns limits of all values in a tile. Gaps on the borders may be below the lower limit,
// but then they do not matter.
//
// A letter of a gap of the target at the top of a tile, and the letters below it, cost at most extend
// each; so an H is never much less than the H above it.
func (t *tile) bounds() (low, high int32) {
	low, high = t.corner, t.corner
	for _, c := range t.above {
		low, high = min(low, c.H, c.Gap+t.columns.open), max(high, c.H, c.Gap)
	}
	for _, c := range t.side {
		low, high = min(low, c.H), max(high, c.H, c.Gap)
	}
	rows := int32(len(t.query))
	low = max(0, low-t.columns.open-rows*t.columns.extend) - t.columns.open - t.columns.extend
	return low, max(0, high) + rows*t.columns.most
}

// A tile is the part of a block that is computed at once: so small that its scores, which
// differ by little from cell to cell, fit into 16 bits.
const (
	tileRows    = 192
	tileColumns = 512
)

// Block computes a block of the matrix: rows of the query, the first of them numbered first, and all
// columns. above is the row of cells above it on entry, and its last row on return. left contains the
// cells on its left, one for each row, and right becomes its last column; left may be right. corner
// is the H above and left of the block. Block takes the peak before the block and returns the peak
// including it.
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
