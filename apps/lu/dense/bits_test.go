package dense

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sizes cover empty matrices, single elements, every edge of the tiles, and several blocks.
var sizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 23, 24, 25, 31, 33, 40, 47, 49, 73, 100}

func TestGemmBits(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range []int{0, 1, 2, 5, 8, 24, 65} {
					checkGemmBits(t, r, m, n, k, r.IntN(2) == 0)
				}
			}
		}
		for _, s := range [][3]int{{200, 300, 257}, {9, 70, 600}, {41, 2750, 24}, {40, 700, 100}, {1, 3000, 3}, {130, 1, 260}} {
			checkGemmBits(t, r, s[0], s[1], s[2], false)
		}
	})
}

func checkGemmBits(t *testing.T, r *rand.Rand, m, n, k int, spoil bool) {
	t.Helper()
	a, b, c := newMatrix(r, m, k, r.IntN(4)), newMatrix(r, k, n, r.IntN(9)), newMatrix(r, m, n, r.IntN(9))
	if spoil && m*n*k > 0 {
		a.spoil(r)
		b.spoil(r)
		c.spoil(r)
	}
	want := c.clone()
	naiveGemm(a, b, want)
	if m*n*k > 0 {
		gemmBuiltin(m, n, k, a.data, a.stride, b.data, b.stride, c.data, c.stride)
	}
	mustBeSame(t, c.data, want.data, "%d x %d x %d, strides %d, %d, %d", m, n, k, a.stride, b.stride, c.stride)
}

func TestTrsmBits(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, m := range append([]int{127, 128, 129, 300}, sizes...) {
			for _, n := range sizes {
				l, b := newMatrix(r, m, m, r.IntN(4)), newMatrix(r, m, n, r.IntN(9))
				prepareLower(l)
				if m*n > 0 && r.IntN(2) == 0 {
					b.spoil(r)
				}
				want := b.clone()
				naiveTrsm(l, want)
				if m*n > 0 {
					trsmBuiltin(m, n, l.data, l.stride, b.data, b.stride)
				}
				mustBeSame(t, b.data, want.data, "%d x %d, strides %d, %d", m, n, l.stride, b.stride)
			}
		}
	})
}

// prepareLower scales a lower triangle so that the solution does not grow without bounds, and makes the
// rest, which must not be read, NaN.
func prepareLower(l matrix) {
	for i := range l.rows {
		for j := range l.cols {
			if l.data[i*l.stride+j] /= 4; j >= i {
				l.data[i*l.stride+j] = math.NaN()
			}
		}
	}
}

func TestGerBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, m := range append([]int{300}, sizes...) {
			for _, n := range append([]int{500}, sizes...) {
				checkGerBits(t, r, m, n)
			}
		}
	})
}

func checkGerBits(t *testing.T, r *rand.Rand, m, n int) {
	t.Helper()
	x, y, a := newMatrix(r, m, 1, r.IntN(4)), newMatrix(r, 1, n, 0), newMatrix(r, m, n, r.IntN(9))
	if m*n > 0 && r.IntN(2) == 0 {
		x.spoil(r)
		y.spoil(r)
		a.spoil(r)
	}
	want := a.clone()
	naiveGemm(x, y, want)
	Ger(m, n, x.data, x.stride, y.data, a.data, a.stride)
	mustBeSame(t, a.data, want.data, "%d x %d, strides %d, %d", m, n, x.stride, a.stride)
}

// A division of the work among calls leaves the bits alone.
func TestGemmSplitBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		const m, n, k = 75, 130, 90
		a, b, c := newMatrix(r, m, k, 1), newMatrix(r, k, n, 2), newMatrix(r, m, n, 3)
		whole := c.clone()
		gemmBuiltin(m, n, k, a.data, a.stride, b.data, b.stride, whole.data, whole.stride)
		for range 20 {
			parts := c.clone()
			i, j, p := 1+r.IntN(m-1), 1+r.IntN(n-1), 1+r.IntN(k-1)
			for _, ks := range [][2]int{{0, p}, {p, k}} {
				for _, rows := range [][2]int{{0, i}, {i, m}} {
					for _, cols := range [][2]int{{j, n}, {0, j}} {
						gemmBuiltin(rows[1]-rows[0], cols[1]-cols[0], ks[1]-ks[0],
							a.data[rows[0]*a.stride+ks[0]:], a.stride, b.data[ks[0]*b.stride+cols[0]:], b.stride,
							parts.data[rows[0]*parts.stride+cols[0]:], parts.stride)
					}
				}
			}
			mustBeSame(t, parts.data, whole.data, "split at %d, %d, %d", i, j, p)
		}
	})
}

// eachLevel runs a test with every set of kernels that this build and this machine have.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	defer func(was simdLevel) { level = was }(level)
	for _, level = range levels {
		t.Run(level.String(), test)
	}
}
