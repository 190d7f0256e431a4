// Package dft computes discrete Fourier transforms of 2^k complex numbers on one processor:
// y[i] is the sum over j of x[j] exp(-2 pi i j / n), and for the inverse the same with +
// instead of -, which is n times the true inverse.
package dft

import "math/bits"

// Plan transforms vectors of one length in one direction. It has its own memory, so each
// goroutine needs its own Plan; tables are shared.
type Plan struct {
	n      int
	passes []pass // of a short vector

	// A long vector is a matrix, whose columns are transformed first.
	columns, rows *Plan
	roots         Roots
	powers, bases []complex128 // see rotate

	one, other []complex128 // buffers of the transform, used in turn
}

// short is the longest vector that is transformed in passes over all of it: a processor's
// own cache holds it with its tables. wide is the number of columns or rows of a long one
// that are transformed together. apart keeps rows from falling on the same few lines of a
// cache.
const (
	short = 1 << 13
	wide  = 8
	apart = 4
)

// New makes a plan for vectors of n numbers, n a power of two.
func New(n int, inverse bool) *Plan {
	if n < 1 || n&(n-1) != 0 {
		panic("dft: the length is not a power of two")
	}
	if n <= short {
		return &Plan{n: n, passes: passesOf(n, inverse), one: make([]complex128, n)}
	}
	height := 1 << (bits.Len(uint(n-1)) / 2)
	p := &Plan{n: n, columns: New(height, inverse), rows: New(n/height, inverse), roots: RootsOf(n, inverse)}
	p.reserve(wide * (max(height, n/height) + apart))
	p.bases = make([]complex128, height)
	for i := range height {
		for q := range wide {
			p.powers = append(p.powers, p.roots.At(i*q))
		}
	}
	return p
}

func (p *Plan) reserve(n int) {
	if len(p.other) < n {
		p.one, p.other = make([]complex128, n), make([]complex128, n)
	}
}

// Kernel names the instructions of transforms.
func Kernel() string {
	if vectors {
		return "AVX2"
	}
	return "Go"
}

// Transform replaces y by the transform of x, and overwrites x. Both have the plan's
// length.
func (p *Plan) Transform(x, y []complex128) {
	switch passes := len(p.passes); {
	case p.columns != nil:
		p.long(x, y)
	case passes == 0:
		copy(y, x)
	case passes%2 == 1:
		p.run(x, 1, 1, y, x)
	default:
		p.run(x, 1, 1, p.one, y)
	}
}

// Columns transforms each column of a matrix in place. The matrix is row-major, with m numbers in
// each row and one row for each number of the plan's vectors.
func (p *Plan) Columns(x []complex128, m int) {
	if p.columns != nil {
		panic("dft: columns are too long")
	}
	if len(p.passes) == 0 {
		return
	}
	width := min(m, max(wide, short/p.n))
	p.reserve(p.n * width)
	for c := 0; c < m; c += width {
		done := p.run(x[c:], m, width, p.one, p.other)
		for i := range p.n {
			copy(x[i*m+c:][:width], done[i*width:])
		}
	}
}
