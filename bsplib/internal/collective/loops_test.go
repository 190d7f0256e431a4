package collective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Assembly loops yield the same bits as Go's operators, also for NaN, signed zeros and infinities.
func TestVectorLoops(t *testing.T) {
	if !hasVectorLoops {
		t.Skip("there are none on this processor")
	}
	g := rand.New(rand.NewPCG(16, 1))
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0x7ff8000000000abc), 1, -1, 5e-324}
	number := func() float64 {
		if g.IntN(2) == 0 {
			return odd[g.IntN(len(odd))]
		}
		return g.NormFloat64()
	}
	const n = 1003
	x, y := make([]float64, n), make([]float64, n)
	short, brief := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = number(), number()
		short[i], brief[i] = float32(x[i]), float32(y[i])
	}
	sameBits(t, x, y, func(v float64) uint64 { return math.Float64bits(v) })
	sameBits(t, short, brief, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
}

func sameBits[F float32 | float64](t *testing.T, x, y []F, bits func(F) uint64) {
	for l, plain := range map[loop]func(a, b F) F{
		adding[F]{}:  func(a, b F) F { return a + b },
		lesser[F]{}:  func(a, b F) F { return min(a, b) },
		greater[F]{}: func(a, b F) F { return max(a, b) },
	} {
		o := byLoop[F](l)
		if l.vector(memory.At(make([]F, len(x))), memory.At(x), memory.At(y), loopStep) == 0 {
			t.Errorf("operation %T on %d bytes has no loop", l, memory.Size[F]())
		}
		for _, inPlace := range []bool{false, true} {
			to, a := make([]F, len(x)), x
			if inPlace {
				to = slices.Clone(x)
				a = to
			}
			o.apply(to, a, y)
			for i := range to {
				want := plain(x[i], y[i])
				if bits(to[i]) != bits(want) && !(l == adding[F]{} && want != want && to[i] != to[i]) {
					t.Errorf("operation %T of %x and %x: %x, want %x", l, bits(x[i]), bits(y[i]), bits(to[i]), bits(want))
				}
			}
		}
	}
}
