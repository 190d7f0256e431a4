//go:build !purego && !noasm

package match

import (
	"slices"
	"testing"
)

func onEachKernel(t *testing.T, name string, f func(t *testing.T)) {
	was := vectors
	defer func() { vectors = was }()
	for _, on := range []bool{false, true} {
		if vectors = on && was; vectors == on {
			t.Run(name+"/"+Kernel(), f)
		}
	}
}

// The vector kernel and the Go kernel agree on each block, domain and isometry.
func TestScreensAgree(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2")
	}
	for _, side := range []int{2, 4, 8, 16, 32} {
		r, _, sums := some(side, 71, 9)
		s, n := r.Search(), side*side
		d := newDomains(n, 0, sums)
		want, got := make([]uint32, len(s.limits)), make([]uint32, len(s.limits))
		differs := false
		for _, slope := range []float32{0, 0.5, 2, 8, nothing} {
			for i := range s.limits {
				s.limits[i] = limit{slope: slope, floor: float32(i)}
			}
			for group := 0; group < d.count; group += lanes {
				roots := (*[lanes]float32)(d.root[group:])
				screenGeneric(n, d.group(group), roots, s.blocks, s.limits, want)
				screen(n, d.group(group), roots, s.blocks, s.limits, got)
				if !slices.Equal(got, want) {
					t.Errorf("side %d, slope %g: %x, want %x", side, slope, got, want)
				}
				differs = differs || slices.Max(want) > slices.Min(want)
			}
		}
		if !differs {
			t.Errorf("side %d: all blocks are alike", side)
		}
	}
}
