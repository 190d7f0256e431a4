package numbers

import (
	"math"
	"math/bits"
	"testing"
)

// The values equal the published generator splitmix64 with seed 0.
func TestMix(t *testing.T) {
	for step, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Mix(uint64(step) * 0x9e3779b97f4a7c15); got != want {
			t.Errorf("step %d: %x, want %x", step, got, want)
		}
	}
}

func TestMixChangesAboutHalfTheBits(t *testing.T) {
	for bit := range 64 {
		changed := 0
		for x := range uint64(64) {
			changed += bits.OnesCount64(Mix(x) ^ Mix(x^1<<bit))
		}
		if mean := float64(changed) / 64; mean < 28 || mean > 36 {
			t.Errorf("bit %d changes %g bits", bit, mean)
		}
	}
}

func TestLarger(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{{1, 2, 2}, {2, 1, 2}, {-1, -2, -1}, {nan, 1, nan}, {1, nan, nan}, {math.Inf(1), nan, nan}} {
		if got := Larger(c[0], c[1]); got != c[2] && !(math.IsNaN(got) && math.IsNaN(c[2])) {
			t.Errorf("Larger(%g, %g) = %g", c[0], c[1], got)
		}
	}
}
