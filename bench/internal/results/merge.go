package results

import (
	"cmp"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// Merged puts the rows of several launches together. The zero Merged is empty.
type Merged struct {
	order []key
	rows  map[key][]Row
}

type key struct {
	measure string
	p       int
}

// Add takes in the rows of one launch.
func (m *Merged) Add(rows ...Row) {
	if m.rows == nil {
		m.rows = make(map[key][]Row)
	}
	for _, r := range rows {
		k := key{r.Measure, r.P}
		if m.rows[k] == nil {
			m.order = append(m.order, k)
		}
		m.rows[k] = append(m.rows[k], r)
	}
}

// Rows has one row for each measure and number of processes, in the order of
// their first appearance.
func (m *Merged) Rows() []Row {
	rows := make([]Row, len(m.order))
	for i, k := range m.order {
		rows[i] = merge(m.rows[k])
	}
	return rows
}

// Find returns the merged row of a measure.
func (m *Merged) Find(measure string, p int) (Row, bool) {
	rows := m.rows[key{measure, p}]
	if len(rows) == 0 {
		return Row{}, false
	}
	return merge(rows), true
}

// Minima returns the minima of a measure in each launch, in microseconds.
func (m *Merged) Minima(measure string, p int) []float64 {
	return frame.Each(m.rows[key{measure, p}], func(r Row) float64 { return r.MinUS })
}

// merge gives the row with the smallest minimum the median of all medians.
func merge(rows []Row) Row {
	best := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.MinUS, b.MinUS) })
	best.MedianUS = frame.Median(frame.Each(rows, func(r Row) float64 { return r.MedianUS }))
	return best
}
