package main

// collide19 is collide9 for D3Q19. It goes over the cells in short pieces, several times
// each: first for density and velocity, then for each pair of opposite velocities, so that
// what it needs at a time fits into registers, and all of a piece into the nearest cache.
func (r *relaxation) collide19(out, in *[19][]float64, m *moments) {
	for from, n := 0, len(in[0]); from < n; from += piece {
		to := min(from+piece, n)
		var i, o [19][]float64
		for q := range i {
			i[q], o[q] = in[q][from:to], out[q][from:to]
		}
		m.find(&i, r.force/2)
		m.rest(o[0], i[0], r.even)
		axis := r.ratesOf(1. / 18)
		m.straight(o[1], o[2], i[1], i[2], m.u[:], axis, r.source(1./18))
		m.straight(o[3], o[4], i[3], i[4], m.v[:], axis, 0)
		m.straight(o[5], o[6], i[5], i[6], m.w[:], axis, 0)
		slant, source := r.ratesOf(1./36), r.source(1./36)
		m.slanting(o[7], o[8], i[7], i[8], m.u[:], m.v[:], 1, slant, source)
		m.slanting(o[9], o[10], i[9], i[10], m.u[:], m.v[:], -1, slant, source)
		m.slanting(o[11], o[12], i[11], i[12], m.u[:], m.w[:], 1, slant, source)
		m.slanting(o[13], o[14], i[13], i[14], m.u[:], m.w[:], -1, slant, source)
		m.slanting(o[15], o[16], i[15], i[16], m.v[:], m.w[:], 1, slant, 0)
		m.slanting(o[17], o[18], i[17], i[18], m.v[:], m.w[:], -1, slant, 0)
	}
}

// piece is how many cells go together.
const piece = 64

// moments are those of a piece of cells; still is how much of the density is in
// equilibrium where nothing moves.
type moments struct{ density, u, v, w, still [piece]float64 }

// rates are what velocities of a weight relax with.
type rates struct{ halfEven, halfOdd, even, odd float64 }

func (r *relaxation) ratesOf(weight float64) rates {
	return rates{r.even / 2, r.odd / 2, r.even * weight, 3 * r.odd * weight}
}

// find computes the moments of populations; half of the force counts.
func (m *moments) find(f *[19][]float64, half float64) {
	n := len(f[0])
	f0, f1, f2, f3, f4 := f[0][:n], f[1][:n], f[2][:n], f[3][:n], f[4][:n]
	f5, f6, f7, f8, f9 := f[5][:n], f[6][:n], f[7][:n], f[8][:n], f[9][:n]
	f10, f11, f12, f13, f14 := f[10][:n], f[11][:n], f[12][:n], f[13][:n], f[14][:n]
	f15, f16, f17, f18 := f[15][:n], f[16][:n], f[17][:n], f[18][:n]
	density, u, v, w, still := m.density[:n], m.u[:n], m.v[:n], m.w[:n], m.still[:n]
	for i := range n {
		all, x, y, z := f0[i], half, 0., 0.
		a, b := f1[i], f2[i]
		all, x = all+(a+b), x+(a-b)
		a, b = f3[i], f4[i]
		all, y = all+(a+b), y+(a-b)
		a, b = f5[i], f6[i]
		all, z = all+(a+b), z+(a-b)
		a, b = f7[i], f8[i]
		all, x, y = all+(a+b), x+(a-b), y+(a-b)
		a, b = f9[i], f10[i]
		all, x, y = all+(a+b), x+(a-b), y-(a-b)
		a, b = f11[i], f12[i]
		all, x, z = all+(a+b), x+(a-b), z+(a-b)
		a, b = f13[i], f14[i]
		all, x, z = all+(a+b), x+(a-b), z-(a-b)
		a, b = f15[i], f16[i]
		all, y, z = all+(a+b), y+(a-b), z+(a-b)
		a, b = f17[i], f18[i]
		all, y, z = all+(a+b), y+(a-b), z-(a-b)
		part := 1 / all
		x, y, z = x*part, y*part, z*part
		density[i], u[i], v[i], w[i] = all, x, y, z
		still[i] = 1 - 1.5*(x*x+y*y+z*z)
	}
}

// rest relaxes those that do not move.
func (m *moments) rest(out, in []float64, even float64) {
	n := len(in)
	out, density, still := out[:n], m.density[:n], m.still[:n]
	for i := range n {
		out[i] = in[i] - even*in[i] + even*density[i]*(1./3)*still[i]
	}
}

// straight relaxes two opposite velocities along an axis, in which the fluid has a speed.
func (m *moments) straight(outA, outB, inA, inB, speed []float64, c rates, source float64) {
	n := len(inA)
	outA, outB, inB, speed = outA[:n], outB[:n], inB[:n], speed[:n]
	density, still := m.density[:n], m.still[:n]
	for i := range n {
		a, b, d, x := inA[i], inB[i], density[i], speed[i]
		p := c.halfEven*(a+b) - c.even*d*(still[i]+4.5*x*x)
		q := c.halfOdd*(a-b) - c.odd*d*x - source
		outA[i], outB[i] = a-p-q, b-p+q
	}
}

// slanting relaxes two opposite velocities between two axes, in which the fluid has speeds
// u and v; the velocities go along the second with a sign.
func (m *moments) slanting(outA, outB, inA, inB, u, v []float64, sign float64, c rates, source float64) {
	n := len(inA)
	outA, outB, inB, u, v = outA[:n], outB[:n], inB[:n], u[:n], v[:n]
	density, still := m.density[:n], m.still[:n]
	for i := range n {
		a, b, d, x := inA[i], inB[i], density[i], u[i]+sign*v[i]
		p := c.halfEven*(a+b) - c.even*d*(still[i]+4.5*x*x)
		q := c.halfOdd*(a-b) - c.odd*d*x - source
		outA[i], outB[i] = a-p-q, b-p+q
	}
}
