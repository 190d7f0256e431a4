package main

import (
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

// state is one process's part of the factorisation: rows Row, Row+M, ... and
// columns Col, Col+N, ... of the matrix, in blocks.
type state struct {
	Rows, Cols cyclic
	Row, Col   int
	A          []float64 // local rows x local columns, row-major
	Began      time.Duration

	// With pivoting:
	Swaps  []int // place that each place so far was swapped with
	Order  order
	Gather int   // a block column is factored by one process once it has at most so many rows
	Trial  trial // what that is derived from

	Panel      bsplib.Area[float64] // a block column: local rows x stride, and then what update needs of it
	Top        bsplib.Area[float64] // block x block: the factored diagonal block
	Pivots     bsplib.Area[int32]   // place that each place of the block was swapped with, and then a new Gather
	Upper      bsplib.Area[float64] // block x local columns: rows of U
	Candidates bsplib.Area[float64] // M x (2 + block): see offer
	Whole      bsplib.Area[float64] // n x stride, on one process of each grid column: see gathered.go
}

// setUp deals out the matrix and makes the areas; they can be used after the
// next Sync.
func (s *state) setUp(b *bsplib.Proc, p parameters, g grid) {
	s.Rows = cyclic{p.n, p.block, g.rows}
	s.Cols = cyclic{p.n, p.block, g.cols}
	s.Row, s.Col = b.Pid()/g.cols, b.Pid()%g.cols
	rows, cols := s.localRows(), s.localCols()
	s.A = make([]float64, rows*cols)
	s.fill(p.element)
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
			if s.Row == s.gatheringRow(s.Col) {
				whole = p.n * panelStride(p.block)
			}
			s.Whole = bsplib.Alloc[float64](b, whole)
		}
		s.Order = newOrder(s.Rows)
	}
}

func (s *state) localRows() int { return s.Rows.count(s.Row) }

func (s *state) localCols() int { return s.Cols.count(s.Col) }

func (s *state) block() int { return s.Rows.Block }

// at is the process with the given grid coordinates.
func (s *state) at(row, col int) int { return row*s.Cols.Parts + col }

// row is local row i from column from on.
func (s *state) row(i, from int) []float64 {
	cols := s.localCols()
	return s.A[i*cols+from : (i+1)*cols]
}

// corner is the local matrix from local row i and column j on, nil if nothing
// is there.
func (s *state) corner(i, j int) []float64 {
	cols := s.localCols()
	if i >= s.localRows() || j >= cols {
		return nil
	}
	return s.A[i*cols+j:]
}

// step is where block column k of the factorisation stands in the matrix and
// in this process's part of it.
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
	settled   int        // how many of them are in the order of the matrix
	exchanges []exchange // that bring the pivot rows of this process together
	pivots    []int      // columns of the block that these are of
}

func (s *state) step(k int) step {
	first := k * s.block()
	width := min(s.block(), s.Rows.N-first)
	return step{
		first: first, width: width, stride: panelStride(width),
		row: s.Rows.owner(first), col: s.Cols.owner(first),
		rows: s.Rows.before(s.Row, first), below: s.Rows.before(s.Row, first+width),
		cols: s.Cols.before(s.Col, first), right: s.Cols.before(s.Col, first+width),
	}
}

// pivotStep is the step where rows stay where they are: no local row is above
// the pivots of a block that has not been factored.
func (s *state) pivotStep(k int) step {
	st := s.step(k)
	st.rows = s.Order.Done[s.Row]
	st.below = st.rows
	st.gathered = s.Rows.N-st.first <= s.Gather
	return st
}

// panelRow is the panel's part of local row i.
func (s *state) panelRow(st step, i int) []float64 {
	return s.Panel.Slice()[(i-st.rows)*st.stride:][:st.width]
}

// takePanel copies this process's part of the block column into Panel.
func (s *state) takePanel(st step) {
	if a := s.corner(st.rows, st.cols); a != nil {
		copyColumns(s.localRows()-st.rows, st.width, s.Panel.Slice(), st.stride, a, s.localCols())
	}
}

// givePanel copies the rows below the block back.
func (s *state) givePanel(st step) {
	if a := s.corner(st.below, st.cols); a != nil {
		copyColumns(s.localRows()-st.below, st.width, a, s.localCols(), tail(s.Panel.Slice(), (st.below-st.rows)*st.stride), st.stride)
	}
}

// packPanel brings the rows below the block together at the front of Panel, and
// returns them.
func (s *state) packPanel(st step) []float64 {
	panel := s.Panel.Slice()
	packed := panel[:(s.localRows()-st.below)*st.width]
	if st.stride == st.width {
		copy(packed, panel[(st.below-st.rows)*st.stride:])
		return packed
	}
	copyColumns(s.localRows()-st.below, st.width, packed, st.width, tail(panel, (st.below-st.rows)*st.stride), st.stride)
	return packed
}

// trial is what was measured with the first block column.
type trial struct {
	Agree  time.Duration // a superstep in which pivot candidates are exchanged
	Gather time.Duration // one in which the block column is gathered
}

// fill gives the matrix its elements.
func (s *state) fill(element func(i, j int) float64) {
	for li := range s.localRows() {
		i, row := s.Rows.global(s.Row, li), s.row(li, 0)
		for lj := range row {
			row[lj] = element(i, s.Cols.global(s.Col, lj))
		}
	}
}

// Where supersteps take long, one process of the grid column factors the block
// column: the others send it their rows in the last superstep of the stage before,
// and it deals out what dealPanel does, to the processes of all rows. That takes
// none of the supersteps in which pivots are agreed on, and more time for bytes and
// arithmetic. Rows lie in Whole as they stand in the matrix, so pivots are those of
// the sequential factorisation, and the result has the same bits either way: which
// way it goes may depend on what was measured.

// gatheringRow is the grid row of the process that factors the block columns of a
// grid column: another one for each, since it needs memory for them.
func (s *state) gatheringRow(col int) int { return col % s.Rows.Parts }

// putInColumn puts values into the area of the other processes of the column.
func (s *state) putInColumn(area bsplib.Area[float64], offset int, values []float64) {
	for row := range s.Rows.Parts {
		if row != s.Row {
			area.Put(s.at(row, s.Col), offset, values...)
		}
	}
}
