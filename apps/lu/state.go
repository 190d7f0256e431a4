package main

import (
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

// state is one process's part of the factorisation.
type state struct {
	A     matrix
	Began time.Duration

	// With pivoting:
	Swaps  []int // position that each position so far was swapped with
	Order  order
	Gather int   // one process factors a block column that has at most this many rows
	Trial  trial // measurements that Gather is derived from

	Panel      bsplib.Area[float64] // a block column: local rows x stride; then the part of it for update
	Top        bsplib.Area[float64] // block x block: the factored diagonal block
	Pivots     bsplib.Area[int32]   // position that each position of the block was swapped with, and then a new Gather
	Upper      bsplib.Area[float64] // block x local columns: rows of U
	Candidates bsplib.Area[float64] // M x (2 + block): see offer
	Whole      bsplib.Area[float64] // n x stride, on one process of each grid column: see gathered.go
}

// setUp deals out the matrix and makes the areas; they can be used after the
// next Sync.
func (s *state) setUp(b *bsplib.Proc, p parameters, g grid) {
	s.A = matrix{Rows: cyclic{p.n, p.block, g.rows}, Cols: cyclic{p.n, p.block, g.cols}, Row: b.Pid() / g.cols, Col: b.Pid() % g.cols}
	rows, cols := s.A.rows(), s.A.cols()
	s.A.Elements = make([]float64, rows*cols)
	s.A.fill(p.element)
	s.Panel = bsplib.Alloc[float64](b, rows*max(panelStride(p.block), arrangedWidth)+triangleSize(p.block))
	s.Top = bsplib.Alloc[float64](b, p.block*p.block)
	s.Upper = bsplib.Alloc[float64](b, p.block*cols)
	s.Panel.Keep(0)
	s.Upper.Keep(0)
	if p.pivot {
		s.Pivots = bsplib.Alloc[int32](b, p.block+1)
		s.Candidates = bsplib.Alloc[float64](b, g.rows*(2+p.block))
		if p.mayGather(g.rows) {
			whole := 0
			if s.A.Row == s.A.gatheringRow(s.A.Col) {
				whole = p.n * panelStride(p.block)
			}
			s.Whole = bsplib.Alloc[float64](b, whole)
		}
		s.Order = newOrder(s.A.Rows)
	}
}

// step is the position of block column k in the matrix and in this process's part of it.
type step struct {
	first, width int // global index of the block and its number of columns
	stride       int // from row to row in Panel, while it is factored
	row, col     int // grid row and column that own the block
	rows         int // first local row in or below the block
	below        int // first local row below the block
	cols         int // first local column in or right of the block
	right        int // first local column right of the block

	// With pivoting, of the columns that have been factored:
	gathered  bool       // one process factors the block column: see gathered.go
	settled   int        // how many of these columns are in the order of the matrix
	exchanges []exchange // move the pivot rows of this process together
	pivots    []int      // columns of the block that these are of
}

// pivotStep is the step where rows stay where they are: no local row is above
// the pivots of a block that has not been factored.
func (s *state) pivotStep(k int) step {
	st := s.A.step(k)
	st.rows = s.Order.Done[s.A.Row]
	st.below = st.rows
	st.gathered = s.A.Rows.N-st.first <= s.Gather
	return st
}

// panelRow is the panel's part of local row i.
func (s *state) panelRow(st step, i int) []float64 {
	return s.Panel.Slice()[(i-st.rows)*st.stride:][:st.width]
}

// takePanel copies this process's part of the block column into Panel.
func (s *state) takePanel(st step) {
	if a := s.A.corner(st.rows, st.cols); a != nil {
		copyColumns(s.A.rows()-st.rows, st.width, s.Panel.Slice(), st.stride, a, s.A.cols())
	}
}

// givePanel copies the rows below the block back.
func (s *state) givePanel(st step) {
	if a := s.A.corner(st.below, st.cols); a != nil {
		copyColumns(s.A.rows()-st.below, st.width, a, s.A.cols(), tail(s.Panel.Slice(), (st.below-st.rows)*st.stride), st.stride)
	}
}

// packPanel copies the rows below the block to the front of Panel, and returns them.
func (s *state) packPanel(st step) []float64 {
	panel := s.Panel.Slice()
	packed := panel[:(s.A.rows()-st.below)*st.width]
	if st.stride == st.width {
		copy(packed, panel[(st.below-st.rows)*st.stride:])
		return packed
	}
	copyColumns(s.A.rows()-st.below, st.width, packed, st.width, tail(panel, (st.below-st.rows)*st.stride), st.stride)
	return packed
}

// trial is the measurements of the first block column.
type trial struct {
	Agree  time.Duration // duration of a superstep that exchanges pivot candidates
	Gather time.Duration // duration of a superstep that gathers the block column
}
