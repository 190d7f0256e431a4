package main

import "github.com/migbsp/migbsp/bsplib"

// order says which row of the matrix stands at which place, after the swaps so
// far. Rows stay on their processes until the end: only their places change.
type order struct {
	Rows   []int32 // at each place
	Places []int32 // of each row
}

func newOrder(n int) order {
	o := order{make([]int32, n), make([]int32, n)}
	for i := range n {
		o.Rows[i], o.Places[i] = int32(i), int32(i)
	}
	return o
}

func (o order) row(place int) int { return int(o.Rows[place]) }
func (o order) place(row int) int { return int(o.Places[row]) }

func (o order) swap(p, q int) {
	o.Rows[p], o.Rows[q] = o.Rows[q], o.Rows[p]
	o.Places[o.Rows[p]], o.Places[o.Rows[q]] = int32(p), int32(q)
}

// exchange is a swap of two local rows.
type exchange struct{ a, b int }

// settle makes the swap of column j's pivot in the order of the matrix. If the
// pivot row is here, the local rows that it returns have to be exchanged: the
// pivot row joins those of its block, before the rows that are left.
func (s *state) settle(st *step, j int) (e exchange, here bool) {
	place := s.Pivots.Slice()[j]
	row := s.Order.row(place)
	s.Order.swap(st.first+j, place)
	if s.Rows.owner(row) != s.Row {
		return exchange{}, false
	}
	e = exchange{st.below, s.slot(row)}
	s.Held[e.a], s.Held[e.b] = s.Held[e.b], s.Held[e.a]
	for _, local := range []int{e.a, e.b} {
		s.Slots[s.Rows.local(s.Held[local])] = local
	}
	st.exchanges = append(st.exchanges, e)
	st.pivots = append(st.pivots, j)
	st.below++
	return e, true
}

// slot is the local row where a row of this process is now.
func (s *state) slot(row int) int { return s.Slots[s.Rows.local(row)] }

// arrangedWidth is how many columns at least are brought to their places at once: single
// numbers would be more trouble than they are.
const arrangedWidth = 32

// arrange brings all rows to the processes that their places belong to, in
// supersteps of as many columns as Panel has room for.
func (s *state) arrange(b *bsplib.Proc) {
	if s.Rows.Parts == 1 {
		return
	}
	width := max(s.block(), arrangedWidth)
	for from := 0; from < s.Cols.count(0); from += width {
		cols := max(0, min(width, s.localCols()-from))
		for i := range s.localRows() {
			place := s.Order.place(s.Held[i])
			part, offset := s.row(i, from)[:cols], s.Rows.local(place)*cols
			if owner := s.Rows.owner(place); owner == s.Row {
				copy(s.Panel.Slice()[offset:], part)
			} else {
				s.Panel.Put(s.at(owner, s.Col), offset, part...)
			}
		}
		b.Sync()
		for i := range s.localRows() {
			copy(s.row(i, from)[:cols], s.Panel.Slice()[i*cols:])
		}
	}
}
