// Package stencil makes steps of the heat equation on a block of cells: each cell becomes
// a weighted sum of itself and its neighbours, 4 in two dimensions and 6 in three.
//
// The sum has one order, and each product is rounded before it is added: all kernels here,
// Go, vectors or C, give the same bits.
package stencil

import (
	"math"
	"slices"
)

// Block is the shape of a block of cells with a rim of one cell around it: lines of X
// cells, layers of Y lines and, in three dimensions, Z layers. Z is 0 in two.
type Block struct{ X, Y, Z int }

// Line returns the distance in memory between the same cells of adjacent lines.
func (b Block) Line() int { return b.X + 2 }

// Layer returns the distance between the same cells of adjacent layers.
func (b Block) Layer() int { return b.Line() * (b.Y + 2) }

// Layers returns the number of layers, without the rim; it is 1 in two dimensions.
func (b Block) Layers() int { return max(1, b.Z) }

// Size is the number of cells with the rim.
func (b Block) Size() int {
	if b.Z == 0 {
		return b.Layer()
	}
	return b.Layer() * (b.Z + 2)
}

// At returns the index of a cell. Cells of the rim are at -1, and after the last.
func (b Block) At(x, y, z int) int {
	at := (y+1)*b.Line() + x + 1
	if b.Z > 0 {
		at += (z + 1) * b.Layer()
	}
	return at
}

// Cell returns the cell at an index.
func (b Block) Cell(at int) (x, y, z int) {
	if b.Z > 0 {
		z, at = at/b.Layer()-1, at%b.Layer()
	}
	return at%b.Line() - 1, at/b.Line() - 1, z
}

// Weights is the weights of a cell itself and of each of its neighbours.
type Weights struct{ Own, Beside float64 }

// tile is the number of cells in the lines that are processed together, in all layers: the two
// neighbours of each cell in other layers are then still in the processor's L2 cache.
const tile = 8192

// Sweep makes a step: it computes the cells of the block to from the cells of from. It
// reads the rim of from and does not change the rim of to. The two share no memory.
func Sweep(to, from []float64, b Block, w Weights) {
	_, _ = to[:b.Size()], from[:b.Size()] // kernels rely on that
	lines := max(1, tile/b.Line())
	for first := 0; first < b.Y; first += lines {
		inUse.sweep(to, from, b, &w, first, min(first+lines, b.Y))
	}
}

// kernel is an implementation of a step in some of the lines of all layers. Tests compare
// all of them.
type kernel struct {
	name  string
	sweep func(to, from []float64, b Block, w *Weights, first, end int)
}

// kernels are the kernels of this machine, the fastest first.
var kernels = slices.Concat(inC, inVectors, []kernel{{"Go", plain}})

var inUse = kernels[0]

// Kernel names the kernel in use: "C", "AVX2" or "Go".
func Kernel() string { return inUse.name }

// Change is the largest change of a cell of the block in a step; not a number if one is
// none.
func Change(to, from []float64, b Block) (most float64) {
	for z := range b.Layers() {
		for y := range b.Y {
			at := b.At(0, y, z)
			most = change(to[at:at+b.X], from[at:at+b.X], most)
		}
	}
	return most
}

// change returns most, or the largest change of a cell in a line if that is larger. It
// compares bits, whose order is the order of the sizes: comparing numbers takes longer,
// because of NaN.
func change(to, from []float64, most float64) float64 {
	const sign = 1 << 63
	from, bits := from[:len(to)], math.Float64bits(most)
	for i, x := range to {
		bits = max(bits, math.Float64bits(x-from[i])&^sign)
	}
	return math.Float64frombits(bits)
}
