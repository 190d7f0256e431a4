package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// How sure forecasts are.
//
// A call foretells what a superstep takes until the next one. What it took is measured then,
// and the logarithm of the ratio is the error of a forecast of the same kind as the next: of
// this run, for the same number of supersteps, whatever predictor it was by. The interval of
// the next forecast is where as many of the last errors lie (quantile).

const (
	errorsMost    = 16  // that are remembered: what was long ago was of another load
	intervalCases = 0.8 // part of the cases that an interval is for
)

// errorsAfter are those of the forecasts so far, with the one of the last call.
func errorsAfter(last *Decision, s *Snapshot) []float32 {
	measured, steps := MeasuredStep(s.Ranks)
	if steps == 0 || !(last.foretold() > 0) || !(measured > 0) {
		return last.Learned.Errors
	}
	all := append(slices.Clone(last.Learned.Errors), float32(math.Log(measured/last.foretold())))
	return all[max(0, len(all)-errorsMost):]
}

// sure says how sure the forecast is.
func (d *Decision) sure() {
	if off, step := quantile(d.Learned.Errors, intervalCases), d.foretold(); !math.IsInf(off, 1) {
		d.Prediction.Low, d.Prediction.High = step*math.Exp(-off), step*math.Exp(off)
	}
}

// quantile is what errors of forecasts do not exceed in a part of the cases: of n errors that
// were seen, the one of rank ceil((n+1) part) by size. If the next one is exchangeable with
// them, it is no larger with at least that probability, whatever their distribution is: split
// conformal prediction (Vovk, Gammerman and Shafer 2005). It is infinite while too few were
// seen to say that of any.
func quantile(errors []float32, part float64) float64 {
	rank := int(math.Ceil(float64(len(errors)+1) * part))
	if rank > len(errors) {
		return math.Inf(1)
	}
	sizes := make([]float64, len(errors))
	for i, e := range errors {
		sizes[i] = math.Abs(float64(e))
	}
	slices.Sort(sizes)
	return sizes[max(0, rank-1)]
}

// foretell finds out what a program has told, and whether that is better than the past; nil
// if it has told nothing, or nothing can be said yet.
func foretell(v View) *forecast.Foretold {
	if !slices.ContainsFunc(v.Snapshot.Processes, func(p Process) bool { return p.Told != nil }) {
		return nil
	}
	m := newCostModel(v)
	return forecast.Foretell(m.Series, func(pid int) (coming float64, recent []float32) {
		if p := m.process(pid); p.Told != nil && len(p.RecentWork) >= m.Columns {
			return p.Told.Coming, p.Told.Recent
		}
		return 0, nil
	})
}

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
	rows := m.Rows
	if m.Columns < surelySteps {
		rows = m.evenRows()
	}
	gains := m.gains(rows, where)
	free := float64(m.Columns - len(gains))
	if free < 1 {
		return 0
	}
	sum := 0.0
	for _, of := range gains {
		sum += of.sum
	}
	doubt := 1.65 * (1 + 1.3/free) * gains.error() // Student's quantile, to 2 % from three degrees of freedom on
	mean := sum/float64(m.Columns) + m.exchange(v.Where) - m.exchange(where)
	return float64(m.Horizon) * (mean - doubt)
}

// byChance is how much of what moves to a mapping save in the supersteps to come may come from who has much to do by
// chance: the standard error. Samples of a wave that goes on have none, and without a bank it does not matter.
func (m *costModel) byChance(where []int32) float64 {
	if m.Ahead || m.view.Bank == nil {
		return 0
	}
	return float64(m.Horizon) * m.gains(m.Rows, where).error()
}

// gains are what rows would have been computed sooner with a mapping, by column and class.
func (m *costModel) gains(rows [][]float32, where []int32) (gains byClass) {
	before, after, classes := m.ByColumn(rows, m.view.Where), m.ByColumn(rows, where), m.ByClass()
	if len(classes) == m.Columns { // there is nothing to compare with but each other
		classes = [][]int{slices.Concat(classes...)}
	}
	for class, columns := range classes {
		for _, c := range columns {
			gains.add(class, before[c]-after[c])
		}
	}
	return gains
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
