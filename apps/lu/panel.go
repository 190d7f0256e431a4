package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// inner is the number of columns, a power of two, that a panel eliminates one
// by one before it brings others up to date at once: the next ones behind each
// such block, as many as have been finished together. That is the recursive
// factorisation of halves, column by column.
const inner = 8

// offer sends this process's candidate for the pivot of column j of the block
// to the processes of its column: absolute value, global row, and the row's
// part in the panel. at is the candidate's place among the panel rows that
// begin at local row from.
func (s *state) offer(st step, j, from, at int) {
	size := 2 + s.block()
	mine := s.Candidates.Slice()[s.Row*size:][:2+st.width]
	mine[0], mine[1] = -1, float64(s.Rows.N)
	if at >= 0 {
		row := s.panelRow(st, from+at)
		mine[0], mine[1] = math.Abs(row[j]), float64(s.Rows.global(s.Row, from+at))
		copy(mine[2:], row)
	}
	s.putInColumn(s.Candidates, s.Row*size, mine)
	if s.Row == st.row {
		diagonal := s.Diagonal.Slice()[:st.width]
		copy(diagonal, s.panelRow(st, st.rows+j))
		s.putInColumn(s.Diagonal, 0, diagonal)
	}
}

// putInColumn puts values into the area of the other processes of the column.
func (s *state) putInColumn(area bsplib.Area[float64], offset int, values []float64) {
	for row := range s.Rows.Parts {
		if row != s.Row {
			area.Put(s.at(row, s.Col), offset, values...)
		}
	}
}

// begin takes up block column k and offers the first pivot candidates.
func (s *state) begin(k int) {
	st := s.step(k)
	if s.Col != st.col {
		return
	}
	s.takePanel(st)
	rows := s.localRows() - st.rows
	at := dense.MaxAbs(rows, s.Panel.Slice(), st.stride)
	s.offer(st, 0, st.rows, at)
}

// winner is the grid row whose candidate is the pivot: the largest, and of
// equal ones that of the lowest row.
func (s *state) winner(b *bsplib.Proc, column int) int {
	all, size := s.Candidates.Slice(), 2+s.block()
	best := 0
	for r := range s.Rows.Parts {
		a, c := all[r*size:], all[best*size:]
		if a[0] > c[0] || a[0] == c[0] && a[1] < c[1] {
			best = r
		}
	}
	if !(all[best*size] > 0) {
		b.Abort("the matrix is singular: column %d has no pivot", column)
	}
	return best
}

// factorPanel factors the block column. Its processes agree on each column's
// pivot in a superstep, which the others go along with. With one grid row
// there is nothing to agree on and no superstep.
func (s *state) factorPanel(b *bsplib.Proc, st step) {
	for j := range st.width {
		if s.Col == st.col {
			s.eliminate(b, st, j)
		}
		if s.Rows.Parts > 1 && j+1 < st.width {
			b.Sync()
		}
	}
	if s.Col == st.col {
		s.givePanel(st)
		s.sendPanel(st)
		s.sendTop(st)
	}
}

// eliminate swaps the pivot row of column j into place and takes it out of the
// rows below.
func (s *state) eliminate(b *bsplib.Proc, st step, j int) {
	pivotRow := s.swapInPanel(b, st, j)
	w := st.width
	from := s.Rows.before(s.Row, st.first+j+1) // first local row below the pivot
	rows := s.localRows() - from
	part := s.Panel.Slice()[(from-st.rows)*st.stride:]
	end := min(j/inner*inner+inner, w) // of the inner block
	at := dense.Eliminate(rows, end-j, pivotRow[j:end], tail(part, j), st.stride)
	if j+1 == end && end < w {
		at = s.catchUp(st, end, part, rows)
	}
	if j+1 < w {
		s.offer(st, j+1, from, at)
	}
}

// catchUp applies the columns that end before column end to as many behind it,
// and returns the candidate for the next pivot.
func (s *state) catchUp(st step, end int, part []float64, rows int) int {
	w, top := st.width, s.Top.Slice()
	many := end & -end
	begin, until := end-many, min(end+many, w)
	dense.TrsmLowerUnit(many, until-end, top[begin*w+begin:], w, top[begin*w+end:], w)
	dense.Gemm(rows, until-end, many, tail(part, begin), st.stride, top[begin*w+end:], w, tail(part, end), st.stride)
	if s.Row == st.row {
		for i := begin; i < end; i++ {
			copy(s.panelRow(st, st.rows+i)[end:until], top[i*w+end:])
		}
	}
	return dense.MaxAbs(rows, tail(part, end), st.stride)
}

// swapInPanel exchanges the pivot row and the diagonal row of column j in the
// panel and returns the pivot row, which it also keeps in Top.
func (s *state) swapInPanel(b *bsplib.Proc, st step, j int) []float64 {
	best := s.winner(b, st.first+j)
	candidate := s.Candidates.Slice()[best*(2+s.block()):]
	pivot, row := int(candidate[1]), candidate[2:2+st.width]
	s.Pivots.Slice()[j] = pivot
	if s.Rows.owner(pivot) == s.Row {
		copy(s.panelRow(st, s.Rows.local(pivot)), s.Diagonal.Slice())
	}
	if s.Row == st.row {
		copy(s.panelRow(st, st.rows+j), row)
	}
	top := s.Top.Slice()[j*st.width : (j+1)*st.width]
	copy(top, row)
	return top
}

// sendTop sends the factored diagonal block and the pivots along the row.
func (s *state) sendTop(st step) {
	for col := range s.Cols.Parts {
		if col != s.Col {
			s.Top.Put(s.at(s.Row, col), 0, s.Top.Slice()[:st.width*st.width]...)
			s.Pivots.Put(s.at(s.Row, col), 0, s.Pivots.Slice()[:st.width]...)
		}
	}
}
