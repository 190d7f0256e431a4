package main

// Cells relax with two rates (Ginzburg, Verhaeghe, d'Humieres, Two-relaxation-time lattice
// Boltzmann scheme, 2008): what is equal in opposite velocities with one that gives the
// viscosity, what is not with another, such that walls are exactly between cells.

// relaxation are the rates, and the force along the channel.
type relaxation struct {
	even, odd float64
	force     float64
}

// magic is what makes the profile between two walls exact.
const magic = 3. / 16

// relax makes the rates for a viscosity.
func relax(viscosity, force float64) relaxation {
	even := 3*viscosity + 0.5
	odd := magic/(even-0.5) + 0.5
	return relaxation{even: 1 / even, odd: 1 / odd, force: force}
}

// source is what the force gives to the velocities of a weight, per cell along the channel.
func (r relaxation) source(weight float64) float64 { return (1 - r.odd/2) * 3 * weight * r.force }

// collide9 has the populations of cells next to each other meet, for D2Q9: in are those
// that come in, by velocity, out those that go on. All have the same length.
func (r *relaxation) collide9(out, in *[9][]float64) {
	n := len(in[0])
	i0, i1, i2, i3, i4 := in[0][:n], in[1][:n], in[2][:n], in[3][:n], in[4][:n]
	i5, i6, i7, i8 := in[5][:n], in[6][:n], in[7][:n], in[8][:n]
	o0, o1, o2, o3, o4 := out[0][:n], out[1][:n], out[2][:n], out[3][:n], out[4][:n]
	o5, o6, o7, o8 := out[5][:n], out[6][:n], out[7][:n], out[8][:n]
	even, halfEven, halfOdd := r.even, r.even/2, r.odd/2
	odd1, odd2 := 3*r.odd*(1./9), 3*r.odd*(1./36)
	source1, source2, half := r.source(1./9), r.source(1./36), r.force/2
	for i := range n {
		f1, f2, f3, f4 := i1[i], i2[i], i3[i], i4[i]
		f5, f6, f7, f8 := i5[i], i6[i], i7[i], i8[i]
		f0 := i0[i]
		sum1, sum2, sum3, sum4 := f1+f2, f3+f4, f5+f6, f7+f8
		far1, far2, far3, far4 := f1-f2, f3-f4, f5-f6, f7-f8
		density := f0 + (sum1 + sum2) + (sum3 + sum4)
		u := (far1 + far3 + far4 + half) / density
		v := (far2 + far3 - far4) / density
		still := 1 - 1.5*(u*u+v*v)
		e := even * density
		o0[i] = f0 - even*f0 + e*(4./9)*still
		e1, e2 := e*(1./9), e*(1./36)
		d1, d2 := odd1*density, odd2*density
		plus, minus := u+v, u-v

		p, m := halfEven*sum1-e1*(still+4.5*u*u), halfOdd*far1-d1*u-source1
		o1[i], o2[i] = f1-p-m, f2-p+m
		p, m = halfEven*sum2-e1*(still+4.5*v*v), halfOdd*far2-d1*v
		o3[i], o4[i] = f3-p-m, f4-p+m
		p, m = halfEven*sum3-e2*(still+4.5*plus*plus), halfOdd*far3-d2*plus-source2
		o5[i], o6[i] = f5-p-m, f6-p+m
		p, m = halfEven*sum4-e2*(still+4.5*minus*minus), halfOdd*far4-d2*minus-source2
		o7[i], o8[i] = f7-p-m, f8-p+m
	}
}
