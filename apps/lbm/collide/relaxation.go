package collide

// Cells relax with two rates (Ginzburg, Verhaeghe, d'Humieres, Two-relaxation-time lattice
// Boltzmann scheme, 2008): the part that is equal in opposite velocities with a rate that
// gives the viscosity, the rest with another one, such that walls are exactly between
// cells.

// Relaxation are the rates, and the force along the channel.
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
