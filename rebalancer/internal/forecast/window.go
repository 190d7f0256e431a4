package forecast

import "math"

// How far back to look.
//
// What processes did last says most of what they do next where work changes at once, and
// the mean over many supersteps where it is noisy. So the window that a forecast looks at
// is chosen by what it would have been worth on this run: of each number of columns w, the
// error with which their mean foretells the next columns of the same class,
//
//	error(w) = sum over c of sum over pid |mean of work(pid) in c-w..c-1 - work(pid, c)|
//
// for those c that all windows can foretell. It is the choice of an expert by its past loss
// (Herbster and Warmuth 1998), over a past as long as the columns reach.

// window drops the oldest columns where fewer foretell better.
func (m *Series) window() {
	classes := make(map[int]bool)
	for c := range m.Columns {
		classes[m.Class(c)] = true
	}
	widths := []int{m.Columns}
	for w := m.Columns / 2; w >= len(classes); w /= 2 {
		widths = append(widths, w)
	}
	best, least := m.Columns, math.Inf(1)
	for _, w := range widths {
		if e := m.windowError(w); e < least*(1-m.set.WindowGain) {
			best, least = w, e
		}
	}
	if best == m.Columns {
		return
	}
	from := m.Columns - best
	for pid, row := range m.Rows {
		if row != nil {
			m.Rows[pid] = row[from:]
		}
	}
	m.Columns = best
	m.Recent = m.EqualWeights()
}

// windowError is the error of a window over the later half of the columns. Those before a
// column that are fewer than the window are all there are.
func (m *Series) windowError(w int) (sum float64) {
	for c := m.Columns / 2; c < m.Columns; c++ {
		like := 0.0
		for b := max(0, c-w); b < c; b++ {
			if m.Class(b) == m.Class(c) {
				like++
			}
		}
		if like == 0 {
			return math.Inf(1)
		}
		for _, row := range m.Rows {
			if row == nil {
				continue
			}
			mean := 0.0
			for b := max(0, c-w); b < c; b++ {
				if m.Class(b) == m.Class(c) {
					mean += float64(row[b]) / like
				}
			}
			sum += math.Abs(mean - float64(row[c]))
		}
	}
	return sum
}
