package sim

import "math"

// width is that of the Laplacian's square, whose last rows may be missing.
func (m *SpMV) width() int { return int(math.Ceil(math.Sqrt(float64(m.Size)))) }

// perRow is how many nonzeros each row of a random matrix has.
func (m *SpMV) perRow() int { return int(math.Ceil(m.Density * float64(m.Size))) }

// before is how many nonzeros there are in the rows before one.
func (m *SpMV) before(row int) int {
	if m.Density > 0 {
		return row * m.perRow()
	}
	return m.laplacian(0, row, 1, 0)
}

// nonzeros is how many a process has.
func (m *SpMV) nonzeros(row, col int) float64 {
	first, end := m.bounds[row], m.bounds[row+1]
	if m.Density > 0 {
		part := float64(owned(m.Size, m.Cols, col, 0)) / float64(m.Size)
		return float64((end-first)*m.perRow()) * part
	}
	return float64(m.laplacian(first, end, m.Cols, col))
}

// laplacian is how many nonzeros some rows have in the columns that are col modulo cols:
// one for each point of the square, and one for each of its neighbours.
func (m *SpMV) laplacian(first, end, cols, col int) int {
	n, width := m.Size, m.width()
	in := func(first, end int) int { return max(0, owned(end, cols, col, max(0, first))) }
	points, above, below := in(first, end), in(first-width, end-width), in(first+width, min(n, end+width))
	left := in(first-1, end-1) - m.lineBegins(first, end, cols, col+1)
	right := in(first+1, min(n, end+1)) - m.lineBegins(first+1, min(n, end+1), cols, col)
	return points + above + below + left + right
}

// lineBegins is how many points, that are col modulo cols, begin a line of the square
// that is not the first.
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

// span is columns next to each other, of which a part has nonzeros.
type span struct {
	first, end int
	part       float64
}

// columns are those in which some rows have nonzeros, in order.
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
