package dft

import "sync"

// pass is one of the passes that transform a vector: it splits vectors of n numbers
// into four of n/4, or two of one, in Stockham's order, which needs no bit reversal.
type pass struct {
	n     int
	sign  float64
	roots []complex128 // for each j < n/4: exp(-+2 pi i k j / n) for k = 1, 2, 3
}

type passesKey struct {
	n       int
	inverse bool
}

var allPasses sync.Map // of []pass by passesKey

func passesOf(n int, inverse bool) []pass {
	key := passesKey{n, inverse}
	if known, ok := allPasses.Load(key); ok {
		return known.([]pass)
	}
	known, _ := allPasses.LoadOrStore(key, makePasses(n, inverse))
	return known.([]pass)
}

func makePasses(n int, inverse bool) (all []pass) {
	for ; n > 1; n /= 4 {
		p := pass{n: n, sign: 1}
		if inverse {
			p.sign = -1
		}
		for j := range n / 4 {
			for k := 1; k <= 3; k++ {
				p.roots = append(p.roots, root(j*k, n, inverse))
			}
		}
		all = append(all, p)
	}
	return all
}

// run transforms the s columns of a matrix whose rows are ld numbers apart. It returns
// the result, without gaps between rows, which is in one or in other. The first pass
// writes to one.
func (p *Plan) run(x []complex128, ld, s int, one, other []complex128) []complex128 {
	for _, pass := range p.passes {
		switch {
		case pass.fast(x, ld, s, one):
		case pass.n == 2:
			pass.two(x, ld, s, one)
		case pass.n == 4:
			pass.last(x, ld, s, one)
		case s == 1:
			pass.single(x, one)
		default:
			pass.four(x, ld, s, one)
		}
		x, one, other = one, other, one
		s *= 4
		ld = s
	}
	return x
}

// two is the last pass where two numbers are left of each vector.
func (p pass) two(x []complex128, ld, s int, y []complex128) {
	a, b := x[:s], x[ld:][:s]
	c, d := y[:s], y[s:][:s]
	for q, a := range a {
		c[q], d[q] = a+b[q], a-b[q]
	}
}

// last is the last pass where four numbers are left of each vector.
func (p pass) last(x []complex128, ld, s int, y []complex128) {
	sign := p.sign
	x0, x1, x2, x3 := x[:s], x[ld:][:s], x[2*ld:][:s], x[3*ld:][:s]
	y0, y1, y2, y3 := y[:s], y[s:][:s], y[2*s:][:s], y[3*s:][:s]
	for q := range x0 {
		a, b, c, d := x0[q], x1[q], x2[q], x3[q]
		even, odd := a+c, b+d
		y0[q], y2[q] = even+odd, even-odd
		even, odd = a-c, b-d
		odd = complex(sign*imag(odd), -sign*real(odd))
		y1[q], y3[q] = even+odd, even-odd
	}
}

// four is a pass over several vectors, number after number.
func (p pass) four(x []complex128, ld, s int, y []complex128) {
	sign, m := p.sign, p.n/4
	for j := range m {
		w := p.roots[3*j:][:3]
		w1, w2, w3 := w[0], w[1], w[2]
		x0, x1, x2, x3 := x[j*ld:][:s], x[(j+m)*ld:][:s], x[(j+2*m)*ld:][:s], x[(j+3*m)*ld:][:s]
		to := y[4*j*s:][:4*s]
		y0, y1, y2, y3 := to[:s], to[s:][:s], to[2*s:][:s], to[3*s:][:s]
		for q := range x0 {
			a, b, c, d := x0[q], x1[q], x2[q], x3[q]
			even, odd := a+c, b+d
			y0[q], y2[q] = even+odd, times(w2, even-odd)
			even, odd = a-c, b-d
			odd = complex(sign*imag(odd), -sign*real(odd))
			y1[q], y3[q] = times(w1, even+odd), times(w3, even-odd)
		}
	}
}

// single is a pass over one vector.
func (p pass) single(x, y []complex128) {
	sign, m := p.sign, p.n/4
	x0, x1, x2, x3 := x[:m], x[m:][:m], x[2*m:][:m], x[3*m:][:m]
	for j := range x0 {
		w, to := p.roots[3*j:][:3], y[4*j:][:4]
		a, b, c, d := x0[j], x1[j], x2[j], x3[j]
		even, odd := a+c, b+d
		to[0], to[2] = even+odd, times(w[1], even-odd)
		even, odd = a-c, b-d
		odd = complex(sign*imag(odd), -sign*real(odd))
		to[1], to[3] = times(w[0], even+odd), times(w[2], even-odd)
	}
}

// times is a*b, rounded after each operation on any processor.
func times(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}
