package main

// What the processes of a row need of a factored panel comes to them in two
// supersteps, if several lack it: each first gets a part of its own, and passes that
// on. So nobody sends it as often as there are processes. It is the rows of L below
// the pivots, and then those of the diagonal block, of which only what is left of
// the diagonal counts (triangle).

// dealPanel puts that together at the front of Panel, on a process that has
// factored its rows, and deals it out along its row.
func (s *state) dealPanel(st step) {
	s.packPanel(st)
	packTriangle(st.width, s.triangle(st), s.Top.Slice(), st.width)
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
	if s.Cols.Parts == 1 || !st.gathered && s.Cols.Parts == 2 {
		return
	}
	from, to := s.part(st, s.Col)
	part := s.Panel.Slice()[from:to]
	for col := range s.Cols.Parts {
		if col != s.Col && !s.has(st, col) {
			s.Panel.HPPut(s.at(s.Row, col), from, part...)
		}
	}
}

// has reports whether a process of this row had all of the panel before it was dealt out.
func (s *state) has(st step, col int) bool {
	return col == st.col && (!st.gathered || s.Row == s.gatheringRow(col))
}

// keepTop brings the rows of L in the diagonal block to Top.
func (s *state) keepTop(st step) {
	unpackTriangle(st.width, s.Top.Slice(), st.width, s.triangle(st))
}

// dealt is the length of what is dealt out, and triangle its end.
func (s *state) dealt(st step) int {
	return (s.localRows()-st.below)*st.width + triangleSize(st.width)
}

func (s *state) triangle(st step) []float64 {
	size := s.dealt(st)
	return s.Panel.Slice()[size-triangleSize(st.width) : size]
}

// part is where a grid column's part of what is dealt out begins and ends.
func (s *state) part(st step, col int) (from, to int) {
	return share(s.dealt(st), s.Cols.Parts, col)
}
