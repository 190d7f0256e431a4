package rebalancer

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

// windowGain is the part of the error by which a shorter window must be better than a longer
// one: what is seen longer is surer.
const windowGain = 0.1

// window drops the oldest columns where fewer foretell better.
func (m *costModel) window() {
	classes := make(map[int]bool)
	for c := range m.columns {
		classes[m.class(c)] = true
	}
	widths := []int{m.columns}
	for w := m.columns / 2; w >= len(classes); w /= 2 {
		widths = append(widths, w)
	}
	best, least := m.columns, math.Inf(1)
	for _, w := range widths {
		if e := m.windowError(w); e < least*(1-windowGain) {
			best, least = w, e
		}
	}
	if best == m.columns {
		return
	}
	from := m.columns - best
	for pid, row := range m.rows {
		if row != nil {
			m.rows[pid] = row[from:]
		}
	}
	m.columns = best
	m.recent = m.equalWeights()
}

// windowError is the error of a window over the later half of the columns. Those before a
// column that are fewer than the window are all there are.
func (m *costModel) windowError(w int) (sum float64) {
	for c := m.columns / 2; c < m.columns; c++ {
		like := 0.0
		for b := max(0, c-w); b < c; b++ {
			if m.class(b) == m.class(c) {
				like++
			}
		}
		if like == 0 {
			return math.Inf(1)
		}
		for _, row := range m.rows {
			if row == nil {
				continue
			}
			mean := 0.0
			for b := max(0, c-w); b < c; b++ {
				if m.class(b) == m.class(c) {
					mean += float64(row[b]) / like
				}
			}
			sum += math.Abs(mean - float64(row[c]))
		}
	}
	return sum
}
