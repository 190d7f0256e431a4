package frame

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary is the median of some samples, and how sure it is.
type Summary struct {
	Center float64
	// Interval contains the median of the quantity with a probability of at least 95 %, for any
	// distribution. It is nil for fewer than six samples, which are not enough. Its ends are
	// samples: see benchmath.AssumeNothing.
	Interval *[2]float64
}

const confidence = 0.95

// Summarise returns the Summary of some samples; without samples the median is 0.
func Summarise(samples []float64) Summary {
	if len(samples) == 0 {
		return Summary{}
	}
	sample := benchmath.NewSample(slices.Clone(samples), &benchmath.DefaultThresholds)
	of := benchmath.AssumeNothing.Summary(sample, confidence)
	m := Summary{Center: of.Center}
	if !math.IsInf(of.Lo, 0) && !math.IsInf(of.Hi, 0) {
		m.Interval = &[2]float64{of.Lo, of.Hi}
	}
	return m
}

// Median returns the middle of some samples, or the mean of the middle two; 0 of none.
func Median(samples []float64) float64 { return Summarise(samples).Center }

// Mean returns the arithmetic mean of at least one sample.
func Mean(samples []float64) float64 { return Sum(samples) / float64(len(samples)) }

// Sum adds up samples in their order.
func Sum(samples []float64) (sum float64) {
	for _, x := range samples {
		sum += x
	}
	return sum
}

// Ratio returns the median of the ratios of samples that were taken in turns: each pair saw the
// machine in much the same state.
func Ratio(ours, theirs []float64) Summary {
	all := make([]float64, min(len(ours), len(theirs)))
	for i := range all {
		all[i] = ours[i] / theirs[i]
	}
	return Summarise(all)
}

// Format prints the median and, if it has an interval, the distance of the interval's farther end:
// "2.5 s ±4%".
func (m Summary) Format(format string) string {
	text := fmt.Sprintf(format, m.Center)
	if m.Interval != nil && m.Center != 0 {
		off := max(m.Interval[1]-m.Center, m.Center-m.Interval[0]) / math.Abs(m.Center)
		text += fmt.Sprintf(" ±%.0f%%", 100*off)
	}
	return text
}

// Middle returns the element whose value is the median of all; of an even number, the upper one of
// the middle two. all must not be empty.
func Middle[T any](all []T, value func(T) float64) T {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(value(a), value(b)) })
	return sorted[len(sorted)/2]
}

// Each returns the value of each element.
func Each[T, V any](all []T, value func(T) V) []V {
	values := make([]V, len(all))
	for i, x := range all {
		values[i] = value(x)
	}
	return values
}

// Percent prints a part of a whole.
func Percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
