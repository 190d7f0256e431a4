//go:build mpi && cgo

package mpi

import (
	"math/rand/v2"
	"testing"
)

// TestExtents allocates, extends and frees at random, and checks after every
// step that each byte is in one part only and that clean parts are clean.
func TestExtents(t *testing.T) {
	const size = 64 << 20
	const unit = coalesceBelow / 4
	rng := rand.New(rand.NewPCG(1, 2))
	e := newExtents(0, size)
	dirt := make([]bool, size/unit) // units allocated once and not cleaned since
	var live []int
	for step := range 20000 {
		switch k := rng.IntN(10); {
		case k < 5:
			at, clean, ok := e.take((1 + rng.IntN(20)) * unit)
			if !ok {
				break
			}
			for u := at / unit; u < (at+e.used[at])/unit; u++ {
				if clean && dirt[u] {
					t.Fatalf("step %d: dirty memory at unit %d given as clean", step, u)
				}
				dirt[u] = true
			}
			live = append(live, at)
		case len(live) == 0:
		case k < 6:
			at := live[rng.IntN(len(live))]
			if e.extend(at, e.used[at]+2*unit) {
				for u := at / unit; u < (at+e.used[at])/unit; u++ {
					dirt[u] = true
				}
			}
		default:
			i := rng.IntN(len(live))
			f := e.give(live[i])
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			if !f.clean && rng.IntN(3) == 0 {
				e.cleaned(f)
				for u := f.at / unit; u < (f.at+f.n)/unit; u++ {
					dirt[u] = false
				}
			}
		}
		checkExtents(t, e, size)
	}
}

func checkExtents(t *testing.T, e *extents, size int) {
	t.Helper()
	total, dirty, last := 0, 0, -1
	for _, f := range e.free {
		if f.n <= 0 || f.at <= last {
			t.Fatalf("free parts are out of order: %v", e.free)
		}
		last = f.at
		total += f.n
		dirty += f.n - cleanBytes(f)
		if n, twice := e.used[f.at]; twice {
			t.Fatalf("part at %d is free and in use with %d bytes", f.at, n)
		}
	}
	for _, n := range e.used {
		total += n
	}
	if total != size || dirty != e.dirty {
		t.Fatalf("parts have %d bytes in all, want %d; %d are dirty, account says %d", total, size, dirty, e.dirty)
	}
}
