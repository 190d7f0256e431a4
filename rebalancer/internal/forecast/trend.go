package forecast

import (
	"math"
	"slices"
)

const (
	// TrendGrowth is how far work is believed to grow.
	TrendGrowth = 4.0
	// TrendColumns of a class show a trend: a line through three points has one degree of
	// freedom left to doubt it.
	TrendColumns = 4
	// trendDoubt is how many times its standard error a slope must be: 3 for one chance in a
	// few hundred that there is none.
	trendDoubt = 3
)

// Trend weights the columns for the supersteps still to come: the total work of
// each class is taken to go on along its line, never below nothing. Without a
// trend, and where columns are samples of what is to come, the weights are those of the
// mean.
func (m *Series) Trend() []float64 {
	weights := slices.Clone(m.Recent)
	if m.Ahead || !m.set.Trend {
		return weights
	}
	totals := m.Totals()
	seen := map[int]float64{}
	for c := range weights {
		class := m.Class(c)
		factor, known := seen[class]
		if !known {
			factor = m.classTrend(class, totals)
			seen[class] = factor
		}
		weights[c] *= factor
	}
	return weights
}

// classTrend is the mean work of a class over the horizon, relative to its mean
// in the columns.
func (m *Series) classTrend(class int, totals []float64) float64 {
	var line Line
	for c, total := range totals {
		if m.Class(c) == class {
			line.Add(float64(c), total)
		}
	}
	base, slope, ok := line.Fit()
	if !ok || m.Horizon == 0 {
		return 1
	}
	from, ahead := float64(m.Columns)-0.5, float64(m.Horizon)
	followed := ahead
	if slope > 0 { // what begins slowly or is disturbed rises for a while, and then stays
		followed = min(ahead, float64(m.Columns))
	}
	last := max(0, base+slope*(from+followed))
	future := positiveArea(base, slope, from, from+followed) + last*(ahead-followed)
	return min(future/ahead/line.Mean(), TrendGrowth)
}

// Line gathers points for a straight line.
type Line struct {
	n, x, y, xx, xy, yy float64
}

// Add takes in a point.
func (l *Line) Add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += x * x
	l.xy += x * y
	l.yy += y * y
}

// Mean is that of the y.
func (l *Line) Mean() float64 { return l.y / l.n }

// Fit is the line base + slope*x. It is not ok if there are too few points, no
// work, or a slope that chance explains as well.
func (l *Line) Fit() (base, slope float64, ok bool) {
	if l.n < TrendColumns || l.y <= 0 {
		return 0, 0, false
	}
	spread := l.xx - l.x*l.x/l.n
	if spread <= 0 {
		return 0, 0, false
	}
	joint := l.xy - l.x*l.y/l.n
	slope = joint / spread
	base = (l.y - slope*l.x) / l.n
	left, free := max(0, l.yy-l.y*l.y/l.n-slope*joint), l.n-2
	doubt := math.Sqrt(left / free / spread)
	material := math.Abs(slope)*l.n > 1e-6*l.Mean()
	// Student's quantile beside that of many points, to 5 %.
	few := 1 + 9/(free*free)
	return base, slope, material && math.Abs(slope) > trendDoubt*few*doubt
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
