package main

import "github.com/migbsp/migbsp/bsplib"

// matrix is one process's part of the matrix: rows Row, Row+M, ... and columns Col,
// Col+N, ... of it, in blocks.
type matrix struct {
	Rows, Cols cyclic
	Row, Col   int
	Elements   []float64 // local rows x local columns, row-major
}

func (m *matrix) rows() int { return m.Rows.count(m.Row) }

func (m *matrix) cols() int { return m.Cols.count(m.Col) }

func (m *matrix) block() int { return m.Rows.Block }

// at is the process with the given grid coordinates.
func (m *matrix) at(row, col int) int { return row*m.Cols.Parts + col }

// row is local row i from column from on.
func (m *matrix) row(i, from int) []float64 {
	cols := m.cols()
	return m.Elements[i*cols+from : (i+1)*cols]
}

// corner returns the local matrix from local row i and column j on, or nil if that is empty.
func (m *matrix) corner(i, j int) []float64 {
	cols := m.cols()
	if i >= m.rows() || j >= cols {
		return nil
	}
	return m.Elements[i*cols+j:]
}

// fill sets the matrix's elements.
func (m *matrix) fill(element func(i, j int) float64) {
	for li := range m.rows() {
		i, row := m.Rows.global(m.Row, li), m.row(li, 0)
		for lj := range row {
			row[lj] = element(i, m.Cols.global(m.Col, lj))
		}
	}
}

func (m *matrix) step(k int) step {
	first := k * m.block()
	width := min(m.block(), m.Rows.N-first)
	return step{
		first: first, width: width, stride: panelStride(width),
		row: m.Rows.owner(first), col: m.Cols.owner(first),
		rows: m.Rows.before(m.Row, first), below: m.Rows.before(m.Row, first+width),
		cols: m.Cols.before(m.Col, first), right: m.Cols.before(m.Col, first+width),
	}
}

// has reports whether a process of this row had all of the panel before it was dealt out.
func (m *matrix) has(st step, col int) bool {
	return col == st.col && (!st.gathered || m.Row == m.gatheringRow(col))
}

// gatheringRow is the grid row of the process that factors the block columns of a
// grid column: another one for each, since it needs memory for them.
func (m *matrix) gatheringRow(col int) int { return col % m.Rows.Parts }

// gathers reports whether this process factors the gathered block column.
func (m *matrix) gathers(st step) bool {
	return st.gathered && m.Col == st.col && m.Row == m.gatheringRow(st.col)
}

// dealt is the length of the panel that is dealt out.
func (m *matrix) dealt(st step) int {
	return (m.rows()-st.below)*st.width + triangleSize(st.width)
}

// part returns the bounds of a grid column's part of that panel.
func (m *matrix) part(st step, col int) (from, to int) {
	return share(m.dealt(st), m.Cols.Parts, col)
}

// putInColumn writes values to the area of the other processes of the column.
func (m *matrix) putInColumn(area bsplib.Area[float64], offset int, values []float64) {
	for row := range m.Rows.Parts {
		if row != m.Row {
			area.Put(m.at(row, m.Col), offset, values...)
		}
	}
}

// cyclic deals the indices 0 .. n-1 of one matrix dimension to parts in blocks,
// in turn: block-cyclic, and cyclic with blocks of one.
type cyclic struct{ N, Block, Parts int }

// owner is the part that index g belongs to.
func (c cyclic) owner(g int) int { return g / c.Block % c.Parts }

// local is the index of g within its part.
func (c cyclic) local(g int) int { return g/c.Block/c.Parts*c.Block + g%c.Block }

// global is the index of element l of a part.
func (c cyclic) global(part, l int) int {
	return (l/c.Block*c.Parts+part)*c.Block + l%c.Block
}

// before is the number of indices below g that a part has: the local index of its first one
// from g on.
func (c cyclic) before(part, g int) int {
	blocks := g / c.Block
	own := blocks / c.Parts * c.Block
	switch last := blocks % c.Parts; {
	case last > part:
		return own + c.Block
	case last == part:
		return own + g%c.Block
	default:
		return own
	}
}

// count returns the number of indices in a part.
func (c cyclic) count(part int) int { return c.before(part, c.N) }

// blocks returns the number of blocks; the last block may be short.
func (c cyclic) blocks() int { return (c.N + c.Block - 1) / c.Block }
