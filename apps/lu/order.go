package main

// order has the row of the matrix at each place, after the swaps so far, and its index on
// its process. Rows stay on their processes until the end: only their places change. All
// processes know all of it.
type order struct {
	Rows   []int32 // at each place
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

// place is the place of the row in a slot of a grid row's processes.
func (o order) place(part, slot int) int { return int(o.Places[o.Held[part][slot]]) }

// left are the rows that a grid row's processes have and that have not been pivots.
func (o order) left(part int) []int32 { return o.Held[part][o.Done[part]:] }

func (o order) swap(p, q int) {
	o.Rows[p], o.Rows[q] = o.Rows[q], o.Rows[p]
	o.Places[o.Rows[p]], o.Places[o.Rows[q]] = int32(p), int32(q)
}

// bring puts a row of a grid row's processes after their earlier pivots, and returns the
// local rows that it exchanges.
func (o order) bring(part, row int) exchange {
	held, e := o.Held[part], exchange{o.Done[part], int(o.Slots[row])}
	held[e.a], held[e.b] = held[e.b], held[e.a]
	o.Slots[held[e.a]], o.Slots[held[e.b]] = int32(e.a), int32(e.b)
	o.Done[part]++
	return e
}

// exchange is a swap of two local rows.
type exchange struct{ a, b int }
