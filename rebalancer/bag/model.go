package bag

import (
	"math"
	"slices"
)

// Model is a worker's model of itself in lds: the seconds that it computes a chunk are
// affine in its size, a + b * size, by least squares over all that it has computed. A
// chunk of a size is a point; the same size twice counts twice.
type Model struct {
	corr                      float64 // correlation from which on the model is good
	on                        bool
	points                    float64
	sizes, seconds            float64 // sums over points
	sizeSize, sizeSec, secSec float64
	distinct                  []int // different sizes, up to leastSizes
}

// leastSizes is the least number of different sizes in a good model: a line goes through
// any two points.
const leastSizes = 3

// Observe adds a chunk that has been computed.
func (m *Model) Observe(size int, seconds float64) {
	x := float64(size)
	m.points++
	m.sizes += x
	m.seconds += seconds
	m.sizeSize += x * x
	m.sizeSec += x * seconds
	m.secSec += seconds * seconds
	if len(m.distinct) < leastSizes && !slices.Contains(m.distinct, size) {
		m.distinct = append(m.distinct, size)
	}
}

// variances returns the variances of sizes and seconds, and their covariance, all times
// the square of the number of points.
func (m *Model) variances() (sizes, seconds, both float64) {
	return m.points*m.sizeSize - m.sizes*m.sizes, m.points*m.secSec - m.seconds*m.seconds, m.points*m.sizeSec - m.sizes*m.seconds
}

// Good reports whether the model has at least three different sizes and a correlation of
// at least corr: the signal by which the worker ends its setup. Two equal sizes are one.
func (m *Model) Good() bool {
	if !m.on || len(m.distinct) < leastSizes {
		return false
	}
	sizes, seconds, both := m.variances()
	return sizes > 0 && seconds > 0 && both/math.Sqrt(sizes*seconds) >= m.corr
}

// Next returns the size of the chunk that takes a slice of time, at least 1; 0 if the slice
// is 0, or nothing has been computed. If the line does not say, because its slope is not
// above 0 or it begins below 0, the mean time of a task does.
func (m *Model) Next(slice float64) int {
	if !(slice > 0) || m.points == 0 || !m.on {
		return 0
	}
	a, b := 0.0, 0.0
	if sizes, _, both := m.variances(); sizes > 0 {
		b = both / sizes
		a = (m.seconds - b*m.sizes) / m.points
	}
	if !(b > 0) || a < 0 {
		a, b = 0, m.seconds/m.sizes
	}
	if !(b > 0) {
		return mostTasks
	}
	return int(min(mostTasks, max(1, (slice-a)/b)))
}

// mostTasks is more than there are, and a number that doubles hold exactly.
const mostTasks = 1 << 52
