package stencil

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// indexed is the simplest form of Sweep: it computes the index of each number.
func indexed(to, from []float64, b Block, w Weights) {
	for z := range b.Layers() {
		for y := range b.Y {
			for x := range b.X {
				beside := (from[b.At(x-1, y, z)] + from[b.At(x+1, y, z)]) + (from[b.At(x, y-1, z)] + from[b.At(x, y+1, z)])
				if b.Z > 0 {
					beside += from[b.At(x, y, z-1)] + from[b.At(x, y, z+1)]
				}
				to[b.At(x, y, z)] = float64(w.Own*from[b.At(x, y, z)]) + float64(w.Beside*beside)
			}
		}
	}
}

// offsets is indexed with one index computed for each cell.
func offsets(to, from []float64, b Block, w Weights) {
	line, layer := b.Line(), b.Layer()
	for z := range b.Layers() {
		for y := range b.Y {
			for x := range b.X {
				at := b.At(x, y, z)
				beside := (from[at-1] + from[at+1]) + (from[at-line] + from[at+line])
				if b.Z > 0 {
					beside += from[at-layer] + from[at+layer]
				}
				to[at] = float64(w.Own*from[at]) + float64(w.Beside*beside)
			}
		}
	}
}

// random returns cells whose digits change with the order of additions.
func random(n int) []float64 {
	r, u := rand.New(rand.NewPCG(1, uint64(n))), make([]float64, n)
	for i := range u {
		u[i] = math.Ldexp(r.Float64()-0.5, r.IntN(40))
	}
	return u
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// use selects a kernel until the returned function is called.
func use(k kernel) (back func()) {
	was := inUse
	inUse = k
	return func() { inUse = was }
}

// All kernels agree with the plainest loop, to the last bit, and write no cell of the rim.
func TestKernelsAgree(t *testing.T) {
	w := Weights{Own: 1 - 6*0.137, Beside: 0.137}
	shapes := []Block{{X: 1, Y: 1}, {X: 1, Y: 1, Z: 1}, {X: 3, Y: 5000}, {X: 9000, Y: 3, Z: 2}, {X: 100, Y: 170, Z: 3}, {X: 5, Y: 2000, Z: 2}}
	for x := range 20 {
		shapes = append(shapes, Block{X: x + 1, Y: 3}, Block{X: x + 1, Y: 3, Z: 2})
	}
	for _, b := range shapes {
		from, want := random(b.Size()), make([]float64, b.Size())
		indexed(want, from, b, w)
		got := make([]float64, b.Size())
		if offsets(got, from, b, w); !sameBits(got, want) {
			t.Errorf("%+v: offsets differs", b)
		}
		for _, k := range kernels {
			back, got := use(k), make([]float64, b.Size())
			Sweep(got, from, b, w)
			back()
			if !sameBits(got, want) {
				t.Errorf("%+v: %s differs", b, k.name)
			}
		}
	}
}

func TestChange(t *testing.T) {
	for _, b := range []Block{{X: 5, Y: 4}, {X: 5, Y: 4, Z: 3}} {
		to, from := make([]float64, b.Size()), make([]float64, b.Size())
		for i := range to {
			to[i], from[i] = 100, -100 // the rim does not count
		}
		for z := range b.Layers() {
			for y := range b.Y {
				for x := range b.X {
					to[b.At(x, y, z)], from[b.At(x, y, z)] = 7, 7
				}
			}
		}
		if got := Change(to, from, b); got != 0 {
			t.Errorf("%+v: nothing changes by %g", b, got)
		}
		last := b.At(4, 3, b.Layers()-1)
		to[last], to[b.At(0, 0, 0)] = 4, 9
		if got := Change(to, from, b); got != 3 {
			t.Errorf("%+v: change %g, want 3", b, got)
		}
		to[b.At(1, 1, 0)] = math.NaN()
		if got := Change(to, from, b); !math.IsNaN(got) {
			t.Errorf("%+v: change %g, want what is no number", b, got)
		}
	}
}

// Offsets are all different, and within the block.
func TestPlaces(t *testing.T) {
	for _, b := range []Block{{X: 3, Y: 2}, {X: 2, Y: 3, Z: 4}} {
		seen, rim := make(map[int]bool), min(1, b.Z)
		for z := -rim; z < b.Layers()+rim; z++ {
			for y := -1; y <= b.Y; y++ {
				for x := -1; x <= b.X; x++ {
					at := b.At(x, y, z)
					if at < 0 || at >= b.Size() || seen[at] {
						t.Fatalf("%+v: cell %d,%d,%d is at %d of %d", b, x, y, z, at, b.Size())
					}
					seen[at] = true
					if gotX, gotY, gotZ := b.Cell(at); gotX != x || gotY != y || gotZ != z {
						t.Errorf("%+v: place %d has cell %d,%d,%d, want %d,%d,%d", b, at, gotX, gotY, gotZ, x, y, z)
					}
				}
			}
		}
		if len(seen) != b.Size() {
			t.Errorf("%+v: %d places of %d", b, len(seen), b.Size())
		}
	}
}
