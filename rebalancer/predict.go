package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// Confidence intervals of forecasts.
//
// A call predicts the duration of a superstep until the next call. The next call measures it, and the
// logarithm of the ratio is the forecast error. Errors are from this run and for the same number of
// supersteps, by any predictor. The interval of the next forecast is a quantile of the last errors
// (quantile).

const (
	errorsMost    = 16  // kept; older errors come from a different load
	intervalCases = 0.8 // part of the cases that an interval is for
)

// errorsAfter returns the forecast errors so far, including the error of the last call's forecast.
func errorsAfter(last *Decision, s *Snapshot) []float32 {
	measured, steps := MeasuredStep(s.Ranks)
	if steps == 0 || !(last.foretold() > 0) || !(measured > 0) {
		return last.Learned.Errors
	}
	all := append(slices.Clone(last.Learned.Errors), float32(math.Log(measured/last.foretold())))
	return all[max(0, len(all)-errorsMost):]
}

// sure sets the confidence interval of the forecast.
func (d *Decision) sure() {
	if off, step := quantile(d.Learned.Errors, intervalCases), d.foretold(); !math.IsInf(off, 1) {
		d.Prediction.Low, d.Prediction.High = step*math.Exp(-off), step*math.Exp(off)
	}
}

// quantile returns a bound that a part of the forecast errors does not exceed: of n errors, the one
// of rank ceil((n+1) part) by size. If the next error is exchangeable with them, it is within the
// bound with at least that probability, regardless of the distribution: split conformal prediction
// (Vovk, Gammerman and Shafer 2005). The bound is infinite if n is too small.
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

// foretell returns the loads declared by the program, and whether they predict better than the past.
// It returns nil if the program declared none, or if it is too early to compare.
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

// surelySteps is the number of supersteps needed to estimate the work of each process with confidence.
const surelySteps = 4

// surely returns a lower confidence bound, at 95 %, on the time a mapping saves over the
// remaining supersteps: from the mean and the standard error of the saving per superstep (Student
// 1908). The variance is within classes of supersteps; differences between classes are not
// random. With fewer than surelySteps supersteps it assumes that all processes do the same work,
// because two supersteps may belong to one burst of the same processes.
//
// It is for decisions that cannot be tried at a small scale: a large state either moves or stays.
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

// byChance returns the standard error of a mapping's saving over the remaining supersteps, which
// comes from random differences in work. It is 0 for samples of a wave that continues and for a
// run without a bank.
func (m *costModel) byChance(where []int32) float64 {
	if m.Ahead || m.view.Bank == nil {
		return 0
	}
	return float64(m.Horizon) * m.gains(m.Rows, where).error()
}

// gains returns the computing time that a mapping saves in rows, by column and class.
func (m *costModel) gains(rows [][]float32, where []int32) (gains byClass) {
	before, after, classes := m.ByColumn(rows, m.view.Where), m.ByColumn(rows, where), m.ByClass()
	if len(classes) == m.Columns { // each class has one column: compare all columns with each other
		classes = [][]int{slices.Concat(classes...)}
	}
	for class, columns := range classes {
		for _, c := range columns {
			gains.add(class, before[c]-after[c])
		}
	}
	return gains
}

// evenRows returns the rows for equal work on all processes.
func (m *costModel) evenRows() [][]float32 {
	even := make([]float32, m.Columns)
	for c, work := range m.Totals() {
		even[c] = float32(work / float64(len(m.Rows)))
	}
	return slices.Repeat([][]float32{even}, len(m.Rows))
}

// byClass sums samples of supersteps by class. Differences between classes are not random.
type byClass []moments

func (b *byClass) add(class int, x float64) {
	for len(*b) <= class {
		*b = append(*b, moments{})
	}
	(*b)[class].add(x)
}

// error returns the standard error of the mean; 0 if it is not known.
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
