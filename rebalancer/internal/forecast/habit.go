package forecast

import (
	"math"
	"slices"
)

const (
	// habitAlike is the correlation from which a superstep counts as a repetition of the one before,
	// although not all processes work in it.
	habitAlike = 0.5
	// partLeast is the part of the mean work from which a process takes part in a superstep, and
	// partAll the part of the processes that counts as all of them.
	partLeast = 0.1
	partAll   = 0.9

	// patternEven is the relative variance below which all processes count as equal, and patternCloser the
	// distance of a correlation from 1 that does not reduce differences.
	patternEven   = 1e-9
	patternCloser = 1e-3
)

// habits are how the work of the columns is spread over the processes.
type habits struct {
	series *Series
	totals []float64
}

// learnPatterns makes the columns represent the coming supersteps. If different processes work
// each time and not all have been seen, the next ones are unknown, and the work is spread evenly
// over all processes that work at all. Otherwise the difference of a process from the mean is
// kept in proportion to the correlation of consecutive columns.
func (m *Series) learnPatterns() {
	h := habits{m, m.Totals()}
	working := make([]bool, len(m.Rows)) // in any column
	workers := 0
	for c := range m.Columns {
		_, first := h.workers(c, working)
		workers += first
	}
	kept := make([]float64, m.Columns)
	for _, columns := range m.ByClass() {
		part := h.lasts(columns, workers)
		for _, c := range columns {
			kept[c] = part
		}
	}
	if workers == 0 || slices.Min(kept) == 1 {
		return
	}
	for pid, row := range m.Rows {
		row = slices.Clone(row)
		for c, part := range kept {
			mean := 0.0
			if working[pid] {
				mean = h.totals[c] / float64(workers)
			}
			if part < 1 {
				row[c] = float32(mean + part*(float64(row[c])-mean))
			}
		}
		m.Rows[pid] = row
	}
}

// workers counts the processes that take part in a column, and notes them; first are those that were not noted before.
func (h *habits) workers(column int, noted []bool) (all, first int) {
	for pid, row := range h.series.Rows {
		if w := float64(row[column]); w > 0 && w >= partLeast*h.totals[column]/float64(len(h.series.Rows)) {
			if all++; !noted[pid] {
				noted[pid], first = true, first+1
			}
		}
	}
	return all, first
}

// lasts returns the part of the differences between processes in the columns of a class that is
// expected to persist. The columns represent the coming ones if the same processes work again, or
// if all that ever work have had their turn; a single column predicts nothing about the next.
func (h *habits) lasts(columns []int, workers int) float64 {
	if len(columns) < 2 {
		if h.series.Columns == 1 {
			return 1
		}
		return 0
	}
	seen, all, sum, noted := 0, true, 0.0, make([]bool, len(h.series.Rows))
	for i, c := range columns {
		part, more := h.workers(c, noted)
		seen, all = seen+more, all && float64(part) >= partAll*float64(len(h.series.Rows))
		if i > 0 {
			sum += h.alike(columns[i-1], c)
		}
	}
	switch likeness := sum / float64(len(columns)-1); {
	case !all && likeness < habitAlike:
		if float64(seen) < partAll*float64(workers) {
			return 0
		}
	case likeness < 1-patternCloser:
		return likeness
	}
	return 1
}

// alike is how much the differences between processes are the same in two
// columns: their correlation, between 0 and 1. Noise has none.
func (h *habits) alike(a, b int) float64 {
	if h.totals[a] <= 0 || h.totals[b] <= 0 {
		return 1
	}
	n, xx, yy, xy := float64(len(h.series.Rows)), 0.0, 0.0, 0.0
	for _, row := range h.series.Rows {
		x, y := float64(row[a])/h.totals[a], float64(row[b])/h.totals[b]
		xx, yy, xy = xx+x*x, yy+y*y, xy+x*y
	}
	// Shares add up to 1, so that the mean is 1/n.
	xx, yy, xy = xx-1/n, yy-1/n, xy-1/n
	if xx <= patternEven/n || yy <= patternEven/n {
		return 1
	}
	return min(1, max(0, xy/math.Sqrt(xx*yy)))
}
