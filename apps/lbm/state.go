package main

import (
	"time"

	"github.com/migbsp/migbsp/apps/lbm/collide"
	"github.com/migbsp/migbsp/bsplib"
)

// state is a process's part of the channel: some layers, from wall to wall.
type state struct {
	F      bsplib.Area[float64] // populations, see shape
	Began  time.Duration
	Frames [][]byte // of the film, on process 0
}

// setUp fills the channel with fluid at its initial speed, in equilibrium.
func (s *state) setUp(b *bsplib.Proc, p *parameters) {
	d := p.shapeOf(b.Pid(), b.NProcs())
	first, _ := p.layersOf(b.Pid(), b.NProcs())
	s.F = bsplib.Alloc[float64](b, p.lattice.count()*d.size())
	for q := range p.lattice.count() {
		all := s.F.Slice()[q*d.size() : (q+1)*d.size()]
		for layer := -1; layer <= d.layers; layer++ {
			at := (layer + 1 + base(0)) * d.layer()
			f := p.atRest(q, p.initial(first+layer))
			for i := range all[at : at+d.layer()] {
				all[at+i] = f
			}
		}
	}
}

// initial returns the initial speed of a layer. With obstacles it is the speed in a channel without
// them, so that the flow forms sooner.
func (p *parameters) initial(h int) float64 {
	if p.obstacle == nil || h < 0 || h >= p.height {
		return 0
	}
	z := (float64(h) + 0.5) / float64(p.height)
	return 4 * p.speed * z * (1 - z)
}

// atRest is a population of fluid of density 1 that moves along the channel, in
// equilibrium.
func (p *parameters) atRest(q int, u float64) float64 {
	c := float64(p.lattice.along[q])
	return p.lattice.weight[q] * (1 + float64(3*c*u) + float64(4.5*c*c*u*u) - float64(1.5*u*u))
}

// flow runs all steps, a stage for each. Frames of the film are taken aside: their time
// does not predict the next step's.
func (s *state) flow(b *bsplib.Proc, p *parameters) {
	g, w := p.geometryOf(b.Pid(), b.NProcs()), p.room()
	b.Load(g.fluid())
	for k := range b.Stages(p.steps) {
		if p.isFrame(k) {
			b.Runtime().Aside(func() { s.takeFrame(b, p, g, k) })
		}
		s.step(b, p, g, w, k)
	}
}

// step computes the collision and the movement of populations, and sends the neighbours their part.
func (s *state) step(b *bsplib.Proc, p *parameters, g *geometry, w *room, k int) {
	f := make([][]float64, p.lattice.count())
	for q := range f {
		f[q] = s.F.Slice()[q*g.shape.size() : (q+1)*g.shape.size()]
	}
	before, after := base(k)*g.shape.layer(), base(k+1)*g.shape.layer()
	for q, links := range g.links {
		to, from := f[q][before:], f[opposite(q)][before:]
		for _, l := range links {
			to[l.wall] = from[l.cell]
		}
	}
	for i := range g.shape.layers {
		layer := i
		if after > before {
			layer = g.shape.layers - 1 - i
		}
		g.collide(p, w, f, layer, before, after)
		g.join(f, layer, after)
	}
	s.give(b, p, g, f, k+1)
}

// room is a process's memory to compute a layer. It is not part of the state: each rank has
// its own.
type room struct {
	out, in [][]float64
	moments collide.Moments
}

func (p *parameters) room() *room {
	q := p.lattice.count()
	return &room{out: make([][]float64, q), in: make([][]float64, q)}
}

// collide computes a layer.
func (g *geometry) collide(p *parameters, w *room, f [][]float64, layer, before, after int) {
	for _, r := range g.runs[layer] {
		to := r.at + after
		for q, all := range f {
			from := r.at + before - g.offsets[q]
			w.in[q], w.out[q] = all[from:from+r.length], all[to:to+r.length]
		}
		p.collision.Cells(w.out, w.in, &w.moments)
	}
}

// join fills the rim of a layer: the ends of the channel are joined.
func (g *geometry) join(f [][]float64, layer, after int) {
	for q := 1; q < len(f); q++ {
		all := f[q][g.shape.at(-1, layer, -1)+after:]
		if g.shape.breadth == 0 {
			all = f[q][g.shape.at(-1, layer, 0)+after:]
		}
		all = all[:g.shape.layer()]
		for from := 0; from < len(all); from += g.shape.line() {
			line := all[from : from+g.shape.line()]
			line[0], line[g.shape.length+1] = line[g.shape.length], line[1]
		}
		if g.shape.breadth > 0 {
			copy(all[:g.shape.line()], all[g.shape.breadth*g.shape.line():])
			copy(all[(g.shape.breadth+1)*g.shape.line():], all[g.shape.line():2*g.shape.line()])
		}
	}
}

// give sends the populations that leave this process's layers to the neighbours' rims.
func (s *state) give(b *bsplib.Proc, p *parameters, g *geometry, f [][]float64, steps int) {
	start := base(steps)
	for _, q := range p.lattice.rising {
		if to := b.Pid() + 1; to < b.NProcs() {
			top := (start + g.shape.layers) * g.shape.layer()
			s.F.Put(to, q*p.shapeOf(to, b.NProcs()).size()+start*g.shape.layer(), f[q][top:top+g.shape.layer()]...)
		}
		if to := b.Pid() - 1; to >= 0 {
			d, q := p.shapeOf(to, b.NProcs()), opposite(q)
			bottom := (start + 1) * g.shape.layer()
			s.F.Put(to, q*d.size()+(start+d.layers+1)*g.shape.layer(), f[q][bottom:bottom+g.shape.layer()]...)
		}
	}
}
