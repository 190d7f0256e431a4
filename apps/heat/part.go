package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/migbsp/migbsp/apps/heat/stencil"
	"github.com/migbsp/migbsp/bsplib"
)

// axes is numbers along x, y and z.
type axes [3]int

// part is a process's part of the body. It follows from the parameters and the pid, so that
// it need not move with the process.
type part struct {
	first axes // cell
	block stencil.Block
	faces []face // by side: 2*axis for the lower one of an axis, and 1 more for the upper
}

// face is a side of a block. Its cells are a rectangle in memory, and so are the adjacent cells of
// the rim.
type face struct {
	neighbour   int // pid; -1 for a wall
	inner, rim  int // index of its own first cell, and of the rim's
	rows, along int // cells
	down, right int // how far it is from row to row, and within a row
}

// opposite is the side of the neighbour that touches a side.
func opposite(side int) int { return side ^ 1 }

func (f *face) cells() int { return f.rows * f.along }

// outermost copies the block's own cells at the face.
func (f *face) outermost(u []float64) []float64 {
	cells := make([]float64, 0, f.cells())
	for row := range f.rows {
		at := f.inner + row*f.down
		for range f.along {
			cells = append(cells, u[at])
			at += f.right
		}
	}
	return cells
}

// fillRim copies the neighbour's cells to the rim.
func (f *face) fillRim(u, cells []float64) {
	for row := range f.rows {
		at := f.rim + row*f.down
		for _, x := range cells[row*f.along : (row+1)*f.along] {
			u[at] = x
			at += f.right
		}
	}
}

// partOf finds the part of a process. Pids go along x first.
func (p *parameters) partOf(pid int) *part {
	at := axes{pid % p.grid[0], pid / p.grid[0] % p.grid[1], pid / (p.grid[0] * p.grid[1])}
	var first, size axes
	for axis := range p.dim {
		first[axis] = at[axis] * p.n / p.grid[axis]
		size[axis] = (at[axis]+1)*p.n/p.grid[axis] - first[axis]
	}
	b := stencil.Block{X: size[0], Y: size[1], Z: size[2]}
	part := &part{first: first, block: b}
	across := [3]face{
		{rows: b.Layers(), along: b.Y, down: b.Layer(), right: b.Line()},
		{rows: b.Layers(), along: b.X, down: b.Layer(), right: 1},
		{rows: b.Y, along: b.X, down: b.Line(), right: 1},
	}
	cells, pids := axes{1, b.Line(), b.Layer()}, axes{1, p.grid[0], p.grid[0] * p.grid[1]} // to the next along an axis
	for axis := range p.dim {
		for upper, to := range []int{-1, 1} {
			f := across[axis]
			f.inner = b.At(0, 0, 0) + upper*(size[axis]-1)*cells[axis]
			f.rim = f.inner + to*cells[axis]
			f.neighbour = -1
			if next := at[axis] + to; next >= 0 && next < p.grid[axis] {
				f.neighbour = pid + to*pids[axis]
			}
			part.faces = append(part.faces, f)
		}
	}
	return part
}

// lines iterates over all lines of the block in u, with their coordinates.
func (part *part) lines(u []float64) iter.Seq2[axes, []float64] {
	return func(yield func(axes, []float64) bool) {
		b := part.block
		for z := range b.Layers() {
			for y := range b.Y {
				at := b.At(0, y, z)
				if !yield(axes{0, y, z}, u[at:at+b.X]) {
					return
				}
			}
		}
	}
}

// work is all cells in all steps, and the cells at the faces of blocks.
func work(procs int) bsplib.Work {
	p, _ := read(procs) // checked already
	const perSecond = 5e8
	w := bsplib.Work{Amount: p.cells() * float64(p.steps), Unit: "cell updates", PerSecond: perSecond, Supersteps: p.steps}
	cells := 0
	for _, f := range p.partOf(procs / 2).faces {
		cells += f.cells()
	}
	w.Sent = 8 * float64(cells) * float64(p.steps)
	w.Partners = func(pid int) (all []int) {
		for _, f := range p.partOf(pid).faces {
			all = append(all, f.neighbour)
		}
		return all
	}
	return w
}

// leastSurface is the grid of processes whose blocks have the fewest cells at their faces,
// if it fits: for a cube that is the one with the fewest cuts. Of several, that with the
// most cuts between layers, and then lines: these lie together in memory.
func leastSurface(procs, dim, n int) (best axes, ok bool) {
	cuts := func(g axes) int { return g[0] + g[1] + g[2] }
	for x := 1; x <= procs; x++ {
		if procs%x != 0 {
			continue
		}
		for y := 1; y <= procs/x; y++ {
			g := axes{x, y, procs / x / y}
			if x*y*g[2] != procs || dim == 2 && g[2] > 1 || max(x, y, g[2]) > n {
				continue
			}
			if !ok || cuts(g) < cuts(best) {
				best, ok = g, true
			}
		}
	}
	return best, ok
}

// readGrid reads a grid of processes, such as 2x4, or 2x4x4 in three dimensions.
func readGrid(text string, dim int) (g axes, err error) {
	g = axes{1, 1, 1}
	words := strings.Split(text, "x")
	like := "2x4x8"[:2*dim-1]
	if len(words) != dim {
		return g, fmt.Errorf("-grid %s: expected processes along each of %d axes, as in %s", text, dim, like)
	}
	for axis, word := range words {
		n, err := whole(word)
		if err != nil || n < 1 {
			return g, fmt.Errorf("-grid %s: expected processes along each of %d axes, as in %s", text, dim, like)
		}
		g[axis] = n
	}
	return g, nil
}
