package main

// element is the matrix: random in [-0.5, 0.5), the same for every
// distribution; without pivoting the diagonal is larger than the rest of its
// row.
func (p parameters) element(i, j int) float64 {
	x := uniform(p.seed, i, j)
	if i == j && !p.pivot {
		x += float64(p.n)
	}
	return x
}

func (p parameters) fill(s *state) {
	for li := range s.localRows() {
		i, row := s.Rows.global(s.Row, li), s.row(li, 0)
		for lj := range row {
			row[lj] = p.element(i, s.Cols.global(s.Col, lj))
		}
	}
}

// uniform is a number in [-0.5, 0.5) that depends on all its arguments.
func uniform(seed uint64, i, j int) float64 {
	return float64(mix(mix(seed+uint64(i))+uint64(j))>>11)/(1<<53) - 0.5
}

// mix is a bijection that changes about half the bits for each bit of x that
// changes.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
