package dft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(n int) []complex128 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(r.Float64()-0.5, r.Float64()-0.5)
	}
	return x
}

// direct is the transform by its definition, with roots of full accuracy.
func direct(x []complex128, inverse bool) []complex128 {
	n := len(x)
	y := make([]complex128, n)
	for i := range y {
		for j := range x {
			y[i] += x[j] * root(i*j%n, n, inverse)
		}
	}
	return y
}

// distance is the largest difference of two vectors over the largest element.
func distance(x, y []complex128) float64 {
	most, off := 0.0, 0.0
	for i := range x {
		most, off = max(most, cmplx.Abs(y[i])), max(off, cmplx.Abs(x[i]-y[i]))
	}
	return off / most
}

func TestTransformIsTheDefinition(t *testing.T) {
	longest := 2048
	if testing.Short() {
		longest = 512
	}
	for n := 1; n <= longest; n *= 2 {
		for _, inverse := range []bool{false, true} {
			x := random(n)
			want, got := direct(x, inverse), make([]complex128, n)
			New(n, inverse).Transform(x, got)
			if off := distance(got, want); !(off < 1e-15*float64(n)) {
				t.Errorf("%d numbers, inverse %t: %g off", n, inverse, off)
			}
		}
	}
}

// Long vectors use another algorithm: the inverse undoes the transform, and one wave has one
// frequency.
func TestLongVectors(t *testing.T) {
	longest := 1 << 18
	if testing.Short() {
		longest = 4 * short
	}
	for n := short; n <= longest; n *= 2 {
		x, y, z := random(n), make([]complex128, n), make([]complex128, n)
		New(n, false).Transform(append([]complex128(nil), x...), y)
		New(n, true).Transform(y, z)
		for i := range z {
			z[i] /= complex(float64(n), 0)
		}
		if off := distance(z, x); !(off < 1e-15) {
			t.Errorf("%d numbers and back: %g off", n, off)
		}
		const wave = 12345
		for i := range x {
			x[i] = root(i*(wave%n)%n, n, true)
		}
		New(n, false).Transform(x, y)
		for i, y := range y {
			want := complex128(0)
			if i == wave%n {
				want = complex(float64(n), 0)
			}
			if off := cmplx.Abs(y - want); !(off < 1e-12*math.Sqrt(float64(n))) {
				t.Fatalf("%d numbers: element %d is %g off", n, i, off)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8, 64, 512} {
		for _, m := range []int{1, 2, 8, 16, 1024, 4096} {
			x := random(n * m)
			got := append([]complex128(nil), x...)
			New(n, false).Columns(got, m)
			column, want := make([]complex128, n), make([]complex128, n)
			for c := range m {
				for i := range column {
					column[i] = x[i*m+c]
				}
				New(n, false).Transform(column, want)
				for i := range column {
					if got[i*m+c] != want[i] {
						t.Fatalf("%d x %d: element (%d, %d) is %v, want %v", n, m, i, c, got[i*m+c], want[i])
					}
				}
			}
		}
	}
}

// Roots are exact up to the last digit.
func TestRoots(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8, 16, 1 << 12, 1 << 25} {
		r := RootsOf(n, false)
		for k := 0; k < n; k += max(1, n/1001) {
			sin, cos := math.Sincos(float64(k%n) / float64(n) * 2 * math.Pi)
			want := complex(cos, -sin)
			if off := max(cmplx.Abs(r.At(k)-want), cmplx.Abs(r.At(k+3*n)-want)); off > 1e-15 {
				t.Fatalf("root %d of %d: %v, want %v", k, n, r.At(k), want)
			}
		}
	}
	for k, want := range []complex128{1, -1i, -1, 1i} {
		if got := root(k, 4, false); got != want {
			t.Errorf("root %d of 4: %v, want %v", k, got, want)
		}
	}
}

func sameBits(x, y complex128) bool {
	return math.Float64bits(real(x)) == math.Float64bits(real(y)) && math.Float64bits(imag(x)) == math.Float64bits(imag(y))
}

// With and without vector instructions the results are the same, bit for bit.
func TestVectorInstructionsChangeNothing(t *testing.T) {
	if !vectors {
		t.Skip("there are none here")
	}
	defer func() { vectors = true }()
	for n := 1; n <= 4*short; n *= 2 {
		for _, inverse := range []bool{false, true} {
			var results, columns [2][]complex128
			for i := range results {
				vectors = i == 0
				results[i], columns[i] = make([]complex128, n), random(2*min(n, short))
				New(n, inverse).Transform(random(n), results[i])
				New(min(n, short), inverse).Columns(columns[i], 2)
			}
			if !slices.EqualFunc(results[0], results[1], sameBits) || !slices.EqualFunc(columns[0], columns[1], sameBits) {
				t.Errorf("%d numbers, inverse %t: other results", n, inverse)
			}
		}
	}
}

func TestTransformAllocatesNothing(t *testing.T) {
	for _, n := range []int{64, 128, 1 << 14} {
		p, x, y := New(n, false), random(n), make([]complex128, n)
		if allocs := testing.AllocsPerRun(3, func() { p.Transform(x, y) }); allocs > 0 {
			t.Errorf("%d numbers: %g allocations", n, allocs)
		}
	}
}

func BenchmarkTransform(b *testing.B) {
	for k := 6; k <= 22; k += 2 {
		for _, k := range []int{k, k + 1} {
			b.Run(fmt.Sprintf("2^%d", k), func(b *testing.B) {
				n := 1 << k
				p, x, y := New(n, false), random(n), make([]complex128, n)
				for b.Loop() {
					p.Transform(x, y)
				}
				b.ReportMetric(5*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
			})
		}
	}
}

// Turn is a multiplication by roots, for lengths with and without whole rows, and the
// same to the last bit without vector instructions.
func TestTurn(t *testing.T) {
	defer func(was bool) { vectors = was }(vectors)
	roots := RootsOf(4096, false)
	for _, n := range []int{1, 2, 4, 8, 64, 256, 1024} {
		for _, step := range []int{0, 1, 3} {
			var results [][]complex128
			for _, on := range []bool{false, vectors} {
				vectors = on
				x := make([]complex128, n)
				for k := range x {
					x[k] = complex(float64(k+1), -0.5)
				}
				roots.Turn(x, step, 0.25)
				for k := range x {
					want := complex(float64(k+1), -0.5) * root(k*step%4096, 4096, false) / 4
					if off := cmplx.Abs(x[k] - want); off > 1e-15*float64(k+1) {
						t.Fatalf("%d numbers, step %d: number %d is %v, want %v", n, step, k, x[k], want)
					}
				}
				results = append(results, x)
			}
			if !slices.EqualFunc(results[0], results[1], sameBits) {
				t.Errorf("%d numbers, step %d: vector instructions change something", n, step)
			}
		}
	}
	x := random(1024)
	if allocs := testing.AllocsPerRun(3, func() { roots.Turn(x, 5, 0.5) }); allocs > 0 {
		t.Errorf("%g allocations", allocs)
	}
}
