package svg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Axes have few ticks, all within, and the values they were made for too.
func TestAxes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		low := -math.Pow(10, float64(random.IntN(12)-9)) * float64(random.IntN(2))
		high := math.Pow(10, 12*random.Float64()-9)
		axes := []Axis{Linear(low, high, 100, 0), Logarithmic(high/math.Pow(10, 6*random.Float64()), high, 100, 0)}
		for _, a := range axes {
			ticks := a.Ticks()
			if len(ticks) < 2 || len(ticks) > 8 {
				t.Fatalf("%+v has the ticks %v", a, ticks)
			}
			for _, x := range append(ticks, high) {
				if y := a.At(x); y < -1e-6 || y > 100+1e-6 || a.High < high*(1-1e-9) {
					t.Fatalf("%+v: %g is at %g", a, x, y)
				}
			}
		}
	}
}
