package main

import "github.com/migbsp/migbsp/bsplib"

// order says which row of the matrix stands at which place, after the swaps so
// far, and where its process has it. Rows stay on their processes until the end:
// only their places change. All processes know all of it.
type order struct {
	Rows   []int32 // at each place
	Places []int32 // of each row

	Held  [][]int32 // rows of the matrix that a grid row's processes have, as they have them
	Slots []int32   // where each row is among those
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

// place is where the row stands that a grid row's processes have in a slot.
func (o order) place(part, slot int) int { return int(o.Places[o.Held[part][slot]]) }

// left are the rows that a grid row's processes have and that have not been pivots.
func (o order) left(part int) []int32 { return o.Held[part][o.Done[part]:] }

func (o order) swap(p, q int) {
	o.Rows[p], o.Rows[q] = o.Rows[q], o.Rows[p]
	o.Places[o.Rows[p]], o.Places[o.Rows[q]] = int32(p), int32(q)
}

// bring makes a row that a grid row's processes have follow those that have been
// pivots there, and says which local rows that exchanges.
func (o order) bring(part, row int) exchange {
	held, e := o.Held[part], exchange{o.Done[part], int(o.Slots[row])}
	held[e.a], held[e.b] = held[e.b], held[e.a]
	o.Slots[held[e.a]], o.Slots[held[e.b]] = int32(e.a), int32(e.b)
	o.Done[part]++
	return e
}

// exchange is a swap of two local rows.
type exchange struct{ a, b int }

// settle makes the swap of the next column's pivot in the order of the matrix. If
// the pivot row is here, the local rows that it returns have to be exchanged: the
// pivot row joins those of its block, before the rows that are left.
func (s *state) settle(st *step) (e exchange, here bool) {
	j := st.settled
	place := int(s.Pivots.Slice()[j])
	row := s.Order.row(place)
	part := s.Rows.owner(row)
	s.Order.swap(st.first+j, place)
	e = s.Order.bring(part, row)
	st.settled++
	if part != s.Row {
		return exchange{}, false
	}
	st.exchanges = append(st.exchanges, e)
	st.pivots = append(st.pivots, j)
	st.below++
	return e, true
}

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
		cols := min(width, s.localCols()-from)
		if cols <= 0 { // of others only
			b.Sync()
			continue
		}
		for i := range s.localRows() {
			place := s.Order.place(s.Row, i)
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
