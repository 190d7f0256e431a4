package main

import "sort"

// grid is the shape of the process grid.
type grid struct{ rows, cols int }

// distribution assigns the matrix and vectors to processes. Rows Bounds[r] to below
// Bounds[r+1] are with row r of the grid, column j with column j mod Cols. Number i of a
// vector is with the process that has row i and column i; so a number goes along one column
// of the grid to all processes that need it, and the parts of a product are added along one
// row.
type distribution struct {
	Rows, Cols int
	Bounds     []int
}

// boundsOf divides rows into parts with about as many nonzeros.
func boundsOf(counts []int, parts int) []int {
	total := 0
	for _, count := range counts {
		total += count
	}
	bounds := make([]int, parts+1)
	before, row := 0, 0 // nonzeros before the row
	for part := 1; part < parts; part++ {
		for row < len(counts) && before*parts < part*total {
			before += counts[row]
			row++
		}
		bounds[part] = row
	}
	bounds[parts] = len(counts)
	return bounds
}

func (d *distribution) at(row, col int) int { return row*d.Cols + col }

// row is the row of the grid that has row i.
func (d *distribution) row(i int) int {
	return sort.Search(d.Rows, func(r int) bool { return d.Bounds[r+1] > i })
}

// count returns the number of a vector's elements on a process.
func (d *distribution) count(row, col int) int {
	return d.before(d.Bounds[row+1], col) - d.before(d.Bounds[row], col)
}

// before returns the number of indices below i that equal col modulo Cols.
func (d *distribution) before(i, col int) int { return (i - col + d.Cols - 1) / d.Cols }

// local returns the index of number i on its process, and global the number at an index of
// a process.
func (d *distribution) local(row, i int) int {
	return i/d.Cols - d.before(d.Bounds[row], i%d.Cols)
}

func (d *distribution) global(row, col, place int) int {
	return (d.before(d.Bounds[row], col)+place)*d.Cols + col
}
