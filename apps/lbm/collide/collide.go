// Package collide has the populations of lattice Boltzmann cells meet, in two dimensions
// (D2Q9) and in three (D3Q19), with two rates of relaxation.
package collide

// Collision is the collision in the cells of a lattice. Processes may share it.
type Collision struct {
	half  float64 // half of the force: this part acts before populations collide
	find  func(m *Moments, in [][]float64, from, to int, half float64)
	pairs []pair
}

// pair is two opposite velocities, and their rates of relaxation. The first velocity, which
// does not move, is its own opposite.
type pair struct {
	a, b int
	rates
}

// rates are the relaxation rates of a pair, for the parts that are equal in both velocities and for
// the rest: of the populations, of their equilibrium, and of the force.
type rates struct{ halfEven, halfOdd, even, odd, source float64 }

// Of returns the collision operator of a lattice: velocities with the given weights, which move along
// the channel, in the direction of the force, by 1, 0 or -1. They are the velocities of D2Q9 or
// D3Q19: the resting velocity, then pairs whose first velocities go along, up and across; along and
// up, and along and down; along and across, and along and back; up and across, and up and back. In
// two dimensions none goes across.
func Of(weight []float64, along []int, r Relaxation) *Collision {
	c := &Collision{half: r.Force / 2, find: find9}
	if len(weight) == 19 {
		c.find = find19
	}
	for a := 0; a < len(weight); a += 2 {
		p := pair{a - 1, a, rates{r.Even / 2, r.Odd / 2, r.Even * weight[a], 3 * r.Odd * weight[a], 0}}
		p.a = max(p.a, 0)
		p.source = r.source(weight[a]) * float64(along[p.a])
		c.pairs = append(c.pairs, p)
	}
	return c
}

// piece is the number of cells processed together. All data of a piece fits into the L1 cache,
// because the computation passes over it several times.
const piece = 64

// Moments is the moments of a piece of cells, and memory to compute them.
type Moments struct {
	density [piece]float64
	still   [piece]float64     // equilibrium part of the density, for velocity 0
	speed   [10][piece]float64 // of the fluid, by pair of velocities: in the direction of the first
}

// Cells computes the collision of the populations of consecutive cells: in contains the incoming
// populations, by velocity, and out the outgoing ones. All have the same length, and none of out
// shares memory with one of in.
func (c *Collision) Cells(out, in [][]float64, m *Moments) {
	n := len(in[0])
	for q := range in {
		_, _ = in[q][:n], out[q][:n] // vectors rely on that
	}
	for from := 0; from < n; from += piece {
		to := min(from+piece, n)
		c.generic(out, in, m, c.vectors(out, in, m, from, to), to)
	}
}

// generic does some of the cells of a piece.
func (c *Collision) generic(out, in [][]float64, m *Moments, from, to int) {
	if from == to {
		return
	}
	c.find(m, in, from, to, c.half)
	for k := range c.pairs {
		p := &c.pairs[k]
		m.relax(out[p.a][from:to], out[p.b][from:to], in[p.a][from:to], in[p.b][from:to], &m.speed[k], &p.rates)
	}
}

// Cells relax with two rates (Ginzburg, Verhaeghe, d'Humieres, Two-relaxation-time lattice
// Boltzmann scheme, 2008): the part that is equal in opposite velocities with a rate that
// gives the viscosity, the rest with another one, such that walls are exactly between
// cells.

// Relaxation is the relaxation rates, and the force along the channel.
type Relaxation struct {
	Even, Odd float64
	Force     float64
}

// magic makes the profile between two walls exact.
const magic = 3. / 16

// Relax makes the rates for a viscosity.
func Relax(viscosity, force float64) Relaxation {
	even := float64(3*viscosity) + 0.5
	odd := magic/(even-0.5) + 0.5
	return Relaxation{Even: 1 / even, Odd: 1 / odd, Force: force}
}

// source returns the force's part of the velocities of a weight, per cell along the
// channel.
func (r Relaxation) source(weight float64) float64 { return (1 - r.Odd/2) * 3 * weight * r.Force }
