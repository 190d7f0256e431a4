package main

import "github.com/migbsp/migbsp/apps/lu/dense"

// update subtracts the product of the block column of L in Panel and the block row of U in
// Upper from the matrix below and right of the block.
func (s *state) update(st step) {
	rows, cols := s.A.rows()-st.below, s.A.cols()-st.right
	if rows == 0 || cols == 0 {
		return
	}
	l := s.Panel.Slice()
	u := s.upper(st)[st.right:]
	c := s.A.corner(st.below, st.right)
	if st.width == 1 {
		dense.Ger(rows, cols, l, 1, u[:cols], c, s.A.cols())
		return
	}
	dense.Gemm(rows, cols, st.width, l, st.width, u, s.A.cols(), c, s.A.cols())
}

// upper returns the block row of U, with all local columns: without a copy if the grid has one row,
// else in an area.
func (s *state) upper(st step) []float64 {
	if s.A.Rows.Parts == 1 {
		return s.A.corner(st.rows, 0)
	}
	return s.Upper.Slice()
}

// solveUpper makes the block row of U out of the rows there, with the factored
// diagonal block.
func (s *state) solveUpper(st step, top []float64) {
	if cols := s.A.cols() - st.right; cols > 0 {
		dense.TrsmLowerUnit(st.width, cols, top, st.width, s.upper(st)[st.right:], s.A.cols())
	}
}
