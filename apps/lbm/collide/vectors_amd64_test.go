//go:build !purego && !noasm

package collide

import (
	"math"
	"math/rand/v2"
	"testing"
)

// some returns populations of cells near equilibrium, by velocity.
func some(weight []float64, cells int) [][]float64 {
	r := rand.New(rand.NewPCG(1, uint64(cells)))
	f := make([][]float64, len(weight))
	for q := range f {
		f[q] = make([]float64, cells)
		for i := range f[q] {
			f[q][i] = weight[q] * (0.8 + 0.4*r.Float64())
		}
	}
	return f
}

// Vector instructions agree with Go, to the last bit, for any number of cells, and do not write past
// the end.
func TestKernelsAgree(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor has no AVX2")
	}
	defer func() { hasVectors = true }()
	for _, l := range []struct {
		weight []float64
		along  []int
	}{
		{[]float64{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}, []int{0, 1, -1, 0, 0, 1, -1, 1, -1}},
		{
			[]float64{1. / 3, .1, .1, .05, .05, .04, .04, .03, .03, .03, .03, .02, .02, .02, .02, .01, .01, .01, .01},
			[]int{0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0},
		},
	} {
		c := Of(l.weight, l.along, Relax(0.02, 1e-3))
		var m Moments
		for cells := range 2*piece + 2*lanes {
			in := some(l.weight, cells)
			run := func(vectors bool) [][]float64 {
				hasVectors = vectors
				behind, out := some(l.weight, cells+1), make([][]float64, len(in))
				for q := range out {
					out[q] = behind[q][:cells]
				}
				c.Cells(out, in, &m)
				return behind
			}
			want, got, before := run(false), run(true), some(l.weight, cells+1)
			for q := range want {
				for i, x := range want[q] {
					if math.Float64bits(got[q][i]) != math.Float64bits(x) {
						t.Fatalf("%d cells, %d velocities: number %d of cell %d is %v, want %v", cells, len(in), q, i, got[q][i], x)
					}
				}
				if got[q][cells] != before[q][cells] {
					t.Fatalf("%d cells: velocity %d is written behind them", cells, q)
				}
				if q > 0 && cells > 0 && got[q][0] == before[q][0] {
					t.Fatalf("%d cells: velocity %d is not written", cells, q)
				}
			}
		}
	}
}
