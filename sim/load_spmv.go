package sim

import (
	"fmt"
	"math"
	"sort"
)

// SpMV is the products of a sparse matrix with a vector, as
// [github.com/migbsp/migbsp/apps/spmv] computes them: the rows are cut into blocks with
// about as many nonzeros, for the rows of a grid of processes; column j, and number j of a
// vector, is with column j mod Cols of the grid. In each iteration processes give each
// other the numbers that their columns need, multiply, in a grid with several columns give
// each other the sums to add, and agree on the norm. The distribution of the matrix and the
// check of the result are left out.
type SpMV struct {
	Size       int // order of the matrix
	Rows, Cols int // of the grid
	Iterations int
	// Density is the part of a random matrix that is not zero; where it is 0, the matrix
	// is the Laplacian of a square. Figures of a random matrix are expected values.
	Density float64
	Flops   float64 // operations for each nonzero
	bounds  []int   // rows of the matrix at which the rows of the grid begin
}

// deal finds the rows of the matrix for the rows of the grid.
func (m *SpMV) deal() *SpMV {
	m.bounds = make([]int, m.Rows+1)
	total := m.before(m.Size)
	for row := 1; row < m.Rows; row++ {
		m.bounds[row] = sort.Search(m.Size, func(i int) bool { return m.before(i)*m.Rows >= row*total })
	}
	m.bounds[m.Rows] = m.Size
	return m
}

// Processes implements Workload, as do the other exported methods.
func (m *SpMV) Processes() int { return m.Rows * m.Cols }
func (m *SpMV) Steps() int     { return m.Iterations * m.period() }

// period returns the number of supersteps of an iteration.
func (m *SpMV) period() int {
	if m.Cols == 1 {
		return 3
	}
	return 4
}

// Bytes of a number, of its place in a row, and of a row's place among nonzeros.
const spmvNumber, spmvColumn, spmvRow = 8, 4, 8

// State returns the bytes of a process's nonzeros, of its numbers of both vectors, of the
// numbers that its columns need, and of room for the sums that it adds up. The lists of
// numbers that others need are left out.
func (m *SpMV) State(pid int) float64 {
	row, col := pid/m.Cols, pid%m.Cols
	numbers := 2 * m.own(row, col)
	for _, from := range m.needs(row, col) {
		numbers += from.numbers
	}
	if m.Cols > 1 {
		numbers += float64(m.Cols) * m.own(row, col)
	}
	return spmvNumber*numbers + (spmvNumber+spmvColumn)*m.nonzeros(row, col) + spmvRow*float64(m.bounds[row+1]-m.bounds[row])
}

func (m *SpMV) Fill(step int, s *Step) error {
	step %= m.period()
	end := m.period() - 1
	norm := end - 1 // where this begins
	switch {
	case step == 0:
		s.Site = "pass on"
		m.passOn(s)
	case step == end:
		s.Site = "scale"
		m.work(s, 0, 1)
	case step < norm:
		s.Site = "multiply"
		m.work(s, m.Flops, 0)
		m.passPartial(s)
	case step == norm && m.Cols > 1:
		s.Site = "add"
		m.work(s, 0, float64(m.Cols+1))
	case step == norm:
		s.Site = "multiply"
		m.work(s, m.Flops, 1)
	}
	if step >= norm && step < end {
		s.allreduce(m.Processes(), spmvNumber)
	}
	return nil
}

// work adds the given operations for each nonzero and each number of a vector.
func (m *SpMV) work(s *Step, nonzero, number float64) {
	for pid := range s.Work {
		row, col := pid/m.Cols, pid%m.Cols
		if s.Work[pid] = number * m.own(row, col); nonzero > 0 {
			s.Work[pid] += nonzero * m.nonzeros(row, col)
		}
	}
}

// passOn sends numbers to the processes whose columns need them, along columns of the grid.
func (m *SpMV) passOn(s *Step) {
	for pid := range s.Work {
		for _, from := range m.needs(pid/m.Cols, pid%m.Cols) {
			s.send(from.row*m.Cols+pid%m.Cols, pid, spmvNumber*from.numbers)
		}
	}
}

// passPartial sends the sums to add, along rows of the grid.
func (m *SpMV) passPartial(s *Step) {
	for pid := range s.Work {
		row := pid / m.Cols
		for col := range m.Cols {
			s.send(pid, row*m.Cols+col, spmvNumber*m.own(row, col))
		}
	}
}

// own returns the number of a process's elements of a vector.
func (m *SpMV) own(row, col int) float64 {
	return float64(owned(m.bounds[row+1], m.Cols, col, m.bounds[row]))
}

// needed is a number of elements that come from a row of the grid.
type needed struct {
	row     int
	numbers float64
}

