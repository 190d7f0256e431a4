package rebalancer

import "math"

// surely is what moves to a mapping save in the supersteps to come at least, as far as those that
// were seen can tell: in nineteen of twenty cases more, by the mean and the standard error of what
// each of them would have been shorter by (Student 1908). Supersteps of a class are compared with
// each other; what is alike in all of them was no chance.
//
// It is for what cannot be tried in small: large states go, or do not.
func surely(v View, where []int32) float64 {
	m := newCostModel(v)
	weights := m.EqualWeights()
	before, after := m.ByColumn(m.Rows, v.Where, weights, nil), m.ByColumn(m.Rows, where, weights, nil)
	classes, of := map[int]bool{}, m.Class
	for c := range m.Columns {
		classes[of(c)] = true
	}
	if len(classes) == m.Columns { // there is nothing to compare with but each other
		classes, of = map[int]bool{0: true}, func(int) int { return 0 }
	}
	free := float64(m.Columns - len(classes))
	if free < 1 {
		return 0
	}
	gains, mean := make([]float64, m.Columns), 0.0
	sums, counts := map[int]float64{}, map[int]float64{}
	for c := range gains {
		gains[c] = (before[c] - after[c]) / weights[c]
		sums[of(c)] += gains[c]
		counts[of(c)]++
		mean += gains[c] / float64(m.Columns)
	}
	squares := 0.0
	for c, gain := range gains {
		off := gain - sums[of(c)]/counts[of(c)]
		squares += off * off
	}
	// Student's quantile, to 2 % from three degrees of freedom on.
	doubt := 1.65 * (1 + 1.3/free) * math.Sqrt(squares/free/float64(m.Columns))
	mean += m.Communication(v.Where) - m.Communication(where) + m.Barrier(v.Where) - m.Barrier(where)
	return float64(m.Horizon) * (mean - doubt)
}
