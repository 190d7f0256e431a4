package main

import (
	"math"
	"slices"
)

// initial returns the temperatures of a block at the beginning, with the walls in its rim.
func (p *parameters) initial(part *part) []float64 {
	u := make([]float64, part.block.Size())
	if p.waves[0] > 0 {
		s := p.sines(p.waves, part)
		for at, line := range part.lines(u) {
			for x := range line {
				line[x] = s.at(x, at[1], at[2])
			}
		}
	}
	for side, f := range part.faces {
		if f.neighbour < 0 {
			f.fillRim(u, slices.Repeat([]float64{p.walls[side]}, f.cells()))
		}
	}
	return u
}

// wave contains the values of a wave at the cells of a part, by axis.
type wave [3][]float64

// sines returns half waves between the walls.
func (p *parameters) sines(half axes, part *part) (w wave) {
	sizes := axes{part.block.X, part.block.Y, part.block.Z}
	for axis := range p.dim {
		for i := range sizes[axis] {
			w[axis] = append(w[axis], p.sine(half[axis], part.first[axis]+i))
		}
	}
	if p.dim == 2 {
		w[2] = []float64{1}
	}
	return w
}

func (w *wave) at(x, y, z int) float64 { return w[0][x] * w[1][y] * w[2][z] }

// sine returns the value of half half-waves at a cell of an axis.
func (p *parameters) sine(half, cell int) float64 {
	return math.Sin(math.Pi * float64(half) * float64(cell+1) * p.distance())
}

// factor returns the exact factor by which a step changes half waves along the axes: they are
// eigenvectors of the step.
func (p *parameters) factor(half axes) float64 {
	sum := 0.
	for axis := range p.dim {
		sine := math.Sin(math.Pi / 2 * float64(half[axis]) * p.distance())
		sum += sine * sine
	}
	return 1 - 4*p.weights.Beside*sum
}

// after returns the amplitude of a wave after a number of steps, each of which multiplies it by a
// factor and adds a constant.
func after(amplitude, factor, added float64, steps int) float64 {
	k := float64(steps)
	left := math.Pow(factor, k)
	if factor == 1 {
		return amplitude + k*added
	}
	return left*amplitude + (1-left)/(1-factor)*added
}

// source heats the cells of a ball.
type source struct {
	centre [3]float64
	radius float64
	rise   float64 // of their temperature in a step; 0 without a source
}

// heated returns the offsets of the cells of a part that a source heats.
func (p *parameters) heated(part *part) (places []int) {
	if p.source.rise == 0 {
		return nil
	}
	b, first := part.block, part.first
	for z := range b.Layers() {
		for y := range b.Y {
			for x := range b.X {
				if p.source.reaches(p, axes{first[0] + x, first[1] + y, first[2] + z}) {
					places = append(places, b.At(x, y, z))
				}
			}
		}
	}
	return places
}

// reaches reports whether a source heats a cell of the body.
func (s *source) reaches(p *parameters, cell axes) bool {
	square := 0.
	for axis := range p.dim {
		away := float64(cell[axis]+1)*p.distance() - s.centre[axis]
		square += float64(away * away)
	}
	return square <= float64(s.radius*s.radius)
}

// nearest is the cell of the body that is nearest to the centre of a source.
func (s *source) nearest(p *parameters) (cell axes) {
	for axis := range p.dim {
		at := math.Round(s.centre[axis]/p.distance()) - 1
		cell[axis] = int(min(max(at, 0), float64(p.n-1)))
	}
	return cell
}
