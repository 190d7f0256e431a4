package main

import (
	"math"
	"time"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// With slow supersteps, one process of the grid column factors the block column. The others send it
// their rows in the last superstep of the preceding stage, and it deals out the factored panel to the
// processes of all rows. So no supersteps are needed to agree on pivots, but bytes and arithmetic
// take longer. Rows are stored in Whole in the order of the matrix, so pivots equal the sequential
// factorisation's, and both methods give the same bits. So the choice may depend on measurements.

// sendPanel sends this process's rows of the block column to the process that factors it.
func (s *state) sendPanel(st step) {
	root := s.A.gatheringRow(st.col)
	for i := st.rows; i < s.A.rows(); i++ {
		row, offset := s.A.row(i, st.cols)[:st.width], (s.Order.place(s.A.Row, i)-st.first)*st.stride
		if root == s.A.Row {
			copy(s.Whole.Slice()[offset:], row)
		} else {
			s.Whole.Put(s.A.at(root, s.A.Col), offset, row...)
		}
	}
}

// factorWhole factors the gathered block column and sends its pivots to all processes.
func (s *state) factorWhole(b *bsplib.Proc, st *step) {
	whole, w := s.Whole.Slice(), st.width
	pivots := make([]int, w)
	began := b.Time()
	dense.Getrf(s.A.Rows.N-st.first, w, whole, st.stride, pivots)
	s.decide(b, b.Time()-began)
	message := s.Pivots.Slice()[:w+1]
	for j := range w {
		mustBePivot(b, *st, j, math.Abs(whole[j*st.stride+j]))
		message[j] = int32(st.first + pivots[j])
	}
	message[w] = int32(s.Gather)
	for pid := range b.NProcs() {
		if pid != b.Pid() {
			s.Pivots.Put(pid, 0, message...)
		}
	}
	for range w {
		s.settle(st)
	}
}

// dealWhole deals out the factored block column: each process gets its row's part of the panel, and
// the sending process keeps all of it. The processes of its column also get the rows of U in the
// diagonal block that they store.
func (s *state) dealWhole(st step) {
	w, whole := st.width, s.Whole.Slice()
	top := s.Top.Slice()
	copyColumns(w, w, top, w, whole, st.stride)
	triangle := make([]float64, triangleSize(w))
	packTriangle(w, triangle, top, w)
	for row := range s.A.Rows.Parts {
		lower := s.Order.left(row)
		below := len(lower) * w
		size := below + len(triangle)
		// piece is the panel from an element on, up to the end of consecutive memory.
		piece := func(from int) []float64 {
			if from >= below {
				return triangle[from-below:]
			}
			return s.wholeRow(st, int(s.Order.Places[lower[from/w]]))[from%w:]
		}
		if row == s.A.Row {
			panel := s.Panel.Slice()[:size]
			for at := 0; at < size; {
				at += copy(panel[at:], piece(at))
			}
		}
		for col := range s.A.Cols.Parts {
			if row == s.A.Row && col == s.A.Col {
				continue
			}
			at, to := share(size, s.A.Cols.Parts, col)
			for at < to {
				part := piece(at)
				part = part[:min(len(part), to-at)]
				s.Panel.Put(s.A.at(row, col), at, part...)
				at += len(part)
			}
		}
	}
	for j := range w {
		if owner := s.A.Rows.owner(s.Order.row(st.first + j)); owner != s.A.Row {
			s.Top.Put(s.A.at(owner, s.A.Col), j*w, top[j*w:(j+1)*w]...)
		}
	}
}

// wholeRow returns the row of the gathered block column at a position.
func (s *state) wholeRow(st step, place int) []float64 {
	return s.Whole.Slice()[(place-st.first)*st.stride:][:st.width]
}

// keepLower writes this process's rows of L to where they belong, on the grid
// column that has the block column.
func (s *state) keepLower(st step) {
	if a := s.A.corner(st.below, st.cols); a != nil {
		copyColumns(s.A.rows()-st.below, st.width, a, s.A.cols(), s.Panel.Slice(), st.width)
	}
}

// try begins the first block column with both methods; the second result is used.
func (s *state) try(b *bsplib.Proc) {
	s.Gather = 0
	s.begin(0)
	s.Trial.Agree = s.timed(b, 4, s.offerFirst)
	s.Gather = s.A.Rows.N
	s.Trial.Gather = s.timed(b, 1, s.sendPanel)
}

// timed measures supersteps in which the processes of the first block column send a message. It takes
// the mean of several, because a rank may leave one early and wait in the next, and the smaller of
// two means.
func (s *state) timed(b *bsplib.Proc, supersteps int, send func(step)) time.Duration {
	least := time.Duration(math.MaxInt64)
	st := s.pivotStep(0)
	for range 2 {
		began := b.Time()
		for range supersteps {
			if s.A.Col == st.col {
				send(st)
			}
			b.Sync()
		}
		least = min(least, (b.Time()-began)/time.Duration(supersteps))
	}
	return least
}

// decide ends the trial, if any, after the first block column, which took the time factoring.
func (s *state) decide(b *bsplib.Proc, factoring time.Duration) {
	if s.Trial != (trial{}) {
		s.Gather = s.Trial.rows(s.A.Rows.N, s.A.block(), min(s.A.Rows.Parts, b.NRanks()), factoring)
		s.Trial = trial{}
	}
}

// rows returns the number of rows for which both methods take equally long, or n if gathering is
// always faster. Gathering sends bytes to one process and back, in time proportional to the rows. The
// time of the elimination, which ranks could otherwise share, is also proportional to them.
func (t trial) rows(n, width, ranks int, factoring time.Duration) int {
	spread := float64(width-1) * t.Agree.Seconds()
	gathered := 2*max(0, t.Gather-t.Agree).Seconds() + factoring.Seconds()*(1-1/float64(ranks))
	if spread >= gathered {
		return n
	}
	return int(float64(n) * spread / gathered)
}
