package main

import (
	"slices"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// The factorisation with partial pivoting has, for each block column of width
// w on an M x N grid: w-1 supersteps in which the panel's processes agree on
// pivots (M > 1), one that sends the panel along the rows (N > 1), one that
// moves rows to where the pivots want them (M > 1), and the stage's last.

// pivoted runs a stage for each block column.
func (s *state) pivoted(b *bsplib.Proc) {
	if b.Fresh() {
		s.begin(0)
		b.Sync()
	}
	blocks := s.Rows.blocks()
	for k := range b.Stages(blocks) {
		st := s.step(k)
		s.factorPanel(b, st)
		if s.Cols.Parts > 1 {
			b.Sync()
		}
		s.Swaps = append(s.Swaps, s.Pivots.Slice()[:st.width]...)
		if s.Rows.Parts == 1 {
			s.swapRows(st)
		} else {
			moves := s.plan(st)
			s.sendRows(st, moves)
			b.Sync()
			s.placeRows(st, moves)
		}
		s.solveUpper(st)
		s.keepUpper(st)
		s.update(st)
		if k+1 < blocks {
			s.begin(k + 1)
		}
	}
}

// swapRows makes the block's swaps where one grid row has all rows, outside the
// panel.
func (s *state) swapRows(st step) {
	for j, pivot := range s.Pivots.Slice()[:st.width] {
		if pivot == st.first+j {
			continue
		}
		a, b := s.row(st.first+j, 0), s.row(pivot, 0)
		dense.SwapRows(a[:st.cols], b[:st.cols])
		dense.SwapRows(a[st.right:], b[st.right:])
	}
}

// move says that global row to gets what row from held before the block's
// swaps.
type move struct{ from, to int }

// plan sums up the block's swaps: first a move for each row of the block, then
// one for each pivot row below it.
func (s *state) plan(st step) []move {
	moves := make([]move, st.width, 2*st.width)
	for j := range moves {
		moves[j] = move{st.first + j, st.first + j}
	}
	for j := range st.width {
		pivot := s.Pivots.Slice()[j]
		i := pivot - st.first
		if i >= st.width {
			i = slices.IndexFunc(moves[st.width:], func(m move) bool { return m.to == pivot })
			if i < 0 {
				i = len(moves) - st.width
				moves = append(moves, move{pivot, pivot})
			}
			i += st.width
		}
		moves[j].from, moves[i].from = moves[i].from, moves[j].from
	}
	return moves
}

// sendRows sends this process's part of all rows that move, without the
// panel's columns: right of the panel the new rows of the block go to the
// whole column, into Upper; all else to the new owner, into Moved.
func (s *state) sendRows(st step, moves []move) {
	for i, m := range moves {
		if s.Rows.owner(m.from) != s.Row {
			continue
		}
		row := s.row(s.Rows.local(m.from), 0)
		owner := s.Rows.owner(m.to)
		if i < st.width {
			for to := range s.Rows.Parts {
				s.sendRow(s.Upper, to, i, st.right, row[st.right:])
			}
		} else {
			s.sendRow(s.Moved, owner, i, st.right, row[st.right:])
		}
		if m.from != m.to {
			s.sendRow(s.Moved, owner, i, 0, row[:st.cols])
		}
	}
}

// sendRow writes values into line i of an area of the process in grid row to,
// from a column on; into this process's own at once.
func (s *state) sendRow(area bsplib.Area[float64], to, i, column int, values []float64) {
	offset := i*s.localCols() + column
	if to == s.Row {
		copy(area.Slice()[offset:], values)
		return
	}
	area.HPPut(s.at(to, s.Col), offset, values...)
}

// placeRows writes the rows that have come to this process to their places.
// The block's rows right of the panel are left to keepUpper.
func (s *state) placeRows(st step, moves []move) {
	cols := s.localCols()
	for i, m := range moves {
		if m.from == m.to || s.Rows.owner(m.to) != s.Row {
			continue
		}
		moved := s.Moved.Slice()[i*cols : (i+1)*cols]
		row := s.row(s.Rows.local(m.to), 0)
		copy(row[:st.cols], moved[:st.cols])
		if i >= st.width {
			copy(row[st.right:], moved[st.right:])
		}
	}
}
