package main

import (
	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// The factorisation with partial pivoting has, for each block column of width
// w on an M x N grid: w-1 supersteps in which the panel's processes agree on
// pivots (M > 1), one that deals out the panel along the rows (N > 1), one that
// passes on what was dealt out (N > 2) and the pivot rows (M > 1), and the
// stage's last. Rows that are no pivots yet stay where they are, and those that
// are stay with the process that had them, until all are brought to their
// places (M > 1).

// pivoted runs a stage for each block column.
func (s *state) pivoted(b *bsplib.Proc) {
	if b.Fresh() {
		s.begin(0)
		b.Sync()
	}
	blocks := s.Rows.blocks()
	for k := range b.Stages(blocks) {
		st := s.pivotStep(k)
		s.factorPanel(b, &st)
		if s.Col == st.col {
			s.givePanel(st)
			s.dealPanel(st)
		}
		if s.Cols.Parts > 1 {
			b.Sync()
		}
		s.keepPivots(&st)
		s.exchangeRows(st)
		s.passPanel(st)
		s.sendUpper(st)
		if s.Rows.Parts > 1 || s.Cols.Parts > 2 {
			b.Sync()
		}
		s.solveUpper(st, s.top(st))
		s.keepUpper(st)
		s.update(st)
		if k+1 < blocks {
			s.begin(k + 1)
		}
	}
	s.arrange(b)
}

// keepPivots notes the block's pivots, which the panel's processes know already.
func (s *state) keepPivots(st *step) {
	if s.Col != st.col {
		for j := range st.width {
			s.settle(st, j)
		}
	}
	s.Swaps = append(s.Swaps, s.Pivots.Slice()[:st.width]...)
	s.Done = st.below
}

// exchangeRows brings the pivot rows of this process together, outside the
// panel.
func (s *state) exchangeRows(st step) {
	for _, e := range st.exchanges {
		if e.a != e.b {
			a, b := s.row(e.a, 0), s.row(e.b, 0)
			dense.SwapRows(a[:st.cols], b[:st.cols])
			dense.SwapRows(a[st.right:], b[st.right:])
		}
	}
}

// sendUpper sends this process's pivot rows to the whole column, right of the
// panel.
func (s *state) sendUpper(st step) {
	if s.Rows.Parts == 1 {
		return
	}
	cols := s.localCols()
	for i, j := range st.pivots {
		row, offset := s.row(st.rows+i, st.right), j*cols+st.right
		for to := range s.Rows.Parts {
			if to != s.Row {
				s.Upper.HPPut(s.at(to, s.Col), offset, row...)
			}
		}
		copy(s.Upper.Slice()[offset:], row)
	}
}

// keepUpper writes the rows of U to their places, on the processes that have
// their pivots, and what the panel has of these.
func (s *state) keepUpper(st step) {
	cols, top := s.localCols(), s.top(st)
	for i, j := range st.pivots {
		if s.Rows.Parts > 1 {
			copy(s.row(st.rows+i, st.right), s.Upper.Slice()[j*cols+st.right:(j+1)*cols])
		}
		if s.Col == st.col {
			copy(s.row(st.rows+i, st.cols), top[j*st.width:(j+1)*st.width])
		}
	}
}
