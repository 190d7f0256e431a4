// Package collide has the populations of lattice Boltzmann cells meet, in two dimensions
// (D2Q9) and in three (D3Q19), with two rates of relaxation.
package collide

// Collision is what happens in the cells of a lattice. Processes may share it.
type Collision struct {
	half  float64 // of the force: so much of it acts before populations meet
	find  func(m *Moments, in [][]float64, from, to int, half float64)
	pairs []pair
}

// pair are two opposite velocities, and what they relax with. The first velocity, which
// does not move, is its own opposite.
type pair struct {
	a, b int
	rates
}

// rates are those of a pair: of what is equal in both velocities and of what is not,
// where they are and in equilibrium, and what the force gives.
type rates struct{ halfEven, halfOdd, even, odd, source float64 }

// Of makes the collision of a lattice: velocities of these weights, which go along the
// channel, where the force acts, by 1, 0 or -1. Those are the velocities of D2Q9 or
// D3Q19: after the one that does not move come pairs, of which the first goes along,
// up and across; along and up, and along and down; along and across, and along and back;
// up and across, and up and back. In two dimensions nothing goes across.
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

// piece is how many cells go together: so few that all of a piece fits into the nearest
// cache, for it is gone over several times.
const piece = 64

// Moments are those of a piece of cells, and room to compute them.
type Moments struct {
	density [piece]float64
	still   [piece]float64     // how much of the density is in equilibrium where nothing moves
	speed   [10][piece]float64 // of the fluid, by pair of velocities: in the direction of the first
}

// Cells has the populations of cells next to each other meet: in are those that come in,
// by velocity, out those that go on. All have the same length, and none of out shares
// memory with one of in.
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
