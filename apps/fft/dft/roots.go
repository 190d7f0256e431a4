package dft

import (
	"math"
	"math/bits"
	"sync"
)

// Roots represents the n-th roots of unity, exp(-2 pi i k / n), or the roots of the inverse. A root
// is a product of entries of two tables.
type Roots struct {
	mask, low  int
	shift      int
	high, fine []complex128
}

var allRoots sync.Map // of Roots by passesKey

// RootsOf returns the roots of a transform of n numbers.
func RootsOf(n int, inverse bool) Roots {
	key := passesKey{n, inverse}
	if known, ok := allRoots.Load(key); ok {
		return known.(Roots)
	}
	shift := bits.Len(uint(n-1)) / 2
	r := Roots{mask: n - 1, low: 1<<shift - 1, shift: shift}
	for k := range 1 << shift {
		r.fine = append(r.fine, root(k, n, inverse))
	}
	for k := range n >> shift {
		r.high = append(r.high, root(k<<shift, n, inverse))
	}
	known, _ := allRoots.LoadOrStore(key, r)
	return known.(Roots)
}

// At is root k, for any k from 0 on.
func (r *Roots) At(k int) complex128 {
	return times(r.high[k&r.mask>>r.shift], r.fine[k&r.low])
}

// Turn multiplies x[k], for all k, by root k*step and by a scale.
func (r *Roots) Turn(x []complex128, step int, scale float64) {
	const rows = 32
	var bases [rows]complex128
	var powers [rows * wide]complex128
	for i := range powers {
		powers[i] = r.At(i % wide * step)
	}
	for first := 0; first < len(x); first += rows * wide {
		some := x[first:min(len(x), first+rows*wide)]
		count := len(some) / wide
		for i := range count {
			bases[i] = scaled(scale, r.At((first+i*wide)*step))
		}
		rotate(some, wide, some, powers[:count*wide], bases[:count])
		for i := count * wide; i < len(some); i++ {
			some[i] = times(scaled(scale, r.At((first+i)*step)), some[i])
		}
	}
}

func scaled(a float64, x complex128) complex128 { return complex(a*real(x), a*imag(x)) }

// root returns exp(-2 pi i k / n), or exp(2 pi i k / n), for n a power of two and 0 <= k <
// n. It is computed in the first eighth of the circle, so that equal roots are equal to the
// bit, and roots on the axes are exact.
func root(k, n int, inverse bool) complex128 {
	if n < 8 {
		k, n = k*(8/n), 8
	}
	quarter := n / 4
	turns := k / quarter
	k %= quarter
	mirrored := k > quarter/2
	if mirrored {
		k = quarter - k
	}
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	if mirrored {
		sin, cos = cos, sin
	}
	for range turns {
		sin, cos = cos, -sin
	}
	if !inverse {
		sin = -sin
	}
	return complex(cos, sin)
}
