package rebalancer

import (
	"math"
	"slices"
)

// surelySteps are how many supersteps must have been seen for which process does what to be sure.
const surelySteps = 4

// surely is what moves to a mapping save in the supersteps to come at least, as far as those that
// were seen can tell: in nineteen of twenty cases more, by the mean and the standard error of what
// each of them would have been shorter by (Student 1908). Supersteps of a class are compared with
// each other; what is alike in all of them was no chance. Of fewer than surelySteps supersteps only that is sure which
// moves would save if all processes did the same: two may be of one burst of the same processes.
//
// It is for what cannot be tried in small: large states go, or do not.
func surely(v View, where []int32) float64 {
	m := newCostModel(v)
	weights := m.EqualWeights()
	rows := m.Rows
	if m.Columns < surelySteps {
		rows = m.evenRows()
	}
	before, after := m.ByColumn(rows, v.Where, weights), m.ByColumn(rows, where, weights)
	classes, sum := m.ByClass(), 0.0
	if len(classes) == m.Columns { // there is nothing to compare with but each other
		classes = [][]int{slices.Concat(classes...)}
	}
	free := float64(m.Columns - len(classes))
	if free < 1 {
		return 0
	}
	var gains byClass
	for class, columns := range classes {
		for _, c := range columns {
			gain := (before[c] - after[c]) / weights[c]
			gains.add(class, gain)
			sum += gain
		}
	}
	doubt := 1.65 * (1 + 1.3/free) * gains.error() // Student's quantile, to 2 % from three degrees of freedom on
	mean := sum/float64(m.Columns) + m.Communication(v.Where) - m.Communication(where) + m.Barrier(v.Where) - m.Barrier(where)
	return float64(m.Horizon) * (mean - doubt)
}

// evenRows are the rows if all processes did the same.
func (m *costModel) evenRows() [][]float32 {
	even := make([]float32, m.Columns)
	for c, work := range m.Totals() {
		even[c] = float32(work / float64(len(m.Rows)))
	}
	return slices.Repeat([][]float32{even}, len(m.Rows))
}

// byClass adds up samples of supersteps, each with those of its class: what these have in common was no chance.
type byClass []moments

func (b *byClass) add(class int, x float64) {
	for len(*b) <= class {
		*b = append(*b, moments{})
	}
	(*b)[class].add(x)
}

// error is the standard error of the mean; 0 if it is not known.
func (b byClass) error() float64 {
	n, squares, classes := 0.0, 0.0, 0.0
	for _, m := range b {
		if m.n > 0 {
			n, squares, classes = n+m.n, squares+max(0, m.squares-m.sum*m.sum/m.n), classes+1
		}
	}
	if n <= classes {
		return 0
	}
	return math.Sqrt(squares / (n - classes) / n)
}
