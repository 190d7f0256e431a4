package main

import "github.com/migbsp/migbsp/bsplib"

// multiply computes y = A x.
//
// BSP cost: 2 nonzeros/p operations. A grid of p x 1 adds one word per needed column of another
// process, times g, + l; each further column of the grid adds n/p words, and a second l is added.
func (s *state) multiply(b *bsplib.Proc) {
	s.passOn(b)
	b.Sync()
	if s.Grid.Cols == 1 {
		s.A.times(s.Y, s.Needed.Slice(), 0)
		return
	}
	for col := range s.Grid.Cols {
		s.passPartial(col)
	}
	b.Sync()
	s.addPartial()
}

// passOn sends the processes the numbers of x that they need.
func (s *state) passOn(b *bsplib.Proc) {
	var some []float64
	for _, w := range s.Wanted {
		var packet []float64
		if w.Places == nil {
			packet = s.X[w.First:][:w.Count]
		} else {
			some = some[:0]
			for _, place := range w.Places {
				some = append(some, s.X[place])
			}
			packet = some
		}
		if w.Pid == b.Pid() {
			copy(s.Needed.Slice()[w.Offset:], packet)
		} else {
			s.Needed.Put(w.Pid, w.Offset, packet...)
		}
	}
}

// passPartial multiplies the rows whose product belongs to a column of the grid, and sends
// it the result.
func (s *state) passPartial(col int) {
	first := 0
	for before := range col {
		first += s.Grid.count(s.Row, before)
	}
	y := make([]float64, s.Grid.count(s.Row, col))
	s.A.times(y, s.Needed.Slice(), first)
	if col == s.Col {
		copy(s.Partial.Slice()[s.Col*len(y):], y)
	} else {
		s.Partial.Put(s.Grid.at(s.Row, col), s.Col*len(y), y...)
	}
}

// addPartial adds the results of the processes of the grid's row, in their order.
func (s *state) addPartial() {
	clear(s.Y)
	for col := range s.Grid.Cols {
		for i, y := range s.Partial.Slice()[col*len(s.Y) : (col+1)*len(s.Y)] {
			s.Y[i] += y
		}
	}
}
