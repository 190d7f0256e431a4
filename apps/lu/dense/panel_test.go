package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMaxAbs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		name   string
		x      []float64
		stride int
		n      int
		want   int
	}{
		{"nothing", nil, 1, 0, -1},
		{"one", []float64{0}, 1, 1, 0},
		{"negative", []float64{1, -3, 2}, 1, 3, 1},
		{"first of equals", []float64{1, -2, 2, 2}, 1, 4, 1},
		{"stride", []float64{1, 9, 2, 9, 3}, 2, 3, 2},
		{"stops at n", []float64{1, 2, 3}, 1, 2, 1},
		{"infinity", []float64{1, inf, 3}, 1, 3, 1},
		{"NaN is passed over", []float64{nan, 1, nan}, 1, 3, 1},
		{"only NaN", []float64{nan, nan}, 1, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MaxAbs(c.n, c.x, c.stride); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestDivide(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	Divide(2, 4, x, 3)
	if want := []float64{0.25, 2, 3, 1, 5}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
}

func TestSwapRows(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 500} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		x, y := newMatrix(r, 1, n, 0).data, newMatrix(r, 1, n, 0).data
		wantX, wantY := slices.Clone(y), slices.Clone(x)
		SwapRows(x, y)
		SwapRows(x, x)
		mustBeSame(t, x, wantX, "x of %d elements", n)
		mustBeSame(t, y, wantY, "y of %d elements", n)
	}
}

func TestEliminate(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, rows := range append(sizes, 700) {
			for _, cols := range append([]int{250}, sizes[1:]...) {
				a, pivot := newMatrix(r, rows, cols, r.IntN(5)), newMatrix(r, 1, cols, 0)
				want := a.clone()
				wantNext := naiveEliminate(want, pivot)
				next := Eliminate(rows, cols, pivot.data, a.data, a.stride)
				mustBeSame(t, a.data, want.data, "%d x %d", rows, cols)
				if next != wantNext {
					t.Fatalf("%d x %d: next pivot %d, want %d", rows, cols, next, wantNext)
				}
			}
		}
	})
}

func naiveEliminate(a, pivot matrix) (next int) {
	next = -1
	for i := range a.rows {
		row := a.data[i*a.stride:]
		row[0] /= pivot.at(0, 0)
		for j := 1; j < a.cols; j++ {
			row[j] = math.FMA(-row[0], pivot.at(0, j), row[j])
		}
		if a.cols > 1 && (next < 0 || math.Abs(row[1]) > math.Abs(a.at(next, 1))) {
			next = i
		}
	}
	return next
}

// Among equal candidates the first is returned, and NaNs never, regardless of the ends of blocks and
// chunks.
func TestEliminateCandidates(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, cols := range []int{2, 12, 5000} {
			rows := 2*chunkRows(cols) + 11
			pivot, a := make([]float64, cols), make([]float64, rows*cols)
			pivot[0] = 1
			for _, first := range []int{0, 1, 7, 8, 9, chunkRows(cols) - 1, chunkRows(cols), rows - 11, rows - 1} {
				for i := range rows {
					a[i*cols+1] = -1
					if i < first {
						a[i*cols+1] = []float64{math.NaN(), 0.5}[i%2]
					}
				}
				if got := Eliminate(rows, cols, pivot, a, cols); got != first {
					t.Errorf("%d columns: got row %d, want %d", cols, got, first)
				}
			}
		}
	})
}

// TestSpreadPanel factors a panel whose rows belong to several processes, in narrow strips of columns
// as described in panel.go, and compares it with the elimination of the whole.
func TestSpreadPanel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		const n, narrow = 60, 8
		a := newMatrix(r, n, n, 0)
		want, pivots := a.clone(), make([]int, n)
		naiveGetrf(want, pivots)
		for k := 0; k < n; k += narrow {
			w := min(narrow, n-k)
			for j := k; j < k+w; j++ {
				p := j
				for lo := j; lo < n; lo += 7 { // the processes: seven rows each
					rows := min(7, n-lo)
					if c := lo + MaxAbs(rows, a.data[lo*n+j:], n); math.Abs(a.at(c, j)) > math.Abs(a.at(p, j)) {
						p = c
					}
				}
				SwapRows(a.data[j*n:][:n], a.data[p*n:][:n])
				for lo := j + 1; lo < n; lo += 7 {
					Eliminate(min(7, n-lo), k+w-j, a.data[j*n+j:][:k+w-j], a.data[lo*n+j:], n)
				}
			}
			if right := k + w; right < n {
				TrsmLowerUnit(w, n-right, a.data[k*n+k:], n, a.data[k*n+right:], n)
				for lo := right; lo < n; lo += 7 {
					Gemm(min(7, n-lo), n-right, w, a.data[lo*n+k:], n, a.data[k*n+right:], n, a.data[lo*n+right:], n)
				}
			}
		}
		if !SameBits {
			mustBeClose(t, a, want, 1e-11)
			return
		}
		mustBeSame(t, a.data, want.data, "spread elimination")
	})
}
