package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/internal/numbers"
)

// each calls f with the nonzeros of rows first to below end, by rows; of a file with
// all nonzeros as they stand there. It returns the order of the matrix.
func (p parameters) each(first, end int, f func(i, j int, a float64)) (n int, err error) {
	switch {
	case p.file != "":
		return readMarket(p.file, f)
	case p.density > 0:
		p.random(first, end, f)
	default:
		p.laplacian(first, end, f)
	}
	return p.n, nil
}

func (p parameters) source() string {
	switch {
	case p.file != "":
		return p.file
	case p.density > 0:
		return "random matrix"
	}
	return "Laplacian"
}

// laplacian has 4 on the diagonal, and -1 for each neighbour of a point of a square
// whose last rows may be missing.
func (p parameters) laplacian(first, end int, f func(i, j int, a float64)) {
	width := int(math.Ceil(math.Sqrt(float64(p.n))))
	for i := first; i < min(end, p.n); i++ {
		if i >= width {
			f(i, i-width, -1)
		}
		if i%width > 0 {
			f(i, i-1, -1)
		}
		f(i, i, 4)
		if i%width+1 < width && i+1 < p.n {
			f(i, i+1, -1)
		}
		if i+width < p.n {
			f(i, i+width, -1)
		}
	}
}

// perRow is how many nonzeros each row of a random matrix has.
func (p parameters) perRow() int {
	return int(math.Ceil(p.density * float64(p.n)))
}

// random has a number in (0, 1] somewhere in each of some equal parts of each row.
func (p parameters) random(first, end int, f func(i, j int, a float64)) {
	parts := p.perRow()
	for i := first; i < min(end, p.n); i++ {
		at := numbers.Mix(numbers.Mix(p.seed) + uint64(i))
		for k := range parts {
			begin, next := k*p.n/parts, (k+1)*p.n/parts
			at = numbers.Mix(at)
			j := begin + int(at>>33)%(next-begin)
			at = numbers.Mix(at)
			f(i, j, 1-float64(at>>11)/(1<<53))
		}
	}
}