// needs returns the numbers that a process's columns need.
func (m *SpMV) needs(row, col int) (all []needed) {
	first, end := m.bounds[row], m.bounds[row+1]
	if first == end {
		return nil
	}
	for _, c := range m.columns(first, end) {
		from := sort.SearchInts(m.bounds[1:], c.first+1)
		for ; from < m.Rows && m.bounds[from] < c.end; from++ {
			n := owned(min(c.end, m.bounds[from+1]), m.Cols, col, max(c.first, m.bounds[from]))
			if n > 0 {
				all = append(all, needed{from, c.part * float64(n)})
			}
		}
	}
	return all
}

var spmvKind = kind{
	name: "spmv", about: "products of a sparse matrix with a vector, as apps/spmv",
	parameters: []parameter{
		{name: "n", value: 1000000, least: 1, whole: true, about: "order of the matrix"},
		{name: "p", value: 16, least: 1, whole: true, about: "processes"},
		{name: "cols", value: 1, least: 1, whole: true, about: "of the grid of processes"},
		{name: "iterations", value: 100, least: 1, whole: true, about: "products"},
		{name: "density", least: 0, most: 1, about: "part of a random matrix that is not 0 (default: a Laplacian)"},
		{name: "flops", value: 2, least: 0, about: "operations for each nonzero"},
	},
	make: func(v map[string]float64) (Workload, error) {
		p, cols := int(v["p"]), int(v["cols"])
		if p%cols != 0 {
			return nil, fmt.Errorf("%d processes are not a grid with %d columns", p, cols)
		}
		m := &SpMV{Size: int(v["n"]), Rows: p / cols, Cols: cols, Iterations: int(v["iterations"]), Density: v["density"], Flops: v["flops"]}
		return m.deal(), nil
	},
}

// width returns the width of the Laplacian's square, whose last rows may be missing.
func (m *SpMV) width() int { return int(math.Ceil(math.Sqrt(float64(m.Size)))) }

// perRow returns the number of nonzeros in each row of a random matrix.
func (m *SpMV) perRow() int { return int(math.Ceil(m.Density * float64(m.Size))) }

// before returns the number of nonzeros in the rows before one.
func (m *SpMV) before(row int) int {
	if m.Density > 0 {
		return row * m.perRow()
	}
	return m.laplacian(0, row, 1, 0)
}

// nonzeros returns the number of nonzeros of a process.
func (m *SpMV) nonzeros(row, col int) float64 {
	first, end := m.bounds[row], m.bounds[row+1]
	if m.Density > 0 {
		part := float64(owned(m.Size, m.Cols, col, 0)) / float64(m.Size)
		return float64((end-first)*m.perRow()) * part
	}
	return float64(m.laplacian(first, end, m.Cols, col))
}

// laplacian counts the nonzeros of some rows in the columns that are col modulo cols: one
// for each point of the square, and one for each of its neighbours.
func (m *SpMV) laplacian(first, end, cols, col int) int {
	n, width := m.Size, m.width()
	in := func(first, end int) int { return max(0, owned(end, cols, col, max(0, first))) }
	points, above, below := in(first, end), in(first-width, end-width), in(first+width, min(n, end+width))
	left := in(first-1, end-1) - m.lineBegins(first, end, cols, col+1)
	right := in(first+1, min(n, end+1)) - m.lineBegins(first+1, min(n, end+1), cols, col)
	return points + above + below + left + right
}

// lineBegins counts the points that are col modulo cols and begin a line of the square,
// but the first.
func (m *SpMV) lineBegins(first, end, cols, col int) (n int) {
	width := m.width()
	line := max(1, (first+width-1)/width)
	if cols == 1 {
		return max(0, (end+width-1)/width-line)
	}
	for ; line*width < end; line++ {
		if line*width%cols == col%cols {
			n++
		}
	}
	return n
}

// span is consecutive columns, of which a part has nonzeros.
type span struct {
	first, end int
	part       float64
}

// columns returns the columns in which some rows have nonzeros, in order.
func (m *SpMV) columns(first, end int) []span {
	if m.Density > 0 {
		none := math.Pow(1-float64(m.perRow())/float64(m.Size), float64(end-first))
		return []span{{0, m.Size, 1 - none}}
	}
	n, width := m.Size, m.width()
	left, right := first, end // and their neighbours on the same lines
	if first%width > 0 {
		left--
	}
	if end%width > 0 && end < n {
		right++
	}
	var all []span
	until := 0
	for _, s := range []span{{max(0, first-width), end - width, 1}, {left, right, 1}, {first + width, min(n, end+width), 1}} {
		if s.first = max(s.first, until); s.first < s.end {
			all = append(all, s)
			until = s.end
		}
	}
	return all
}
