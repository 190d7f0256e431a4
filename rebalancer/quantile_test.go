package rebalancer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The next of several errors from one distribution, of any shape, is within the quantile of the last
// errors at the claimed rate.
func TestQuantileCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"even": random.Float64, "exponential": random.ExpFloat64, "rare": func() float64 { return math.Exp(3 * random.NormFloat64()) },
	} {
		for _, n := range []int{4, 9, 16} {
			const rounds = 4000
			within := 0
			for range rounds {
				errors := make([]float32, n)
				for i := range errors {
					errors[i] = float32(draw() * float64(1-2*random.IntN(2)))
				}
				if draw() <= quantile(errors, 0.8) {
					within++
				}
			}
			if part := float64(within) / rounds; part < 0.78 || part > 0.8+1.5/float64(n) {
				t.Errorf("%s, %d errors: %.3g of the next are within, want 0.8 or a little more", name, n, part)
			}
		}
	}
	if q := quantile([]float32{1, 1, 1}, 0.8); !math.IsInf(q, 1) {
		t.Errorf("three errors say %g of four in five", q)
	}
}
