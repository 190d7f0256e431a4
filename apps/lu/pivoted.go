package main

import (
	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// The factorisation with partial pivoting has, for each block column of width w on an M x N grid: w-1
// supersteps to agree on the panel's pivots (M > 1), a superstep that deals out the panel along the
// rows (N > 1), one to pass on the dealt parts (N > 2) and the pivot rows (M > 1), and the stage's
// last. If the panel is gathered (M > 1), the supersteps are: deal out, pass on, and the last.
//
// Rows stay on their processes until all rows are arranged at the end (M > 1).

// pivoted runs a stage for each block column.
func (s *state) pivoted(b *bsplib.Proc, p parameters) {
	if b.Fresh() {
		s.beginFirst(b, p)
	}
	blocks := s.A.Rows.blocks()
	for k := range b.Stages(blocks) {
		st := s.pivotStep(k)
		if st.gathered {
			if s.A.gathers(st) {
				s.factorWhole(b, &st)
				s.dealWhole(st)
			}
			b.Sync()
		} else {
			s.factorPanel(b, &st)
			if s.A.Col == st.col {
				s.givePanel(st)
				s.dealPanel(st)
			}
			if s.A.Cols.Parts > 1 {
				b.Sync()
			}
		}
		s.keepPivots(&st)
		s.exchangeRows(st)
		s.passPanel(st)
		s.sendUpper(st)
		if s.A.Rows.Parts > 1 || s.A.Cols.Parts > 2 {
			b.Sync()
		}
		if st.gathered && s.A.Col == st.col {
			s.keepLower(st)
		}
		if !s.A.has(st, s.A.Col) {
			unpackTriangle(st.width, s.Top.Slice(), st.width, s.triangle(st)) // the rows of L in the diagonal block
		}
		s.solveUpper(st, s.Top.Slice())
		s.keepUpper(st)
		s.update(st)
		if k+1 < blocks {
			s.begin(k + 1)
		}
	}
	s.arrange(b)
}

// beginFirst begins the first block column with the requested method, or with both, to choose one.
func (s *state) beginFirst(b *bsplib.Proc, p parameters) {
	if p.mayGather(s.A.Rows.Parts) {
		if p.panels == panelsAuto {
			s.try(b)
			return
		}
		s.Gather = p.n
	}
	s.begin(0)
	b.Sync()
}

// begin starts block column k by sending its rows or its first pivot candidates.
func (s *state) begin(k int) {
	st := s.pivotStep(k)
	s.keep(st)
	switch {
	case s.A.Col != st.col:
	case st.gathered:
		s.sendPanel(st)
	default:
		s.takePanel(st)
		s.offerFirst(st)
	}
}

// keep limits the areas that move if the process moves before the stage of a block column:
// the stage makes all work space again except the part with the block column.
func (s *state) keep(st step) {
	panel, whole := 0, 0
	switch {
	case s.A.gathers(st):
		whole = (s.A.Rows.N - st.first) * st.stride
	case s.A.Col == st.col && !st.gathered:
		panel = (s.A.rows() - st.rows) * st.stride
	}
	s.Panel.Keep(panel)
	if len(s.Whole.Slice()) > 0 {
		s.Whole.Keep(whole)
	}
}

// keepPivots notes the block's pivots, if this process has not found them itself, and from
// which block column on they are gathered.
func (s *state) keepPivots(st *step) {
	for st.settled < st.width {
		s.settle(st)
	}
	if st.gathered {
		s.Gather, s.Trial = int(s.Pivots.Slice()[st.width]), trial{} // decided
	}
	for _, place := range s.Pivots.Slice()[:st.width] {
		s.Swaps = append(s.Swaps, int(place))
	}
}

// exchangeRows moves the pivot rows of this process together, outside the panel.
func (s *state) exchangeRows(st step) {
	for _, e := range st.exchanges {
		if e.a != e.b {
			a, b := s.A.row(e.a, 0), s.A.row(e.b, 0)
			dense.SwapRows(a[:st.cols], b[:st.cols])
			dense.SwapRows(a[st.right:], b[st.right:])
		}
	}
}

// sendUpper sends this process's pivot rows to the whole column, right of the
// panel.
func (s *state) sendUpper(st step) {
	if s.A.Rows.Parts == 1 {
		return
	}
	cols := s.A.cols()
	for i, j := range st.pivots {
		row, offset := s.A.row(st.rows+i, st.right), j*cols+st.right
		for to := range s.A.Rows.Parts {
			if to != s.A.Row {
				s.Upper.HPPut(s.A.at(to, s.A.Col), offset, row...)
			}
		}
		copy(s.Upper.Slice()[offset:], row)
	}
}

// keepUpper stores the rows of U on the processes that hold their pivots, with the panel's part of
// these rows.
func (s *state) keepUpper(st step) {
	cols, top := s.A.cols(), s.Top.Slice()
	for i, j := range st.pivots {
		if s.A.Rows.Parts > 1 {
			copy(s.A.row(st.rows+i, st.right), s.Upper.Slice()[j*cols+st.right:(j+1)*cols])
		}
		if s.A.Col == st.col {
			copy(s.A.row(st.rows+i, st.cols), top[j*st.width:(j+1)*st.width])
		}
	}
}

// arrange sends all rows to their final processes, in supersteps of as many columns as Panel can
// hold.
func (s *state) arrange(b *bsplib.Proc) {
	if s.A.Rows.Parts == 1 {
		return
	}
	width := max(s.A.block(), arrangedWidth)
	for from := 0; from < s.A.Cols.count(0); from += width {
		cols := min(width, s.A.cols()-from)
		if cols <= 0 { // of others only
			b.Sync()
			continue
		}
		for i := range s.A.rows() {
			place := s.Order.place(s.A.Row, i)
			part, offset := s.A.row(i, from)[:cols], s.A.Rows.local(place)*cols
			if owner := s.A.Rows.owner(place); owner == s.A.Row {
				copy(s.Panel.Slice()[offset:], part)
			} else {
				s.Panel.Put(s.A.at(owner, s.A.Col), offset, part...)
			}
		}
		b.Sync()
		for i := range s.A.rows() {
			copy(s.A.row(i, from)[:cols], s.Panel.Slice()[i*cols:])
		}
	}
}

// order contains the row of the matrix at each position, after the swaps so far, and its index on its
// process. Rows stay on their processes until the end: only their positions change. All processes
// have a complete copy.
type order struct {
	Rows   []int32 // at each position
	Places []int32 // of each row

	Held  [][]int32 // rows of the matrix that a grid row's processes have, as they have them
	Slots []int32   // index of each row among these
	Done  []int     // of each grid row's, the first ones: that many have been pivots
}

func newOrder(rows cyclic) order {
	n := rows.N
	o := order{
		Rows: make([]int32, n), Places: make([]int32, n), Slots: make([]int32, n),
		Held: make([][]int32, rows.Parts), Done: make([]int, rows.Parts),
	}
	for part := range o.Held {
		o.Held[part] = make([]int32, rows.count(part))
	}
	for i := range n {
		slot := rows.local(i)
		o.Rows[i], o.Places[i], o.Slots[i] = int32(i), int32(i), int32(slot)
		o.Held[rows.owner(i)][slot] = int32(i)
	}
	return o
}

func (o order) row(place int) int { return int(o.Rows[place]) }

// place returns the position of the row in a slot of a grid row's processes.
func (o order) place(part, slot int) int { return int(o.Places[o.Held[part][slot]]) }

// left returns the rows of a grid row's processes that have not been pivots.
func (o order) left(part int) []int32 { return o.Held[part][o.Done[part]:] }

func (o order) swap(p, q int) {
	o.Rows[p], o.Rows[q] = o.Rows[q], o.Rows[p]
	o.Places[o.Rows[p]], o.Places[o.Rows[q]] = int32(p), int32(q)
}

// bring moves a row of a grid row's processes after their earlier pivots, and returns the exchanged
// local rows.
func (o order) bring(part, row int) exchange {
	held, e := o.Held[part], exchange{o.Done[part], int(o.Slots[row])}
	held[e.a], held[e.b] = held[e.b], held[e.a]
	o.Slots[held[e.a]], o.Slots[held[e.b]] = int32(e.a), int32(e.b)
	o.Done[part]++
	return e
}

// exchange is a swap of two local rows.
type exchange struct{ a, b int }
