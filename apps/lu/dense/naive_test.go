package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// matrix is a row-major matrix in storage that is larger than needed: guard elements surround every row.
type matrix struct {
	rows, cols, stride int
	data               []float64
}

const guard = 1234.5

// newMatrix returns a matrix of random elements in [-1, 1) whose rows have extra guards behind them.
func newMatrix(r *rand.Rand, rows, cols, extra int) matrix {
	m := matrix{rows, cols, cols + extra, make([]float64, rows*(cols+extra)+extra)}
	for i := range m.data {
		m.data[i] = guard
	}
	for i := range rows {
		for j := range cols {
			m.data[i*m.stride+j] = 2*r.Float64() - 1
		}
	}
	return m
}

func (m matrix) at(i, j int) float64 { return m.data[i*m.stride+j] }

func (m matrix) clone() matrix {
	m.data = append([]float64(nil), m.data...)
	return m
}

// sameBits returns an error for the first element in which two slices differ. NaNs are equal to each
// other.
func sameBits(got, want []float64) error {
	for i := range want {
		if math.IsNaN(got[i]) && math.IsNaN(want[i]) {
			continue
		}
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return fmt.Errorf("element %d: got %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

func mustBeSame(t *testing.T, got, want []float64, format string, args ...any) {
	t.Helper()
	if err := sameBits(got, want); err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
}

// spoil puts NaN, infinities, zeros of both signs and denormals at random positions of the matrix.
func (m matrix) spoil(r *rand.Rand) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -1e-310, math.MaxFloat64}
	for range 1 + m.rows*m.cols/20 {
		m.data[r.IntN(m.rows)*m.stride+r.IntN(m.cols)] = values[r.IntN(len(values))]
	}
}

// The contract as the package comment states it, element by element.

func naiveGemm(a, b, c matrix) {
	for i := range c.rows {
		for j := range c.cols {
			v := c.at(i, j)
			for k := range a.cols {
				v = math.FMA(-a.at(i, k), b.at(k, j), v)
			}
			c.data[i*c.stride+j] = v
		}
	}
}

func naiveTrsm(l, b matrix) {
	for j := range b.cols {
		for i := range b.rows {
			v := b.at(i, j)
			for k := range i {
				v = math.FMA(-l.at(i, k), b.at(k, j), v)
			}
			b.data[i*b.stride+j] = v
		}
	}
}

// naiveGetrf is the textbook's unblocked elimination of all columns.
func naiveGetrf(a matrix, pivots []int) bool {
	regular := true
	for k := range a.cols {
		p := k
		for i := k; i < a.rows; i++ {
			if math.Abs(a.at(i, k)) > math.Abs(a.at(p, k)) {
				p = i
			}
		}
		pivots[k] = p
		for j := range a.cols {
			x, y := &a.data[k*a.stride+j], &a.data[p*a.stride+j]
			*x, *y = *y, *x
		}
		if a.at(k, k) == 0 {
			regular = false
			continue
		}
		for i := k + 1; i < a.rows; i++ {
			l := a.at(i, k) / a.at(k, k)
			a.data[i*a.stride+k] = l
			for j := k + 1; j < a.cols; j++ {
				a.data[i*a.stride+j] = math.FMA(-l, a.at(k, j), a.at(i, j))
			}
		}
	}
	return regular
}
