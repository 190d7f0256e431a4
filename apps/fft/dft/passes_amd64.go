//go:build !purego && !noasm

package dft

import "golang.org/x/sys/cpu"

var vectors = cpu.X86.HasAVX2

// The passes in vector instructions, on two numbers at a time: the same operations on
// each, and so the same results to the last bit. minus is the sign with the other sign.

//go:noescape
func fourAVX2(x *complex128, ld, m, s int, y, w *complex128, minus float64)

//go:noescape
func lastAVX2(x *complex128, ld, s int, y *complex128, minus float64)

//go:noescape
func singleAVX2(x *complex128, m int, y, w *complex128, minus float64)

//go:noescape
func rotateAVX2(y *complex128, ld int, x, powers, bases *complex128, rows int)

//go:noescape
func flipAVX2(y *complex128, ld int, x *complex128, next, columns int)

// fastRotate is rotate in vector instructions, if it can be.
func fastRotate(y []complex128, ld int, x, powers, bases []complex128) bool {
	rows := len(bases)
	if !vectors || rows == 0 {
		return false
	}
	_, _, _ = y[(rows-1)*ld+wide-1], x[rows*wide-1], powers[rows*wide-1]
	rotateAVX2(&y[0], ld, &x[0], &powers[0], &bases[0], rows)
	return true
}

// fastFlip is flip in vector instructions, if it can be.
func fastFlip(y []complex128, ld int, x []complex128, next, columns int) bool {
	if !vectors || columns == 0 {
		return false
	}
	_, _ = y[(columns-1)*ld+wide-1], x[(wide-1)*next+columns-1]
	flipAVX2(&y[0], ld, &x[0], next, columns)
	return true
}

// fast makes a pass in vector instructions, if it can.
func (p pass) fast(x []complex128, ld, s int, y []complex128) bool {
	m := p.n / 4
	if !vectors || p.n < 4 || s == 1 && m%2 == 1 || s > 1 && s%2 == 1 {
		return false
	}
	_, _ = x[(p.n-1)*ld+s-1], y[p.n*s-1] // the last elements that are read and written
	switch {
	case s == 1:
		singleAVX2(&x[0], m, &y[0], &p.roots[0], -p.sign)
	case p.n == 4:
		lastAVX2(&x[0], ld, s, &y[0], -p.sign)
	default:
		fourAVX2(&x[0], ld, m, s, &y[0], &p.roots[0], -p.sign)
	}
	return true
}
