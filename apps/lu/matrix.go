package main

import "github.com/migbsp/migbsp/apps/internal/numbers"

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

// fill gives the matrix its elements.
func (s *state) fill(element func(i, j int) float64) {
	for li := range s.localRows() {
		i, row := s.Rows.global(s.Row, li), s.row(li, 0)
		for lj := range row {
			row[lj] = element(i, s.Cols.global(s.Col, lj))
		}
	}
}

// uniform is a number in [-0.5, 0.5) that depends on all its arguments.
func uniform(seed uint64, i, j int) float64 {
	return float64(numbers.Mix(numbers.Mix(seed+uint64(i))+uint64(j))>>11)/(1<<53) - 0.5
}
