package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// layerSum is the sums of a layer.
type layerSum struct {
	Cells, Mass, Along float64 // of fluid; Along adds up speeds along the channel
}

// cell returns the values of a cell: density, and velocity along and up the channel and
// across it.
func (p *parameters) cell(f []float64, size, at int) (density, u, v, w float64) {
	for q := range p.lattice.count() {
		x := f[q*size+at]
		density += x
		u += x * float64(p.lattice.along[q])
		v += x * float64(p.lattice.up[q])
		w += x * float64(p.lattice.across[q])
	}
	// The populations are those after the step; the velocity is the one in its middle.
	return density, (u - p.Force/2) / density, v / density, w / density
}

// sums adds up the process's layers, and finds the largest speed.
func (s *state) sums(p *parameters, g *geometry) (sums []layerSum, fastest float64) {
	f, start := s.F.Slice(), base(p.steps)*g.shape.layer()
	for _, runs := range g.runs {
		var sum layerSum
		for _, r := range runs {
			for i := range r.length {
				density, u, v, w := p.cell(f, g.shape.size(), r.at+start+i)
				sum.Cells++
				sum.Mass += density
				sum.Along += u
				fastest = numbers.Larger(fastest, math.Sqrt(u*u+v*v+w*w))
			}
		}
		sums = append(sums, sum)
	}
	return sums, fastest
}

// checksum mixes all populations with their positions in the channel.
func (s *state) checksum(b *bsplib.Proc, p *parameters, g *geometry) uint64 {
	f, start, sum := s.F.Slice(), base(p.steps)*g.shape.layer(), uint64(0)
	for q := range p.lattice.count() {
		for layer, runs := range g.runs {
			for _, r := range runs {
				place := uint64(q*p.height+g.first+layer)*uint64(g.shape.layer()) + uint64(r.at-(layer+1)*g.shape.layer())
				for i, x := range f[q*g.shape.size()+r.at+start:][:r.length] {
					sum += numbers.Mix(math.Float64bits(x) ^ numbers.Mix(place+uint64(i)))
				}
			}
		}
	}
	return bsplib.Sum(b, sum)
}

// between returns the speed of a layer of a channel without obstacles after a time, if the
// force began at time 0: the parabola less the part that is not yet reached.
func (p *parameters) between(h int, time float64) float64 {
	height, z := float64(p.height), float64(h)+0.5
	u := p.Force / (2 * p.viscosity) * z * (height - z)
	for n := 1.; ; n += 2 {
		k := n * math.Pi / height
		left := 4 * p.Force / (height * p.viscosity * k * k * k) * math.Exp(-k*k*p.viscosity*time)
		u -= left * math.Sin(k*z)
		if left < 1e-9*p.speed*time/(height*height) || n > 1e5 {
			return u
		}
	}
}
