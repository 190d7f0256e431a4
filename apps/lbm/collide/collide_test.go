package collide

import (
	"math"
	"testing"
)

// Populations in equilibrium are unchanged without a force; a force adds its momentum.
func TestEquilibriumStays(t *testing.T) {
	weight, along := []float64{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}, []int{0, 1, -1, 0, 0, 1, -1, 1, -1}
	const cells, density, u = piece + 7, 1.1, 0.05
	in, out := make([][]float64, len(weight)), make([][]float64, len(weight))
	for q := range in {
		in[q], out[q] = make([]float64, cells), make([]float64, cells)
		e := float64(along[q])
		for i := range in[q] {
			in[q][i] = weight[q] * density * (1 + 3*e*u + 4.5*e*e*u*u - 1.5*u*u)
		}
	}
	for _, force := range []float64{0, 1e-3} {
		Of(weight, along, Relax(0.1, force)).Cells(out, in, new(Moments))
		for i := range cells {
			mass, momentum, far := 0., 0., 0.
			for q := range out {
				mass += out[q][i]
				momentum += float64(along[q]) * out[q][i]
				far = max(far, math.Abs(out[q][i]-in[q][i]))
			}
			if math.Abs(mass-density) > 1e-15 || math.Abs(momentum-density*u-force) > 1e-15 || force == 0 && far > 1e-15 {
				t.Fatalf("force %g: cell %d has mass %g and momentum %g, and is %g off equilibrium", force, i, mass, momentum, far)
			}
		}
	}
}
