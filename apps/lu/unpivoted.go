package main

import (
	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// The unpivoted factorisation has two supersteps for each block column, after an initial superstep
// that sends the first diagonal block: 2n+1 with blocks of one.

// unpivoted runs a stage for each block column.
func (s *state) unpivoted(b *bsplib.Proc) {
	if b.Fresh() {
		s.passDiagonal(s.A.step(0))
		b.Sync()
	}
	blocks := s.A.Rows.blocks()
	for k := range b.Stages(blocks) {
		st := s.A.step(k)
		s.passLower(st)
		s.passUpper(st)
		b.Sync()
		s.update(st)
		if k+1 < blocks {
			s.passDiagonal(s.A.step(k + 1))
		}
	}
}

// passDiagonal factors the diagonal block, on the process that owns it, and
// sends it to the processes of its row and column.
func (s *state) passDiagonal(st step) {
	if s.A.Row != st.row || s.A.Col != st.col {
		return
	}
	top := make([]float64, st.width*st.width)
	for j := range st.width {
		copy(top[j*st.width:(j+1)*st.width], s.A.row(st.rows+j, st.cols))
	}
	for j := range st.width {
		dense.Eliminate(st.width-j-1, st.width-j, top[j*st.width+j:(j+1)*st.width], tail(top, (j+1)*st.width+j), st.width)
	}
	for j := range st.width {
		copy(s.A.row(st.rows+j, st.cols), top[j*st.width:(j+1)*st.width])
	}
	copy(s.Top.Slice(), top)
	s.A.putInColumn(s.Top, 0, top)
	for col := range s.A.Cols.Parts {
		if col != s.A.Col {
			s.Top.Put(s.A.at(s.A.Row, col), 0, top...)
		}
	}
}

// passLower makes the block column of L, on the processes that own it, and
// sends it along the rows.
func (s *state) passLower(st step) {
	if s.A.Col != st.col {
		return
	}
	s.takePanel(st)
	top, below := s.Top.Slice(), s.Panel.Slice()[(st.below-st.rows)*st.stride:]
	for j := range st.width {
		dense.Eliminate(s.A.rows()-st.below, st.width-j, top[j*st.width+j:(j+1)*st.width], tail(below, j), st.stride)
	}
	s.givePanel(st)
	lower := s.packPanel(st)
	for col := range s.A.Cols.Parts {
		if col != s.A.Col {
			s.Panel.HPPut(s.A.at(s.A.Row, col), 0, lower...)
		}
	}
}

// passUpper makes the block row of U, on the processes that own it, and sends
// it along the columns.
func (s *state) passUpper(st step) {
	cols := s.A.cols()
	if s.A.Row != st.row || st.right == cols {
		return
	}
	upper := s.upper(st)
	if s.A.Rows.Parts > 1 {
		for j := range st.width {
			copy(upper[j*cols+st.right:(j+1)*cols], s.A.row(st.rows+j, st.right))
		}
	}
	s.solveUpper(st, s.Top.Slice())
	if s.A.Rows.Parts > 1 {
		for j := range st.width {
			copy(s.A.row(st.rows+j, st.right), upper[j*cols+st.right:(j+1)*cols])
		}
	}
	for row := range s.A.Rows.Parts {
		if row == s.A.Row {
			continue
		}
		for j := range st.width {
			s.Upper.HPPut(s.A.at(row, s.A.Col), j*cols+st.right, upper[j*cols+st.right:(j+1)*cols]...)
		}
	}
}
