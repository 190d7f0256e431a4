package bag

import "slices"

// Model is a worker's model of itself in lds: the seconds that it computes a chunk are
// affine in its size, by least squares over all chunks that it has computed.
type Model struct {
	fit      fit
	corr     float64 // correlation from which the model is good
	on       bool    // the policy asks for it
	distinct []int   // different sizes, up to leastSizes
}

// leastSizes is the least number of different sizes in a good model: a line goes through
// any two points.
const leastSizes = 3

// Observe adds a chunk that has been computed.
func (m *Model) Observe(size int, seconds float64) {
	m.fit.add(size, seconds, 1)
	if len(m.distinct) < leastSizes && !slices.Contains(m.distinct, size) {
		m.distinct = append(m.distinct, size)
	}
}

// Good reports whether the model has at least three different sizes and a correlation of
// at least corr: the signal by which the worker ends its setup. A size twice is one.
func (m *Model) Good() bool {
	return m.on && len(m.distinct) >= leastSizes && m.fit.correlation() >= m.corr
}

// Next returns the size of the chunk that takes a slice of time, at least 1; 0 if the slice
// is 0, or no task has been computed.
func (m *Model) Next(slice float64) int {
	if !m.on || !(slice > 0) || m.fit.weight == 0 {
		return 0
	}
	a, b := m.fit.line()
	if !(b > 0) {
		return mostTasks // which take no time
	}
	return int(min(mostTasks, max(1, (slice-a)/b)))
}

// mostTasks is more than the size of any bag.
const mostTasks = 1 << 40
