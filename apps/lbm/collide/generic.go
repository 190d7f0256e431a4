package collide

// The kernels round each product before it is added, so that results have the same bits
// on processors that could do both at once, and in vector instructions.

// find9 computes the moments of populations of D2Q9.
func find9(m *Moments, f [][]float64, from, to int, half float64) {
	n := to - from
	f0, f1, f2, f3, f4 := f[0][from:to], f[1][from:to], f[2][from:to], f[3][from:to], f[4][from:to]
	f5, f6, f7, f8 := f[5][from:to], f[6][from:to], f[7][from:to], f[8][from:to]
	density, still, u, v := m.density[:n], m.still[:n], m.speed[1][:n], m.speed[2][:n]
	plus, minus := m.speed[3][:n], m.speed[4][:n]
	for i, all := range f0[:n] {
		x, y := half, 0.
		a, b := f1[i], f2[i]
		all, x = all+(a+b), x+(a-b)
		a, b = f3[i], f4[i]
		all, y = all+(a+b), y+(a-b)
		a, b = f5[i], f6[i]
		all, x, y = all+(a+b), x+(a-b), y+(a-b)
		a, b = f7[i], f8[i]
		all, x, y = all+(a+b), x+(a-b), y-(a-b)
		part := 1 / all
		x, y = float64(x*part), float64(y*part)
		density[i], still[i] = all, 1-float64(1.5*(float64(x*x)+float64(y*y)))
		u[i], v[i], plus[i], minus[i] = x, y, x+y, x-y
	}
}

// find19 is find9 for D3Q19.
func find19(m *Moments, f [][]float64, from, to int, half float64) {
	n := to - from
	f0, f1, f2, f3, f4 := f[0][from:to], f[1][from:to], f[2][from:to], f[3][from:to], f[4][from:to]
	f5, f6, f7, f8, f9 := f[5][from:to], f[6][from:to], f[7][from:to], f[8][from:to], f[9][from:to]
	f10, f11, f12, f13, f14 := f[10][from:to], f[11][from:to], f[12][from:to], f[13][from:to], f[14][from:to]
	f15, f16, f17, f18 := f[15][from:to], f[16][from:to], f[17][from:to], f[18][from:to]
	density, u, v, w := m.density[:n], m.speed[1][:n], m.speed[2][:n], m.speed[3][:n]
	for i, all := range f0[:n] {
		x, y, z := half, 0., 0.
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
		density[i], u[i], v[i], w[i] = all, x, y, z
	}
	m.divide(n)
}

// divide makes speeds of momenta, for D3Q19.
func (m *Moments) divide(n int) {
	density, still := m.density[:n], m.still[:n]
	u, v, w := m.speed[1][:n], m.speed[2][:n], m.speed[3][:n]
	s4, s5, s6, s7, s8, s9 := m.speed[4][:n], m.speed[5][:n], m.speed[6][:n], m.speed[7][:n], m.speed[8][:n], m.speed[9][:n]
	for i, d := range density {
		part := 1 / d
		x, y, z := float64(u[i]*part), float64(v[i]*part), float64(w[i]*part)
		still[i] = 1 - float64(1.5*(float64(x*x)+float64(y*y)+float64(z*z)))
		u[i], v[i], w[i] = x, y, z
		s4[i], s5[i], s6[i], s7[i], s8[i], s9[i] = x+y, x-y, x+z, x-z, y+z, y-z
	}
}

// relax relaxes two opposite velocities; speed is the fluid's in their direction.
func (m *Moments) relax(outA, outB, inA, inB []float64, speed *[piece]float64, r *rates) {
	n := len(inA)
	outA, outB, inB = outA[:n], outB[:n], inB[:n]
	density, still, along, c := m.density[:n], m.still[:n], speed[:n], *r
	for i, a := range inA {
		b, d, x := inB[i], density[i], along[i]
		even := float64(c.halfEven*(a+b)) - float64(c.even*d*(still[i]+float64(4.5*x*x)))
		odd := float64(c.halfOdd*(a-b)) - float64(c.odd*d*x) - c.source
		outA[i], outB[i] = a-even-odd, b-even+odd
	}
}
