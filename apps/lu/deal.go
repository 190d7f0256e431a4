package main

// What the other processes of a row need of a factored panel, the rows of L
// below the pivots and then the block of the pivots, comes to them in two
// supersteps if there are more than one: each first gets a part of its own from
// the process that has it, and passes that on. So nobody sends it as often as
// there are processes.

// dealPanel puts that together at the front of Panel, on the process that has
// factored it, and deals it out.
func (s *state) dealPanel(st step) {
	s.packPanel(st)
	copy(s.top(st), s.Top.Slice())
	whole := s.Panel.Slice()[:s.dealt(st)]
	for col := range s.Cols.Parts {
		if col == s.Col {
			continue
		}
		from, to := 0, len(whole)
		if s.Cols.Parts > 2 {
			from, to = s.part(st, col)
		}
		s.Panel.HPPut(s.at(s.Row, col), from, whole[from:to]...)
		s.Pivots.Put(s.at(s.Row, col), 0, s.Pivots.Slice()[:st.width]...)
	}
}

// passPanel passes this process's part of the panel on to those who lack it.
func (s *state) passPanel(st step) {
	if s.Cols.Parts <= 2 {
		return
	}
	from, to := s.part(st, s.Col)
	part := s.Panel.Slice()[from:to]
	for col := range s.Cols.Parts {
		if col != s.Col && col != st.col {
			s.Panel.HPPut(s.at(s.Row, col), from, part...)
		}
	}
}

// dealt is the length of what is dealt out, and top its end: the factored
// diagonal block.
func (s *state) dealt(st step) int {
	return (s.localRows() - st.below + st.width) * st.width
}

func (s *state) top(st step) []float64 {
	size := s.dealt(st)
	return s.Panel.Slice()[size-st.width*st.width : size]
}

// part is where a grid column's part of what is dealt out begins and ends.
func (s *state) part(st step, col int) (from, to int) {
	size, parts := s.dealt(st), s.Cols.Parts
	return size * col / parts, size * (col + 1) / parts
}
