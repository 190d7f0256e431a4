package dense

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustBeClose(t *testing.T, got, want matrix, tolerance float64) {
	t.Helper()
	for i := range want.rows {
		for j := range want.cols {
			if d := math.Abs(got.at(i, j) - want.at(i, j)); !(d <= tolerance*max(1, math.Abs(want.at(i, j)))) {
				t.Fatalf("element %d, %d: got %v, want %v", i, j, got.at(i, j), want.at(i, j))
			}
		}
	}
}

func TestGetrf(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		shapes := [][2]int{{150, 150}, {257, 257}, {1, 0}, {5, 1}, {9, 8}, {33, 16}, {257, 64}, {100, 37}, {1000, 30}}
		for _, n := range sizes {
			shapes = append(shapes, [2]int{n, n})
		}
		for _, shape := range shapes {
			rows, cols := shape[0], shape[1]
			a := newMatrix(r, rows, cols, r.IntN(5))
			original, want := a.clone(), a.clone()
			pivots, wantPivots := make([]int, cols), make([]int, cols)
			regular, wantRegular := Getrf(rows, cols, a.data, a.stride, pivots), naiveGetrf(want, wantPivots)
			if regular != wantRegular || !slices.Equal(pivots, wantPivots) {
				t.Fatalf("%d x %d: %v with pivots %v, want %v with %v", rows, cols, regular, pivots, wantRegular, wantPivots)
			}
			mustHaveFactors(t, a, original, pivots)
			if SameBits {
				mustBeSame(t, a.data, want.data, "%d x %d", rows, cols)
			}
		}
	})
}

// mustHaveFactors compares L U with the original matrix, its rows exchanged.
func mustHaveFactors(t *testing.T, lu, a matrix, pivots []int) {
	t.Helper()
	product := a.clone()
	for i := range lu.rows {
		for j := range lu.cols {
			sum := 0.0
			for k := range min(i, j+1) {
				sum += lu.at(i, k) * lu.at(k, j)
			}
			if i <= j {
				sum += lu.at(i, j)
			}
			product.data[i*a.stride+j] = sum
		}
	}
	for i, p := range pivots {
		SwapRows(a.data[i*a.stride:][:a.cols], a.data[p*a.stride:][:a.cols])
	}
	mustBeClose(t, product, a, 1e-13*float64(1+lu.rows))
}

func TestGetrfSingular(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		set  func(a matrix)
	}{
		{"zero", 20, func(a matrix) { clear(a.data) }},
		{"zero column", 20, func(a matrix) { zeroColumn(a, 5) }},
		{"zero first column", 9, func(a matrix) { zeroColumn(a, 0) }},
		{"zero last column", 9, func(a matrix) { zeroColumn(a, 8) }},
		{"single zero", 1, func(a matrix) { clear(a.data) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newMatrix(rand.New(rand.NewPCG(15, 16)), c.n, c.n, 0)
			c.set(a)
			want, pivots, wantPivots := a.clone(), make([]int, c.n), make([]int, c.n)
			if naiveGetrf(want, wantPivots); Getrf(c.n, c.n, a.data, a.stride, pivots) {
				t.Error("a singular matrix was called regular")
			}
			if !slices.Equal(pivots, wantPivots) {
				t.Errorf("pivots %v, want %v", pivots, wantPivots)
			}
			mustBeClose(t, a, want, 1e-12)
		})
	}
}

func zeroColumn(a matrix, j int) {
	for i := range a.rows {
		a.data[i*a.stride+j] = 0
	}
}

// Panels that are too large to be copied are factored where they lie, to the same bits.
func TestGetrfPanelInPlace(t *testing.T) {
	const n = 100
	a := newMatrix(rand.New(rand.NewPCG(17, 18)), n, n, 0)
	want, pivots, wantPivots := a.clone(), make([]int, n), make([]int, n)
	Getrf(n, n, want.data, n, wantPivots)
	f := factorisation{rows: n, cols: n, a: a.data, lda: n, pivots: pivots, panel: make([]float64, 50*(panelWidth+1))}
	if !f.columns(0, n) || !slices.Equal(pivots, wantPivots) {
		t.Fatalf("pivots %v, want %v", pivots, wantPivots)
	}
	mustBeSame(t, a.data, want.data, "panels in place")
}

// The factors of one matrix, as every build on every machine computes them.
func TestGetrfBitsEverywhere(t *testing.T) {
	if !SameBits {
		t.Skip("OpenBLAS has its own order of arithmetic")
	}
	eachLevel(t, func(t *testing.T) {
		const n, want = 200, uint64(0x7a38d8325d138fd0)
		a := newMatrix(rand.New(rand.NewPCG(25, 26)), n, n, 0)
		Getrf(n, n, a.data, n, make([]int, n))
		sum := fnv.New64a()
		for _, v := range a.data {
			sum.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
		if got := sum.Sum64(); got != want {
			t.Errorf("hash of the factors: got %#x, want %#x", got, want)
		}
	})
}
