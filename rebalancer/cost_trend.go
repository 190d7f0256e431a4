package rebalancer

import (
	"math"
	"slices"
)

const (
	trendColumns = 4   // fewer columns of a class show no trend
	trendGrowth  = 4.0 // work is never believed to grow further than this
	trendDoubt   = 3.0 // a slope counts if it is so many times its own error
)

// trend weights the columns for the supersteps still to come: the total work of
// each class is taken to go on along its line, never below nothing. Without a
// trend, and where columns are samples of what is to come, the weights are those of the
// mean.
func (m *costModel) trend() []float64 {
	weights := slices.Clone(m.recent)
	if m.ahead {
		return weights
	}
	totals := m.totals()
	seen := map[int]float64{}
	for c := range weights {
		class := m.class(c)
		factor, known := seen[class]
		if !known {
			factor = m.classTrend(class, totals)
			seen[class] = factor
		}
		weights[c] *= factor
	}
	return weights
}

// class is the class of a column; columns are the last of the snapshot's.
func (m *costModel) class(column int) int {
	classes := m.view.Classes
	at := len(classes) - m.columns + column
	if at < 0 || at >= len(classes) {
		return 0
	}
	return classes[at]
}

// totals is the work of all processes in each column.
func (m *costModel) totals() []float64 {
	totals := make([]float64, m.columns)
	for _, row := range m.rows {
		for c, work := range row {
			totals[c] += float64(work)
		}
	}
	return totals
}

// classTrend is the mean work of a class over the horizon, relative to its mean
// in the columns.
func (m *costModel) classTrend(class int, totals []float64) float64 {
	var line trendLine
	for c, total := range totals {
		if m.class(c) == class {
			line.add(float64(c), total)
		}
	}
	base, slope, ok := line.fit()
	if !ok || m.horizon == 0 {
		return 1
	}
	from := float64(m.columns) - 0.5
	to := from + float64(m.horizon)
	future := positiveArea(base, slope, from, to) / float64(m.horizon)
	return min(future/line.mean(), trendGrowth)
}

// trendLine gathers points for a straight line.
type trendLine struct {
	n, x, y, xx, xy, yy float64
}

func (l *trendLine) add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += x * x
	l.xy += x * y
	l.yy += y * y
}

func (l *trendLine) mean() float64 { return l.y / l.n }

// fit is the line base + slope*x. It is not ok if there are too few points, no
// work, or a slope that chance explains as well.
func (l *trendLine) fit() (base, slope float64, ok bool) {
	if l.n < trendColumns || l.y <= 0 {
		return 0, 0, false
	}
	spread := l.xx - l.x*l.x/l.n
	if spread <= 0 {
		return 0, 0, false
	}
	joint := l.xy - l.x*l.y/l.n
	slope = joint / spread
	base = (l.y - slope*l.x) / l.n
	left := max(0, l.yy-l.y*l.y/l.n-slope*joint)
	doubt := math.Sqrt(left / (l.n - 2) / spread)
	material := math.Abs(slope)*l.n > 1e-6*l.mean()
	return base, slope, material && math.Abs(slope) > trendDoubt*doubt
}

// positiveArea is the integral of max(0, base+slope*x) from one x to another.
func positiveArea(base, slope, from, to float64) float64 {
	left, right := base+slope*from, base+slope*to
	switch {
	case left <= 0 && right <= 0:
		return 0
	case left >= 0 && right >= 0:
		return (left + right) / 2 * (to - from)
	case left > 0:
		return left * left / (-2 * slope)
	default:
		return right * right / (2 * slope)
	}
}
