package main

import "testing"

// Cells per second of the kernels alone: bytes stand for cells.
func BenchmarkCollide(b *testing.B) {
	for _, size := range []string{"400x100", "2000x500", "96x48x32"} {
		b.Run(size, func(b *testing.B) {
			p := channel(b, size, "none", 1)
			g, w := p.geometryOf(0, 1), p.room()
			f := make([][]float64, p.lattice.count())
			for q := range f {
				f[q] = make([]float64, g.shape.size())
				for i := range f[q] {
					f[q][i] = p.atRest(q, 0.05)
				}
			}
			b.SetBytes(int64(p.length * p.height * max(1, p.breadth)))
			for b.Loop() {
				for layer := range g.shape.layers {
					g.collide(p, w, f, layer, base(0)*g.shape.layer(), base(1)*g.shape.layer())
				}
			}
		})
	}
}
