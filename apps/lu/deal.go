package main

// A factored panel reaches the processes of a row in two supersteps if several lack it:
// each first gets one part and then passes that part on. So no process sends the whole
// panel to each of the others. The panel is the rows of L below the pivots, and after
// them the part of the diagonal block left of its diagonal (triangle).

// dealPanel puts the panel together at the front of Panel, on a process that has
// factored its rows, and deals it out along its row.
func (s *state) dealPanel(st step) {
	s.packPanel(st)
	packTriangle(st.width, s.triangle(st), s.Top.Slice(), st.width)
	whole := s.Panel.Slice()[:s.A.dealt(st)]
	for col := range s.A.Cols.Parts {
		if col == s.A.Col {
			continue
		}
		from, to := 0, len(whole)
		if s.A.Cols.Parts > 2 {
			from, to = s.A.part(st, col)
		}
		s.Panel.HPPut(s.A.at(s.A.Row, col), from, whole[from:to]...)
		s.Pivots.Put(s.A.at(s.A.Row, col), 0, s.Pivots.Slice()[:st.width]...)
	}
}

// passPanel passes this process's part of the panel on to the processes that lack it.
func (s *state) passPanel(st step) {
	if s.A.Cols.Parts == 1 || !st.gathered && s.A.Cols.Parts == 2 {
		return
	}
	from, to := s.A.part(st, s.A.Col)
	part := s.Panel.Slice()[from:to]
	for col := range s.A.Cols.Parts {
		if col != s.A.Col && !s.A.has(st, col) {
			s.Panel.HPPut(s.A.at(s.A.Row, col), from, part...)
		}
	}
}

// triangle is the end of the panel that is dealt out.
func (s *state) triangle(st step) []float64 {
	size := s.A.dealt(st)
	return s.Panel.Slice()[size-triangleSize(st.width) : size]
}
