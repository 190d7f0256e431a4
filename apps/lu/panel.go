package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// Where the processes of a grid column factor a panel together, each takes the
// steps of the elimination on its own rows, and all agree on each column's pivot
// in a superstep.

// inner is the number of columns, a power of two, that a panel eliminates one by one before it
// updates as many columns after them at once. That is the recursive factorisation of halves, column
// by column.
const inner = 8

// offer sends this process's candidate for the pivot of column j of the block to the processes of its
// column: absolute value, position in the matrix, and the row's part in the panel. at is the
// candidate's index among the remaining rows.
func (s *state) offer(st step, j, at int) {
	size := 2 + s.A.block()
	mine := s.Candidates.Slice()[s.A.Row*size:][:2+st.width]
	mine[0], mine[1] = -1, float64(s.A.Rows.N)
	if at >= 0 {
		at = s.foremost(st, j, at)
		row := s.panelRow(st, at)
		mine[0], mine[1] = math.Abs(row[j]), float64(s.Order.place(s.A.Row, at))
		copy(mine[2:], row)
	}
	s.A.putInColumn(s.Candidates, s.A.Row*size, mine)
}

// foremost returns, among the remaining local rows with the same absolute value in column j as row
// at, the row with the lowest position in the matrix. Row at is the first of them in local order.
func (s *state) foremost(st step, j, at int) int {
	at += st.below
	if s.A.Rows.Parts == 1 { // rows are where the matrix has them
		return at
	}
	first := at
	below := s.Panel.Slice()[(first-st.rows)*st.stride+j:]
	value := math.Abs(below[0])
	for k := st.stride; k < (s.A.rows()-first)*st.stride; k += st.stride {
		if math.Abs(below[k]) == value {
			if i := first + k/st.stride; s.Order.place(s.A.Row, i) < s.Order.place(s.A.Row, at) {
				at = i
			}
		}
	}
	return at
}

// winner returns the pivot row of a column, its part in the panel, and its position in the matrix.
// Among the largest candidates it takes the lowest position.
func (s *state) winner(b *bsplib.Proc, st step, j int) (row []float64, place int) {
	all, size := s.Candidates.Slice(), 2+s.A.block()
	best := all
	for r := range s.A.Rows.Parts {
		if c := all[r*size:]; c[0] > best[0] || c[0] == best[0] && c[1] < best[1] {
			best = c
		}
	}
	mustBePivot(b, st, j, best[0])
	return best[2 : 2+st.width], int(best[1])
}

// mustBePivot ends the run if the largest absolute value in column j of the block is
// none to divide by.
func mustBePivot(b *bsplib.Proc, st step, j int, value float64) {
	if !(value > 0) {
		b.Abort("the matrix is singular: column %d has no pivot", st.first+j)
	}
}

// offerFirst offers the first pivot candidates of the block column.
func (s *state) offerFirst(st step) {
	s.offer(st, 0, dense.MaxAbs(s.A.rows()-st.rows, s.Panel.Slice(), st.stride))
}

// factorPanel factors the block column. Its processes agree on each column's pivot in a superstep;
// the other processes only wait. A single grid row needs no superstep.
func (s *state) factorPanel(b *bsplib.Proc, st *step) {
	for j := range st.width {
		if s.A.Col == st.col {
			s.eliminate(b, st, j)
		}
		if s.A.Rows.Parts > 1 && j+1 < st.width {
			b.Sync()
		}
	}
}

// eliminate removes the pivot row of column j from the remaining rows.
func (s *state) eliminate(b *bsplib.Proc, st *step, j int) {
	w := st.width
	row, place := s.winner(b, *st, j)
	s.Pivots.Slice()[j] = int32(place)
	pivot := s.Top.Slice()[j*w : (j+1)*w]
	copy(pivot, row)
	if exchange, here := s.settle(st); here {
		dense.SwapRows(s.panelRow(*st, exchange.a), s.panelRow(*st, exchange.b))
	}
	rows := s.A.rows() - st.below
	left := tail(s.Panel.Slice(), (st.below-st.rows)*st.stride)
	end := min(j/inner*inner+inner, w) // of the inner block
	at := dense.Eliminate(rows, end-j, pivot[j:end], tail(left, j), st.stride)
	if j+1 == end && end < w {
		at = s.catchUp(*st, end, left, rows)
	}
	if j+1 < w {
		s.offer(*st, j+1, at)
	}
}

// catchUp applies the columns that end before column end to the same number of columns
// after it, and returns the candidate for the next pivot.
func (s *state) catchUp(st step, end int, left []float64, rows int) int {
	w, top := st.width, s.Top.Slice()
	many := end & -end
	begin, until := end-many, min(end+many, w)
	dense.TrsmLowerUnit(many, until-end, top[begin*w+begin:], w, top[begin*w+end:], w)
	dense.Gemm(rows, until-end, many, tail(left, begin), st.stride, top[begin*w+end:], w, tail(left, end), st.stride)
	return dense.MaxAbs(rows, tail(left, end), st.stride)
}

// settle makes the swap of the next column's pivot in the order of the matrix. If the pivot
// row is here, the returned local rows have to be exchanged: the pivot row joins the others
// of its block, before the rows that are left.
func (s *state) settle(st *step) (e exchange, here bool) {
	j := st.settled
	place := int(s.Pivots.Slice()[j])
	row := s.Order.row(place)
	part := s.A.Rows.owner(row)
	s.Order.swap(st.first+j, place)
	e = s.Order.bring(part, row)
	st.settled++
	if part != s.A.Row {
		return exchange{}, false
	}
	st.exchanges = append(st.exchanges, e)
	st.pivots = append(st.pivots, j)
	st.below++
	return e, true
}

// A factored panel reaches the processes of a row in two supersteps if several lack it:
// each first gets one part and then passes that part on. So no process sends the whole
// panel to each of the others. The panel is the rows of L below the pivots, and after
// them the part of the diagonal block left of its diagonal (triangle).

// dealPanel collects the panel at the front of Panel, on a process that has factored its rows, and
// deals it out along its row.
func (s *state) dealPanel(st step) {
	s.packPanel(st)
	packTriangle(st.width, s.triangle(st), s.Top.Slice(), st.width)
	whole := s.Panel.Slice()[:s.A.dealt(st)]
	for col := range s.A.Cols.Parts {
		if col == s.A.Col {
			continue
		}
		from, to := 0, len(whole)
		if s.A.Cols.Parts > 2 {
			from, to = s.A.part(st, col)
		}
		s.Panel.HPPut(s.A.at(s.A.Row, col), from, whole[from:to]...)
		s.Pivots.Put(s.A.at(s.A.Row, col), 0, s.Pivots.Slice()[:st.width]...)
	}
}

// passPanel passes this process's part of the panel on to the processes that lack it.
func (s *state) passPanel(st step) {
	if s.A.Cols.Parts == 1 || !st.gathered && s.A.Cols.Parts == 2 {
		return
	}
	from, to := s.A.part(st, s.A.Col)
	part := s.Panel.Slice()[from:to]
	for col := range s.A.Cols.Parts {
		if col != s.A.Col && !s.A.has(st, col) {
			s.Panel.HPPut(s.A.at(s.A.Row, col), from, part...)
		}
	}
}

// triangle is the end of the panel that is dealt out.
func (s *state) triangle(st step) []float64 {
	size := s.A.dealt(st)
	return s.Panel.Slice()[size-triangleSize(st.width) : size]
}
