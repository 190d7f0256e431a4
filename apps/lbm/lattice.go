package main

// The fluid is a lattice of cells. In each of them, populations of particles move with one
// of a few velocities; in a step they collide, and then move to a neighbour.

// velocities is the velocities of a lattice. The first is 0; then pairs of opposite velocities
// follow, first the one with the larger index in rising.
type velocities struct {
	name   string
	along  []int // by velocity: cells along the channel,
	up     []int // from wall to wall,
	across []int // and from front to back
	weight []float64
	rising []int // velocities that go up, and for each its number less 1 or plus 1 is the opposite
}

// opposite is the velocity that goes back.
func opposite(q int) int {
	if q == 0 {
		return 0
	}
	return (q - 1) ^ 1 + 1
}

// d2q9 and d3q19 are the usual lattices in two and three dimensions.
var (
	d2q9 = latticeOf("D2Q9", []float64{4. / 9, 1. / 9, 1. / 36}, [][3]int{
		{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0},
	})
	d3q19 = latticeOf("D3Q19", []float64{1. / 3, 1. / 18, 1. / 36}, [][3]int{
		{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1},
	})
)

// latticeOf makes velocities of one of each pair, with weights by the number of directions
// that they have.
func latticeOf(name string, weights []float64, halves [][3]int) *velocities {
	v := &velocities{name: name}
	add := func(c [3]int) {
		v.along, v.up, v.across = append(v.along, c[0]), append(v.up, c[1]), append(v.across, c[2])
		v.weight = append(v.weight, weights[c[0]*c[0]+c[1]*c[1]+c[2]*c[2]])
	}
	add([3]int{})
	for _, c := range halves {
		add(c)
		add([3]int{-c[0], -c[1], -c[2]})
	}
	for q, up := range v.up {
		if up > 0 {
			v.rising = append(v.rising, q)
		}
	}
	return v
}

func (v *velocities) count() int { return len(v.weight) }

// shape is the layout of a process's populations in memory: all populations of one velocity are
// contiguous, in layers from the lower to the upper wall, each of lines along the channel. A rim
// around each line and layer holds copies of cells: from the other end of the channel, whose ends are
// joined, and from the neighbour processes.
//
// Two more layers avoid a second copy: a step writes its results two layers below, and the next step
// two layers above.
type shape struct {
	length, breadth int // of the channel, in cells; a breadth of 0 has no rim
	layers          int // of the process
}

func (d shape) line() int  { return d.length + 2 }
func (d shape) lines() int { return max(1, d.breadth) }

func (d shape) layer() int {
	if d.breadth == 0 {
		return d.line()
	}
	return d.line() * (d.breadth + 2)
}

// size returns the number of elements for one velocity.
func (d shape) size() int { return (d.layers + 4) * d.layer() }

// base returns the offset of the layers, in layers, after a number of steps.
func base(steps int) int {
	if steps%2 == 0 {
		return 2
	}
	return 0
}

// at returns the index of a cell, without the base; all coordinates may be 1 outside.
func (d shape) at(x, layer, y int) int {
	place := (layer+1)*d.layer() + x + 1
	if d.breadth > 0 {
		place += (y + 1) * d.line()
	}
	return place
}

// offset returns the distance in memory that populations of a velocity move.
func (d shape) offset(v *velocities, q int) int {
	return v.along[q] + v.up[q]*d.layer() + v.across[q]*d.line()
}
