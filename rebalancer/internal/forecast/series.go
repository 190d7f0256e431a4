package forecast

import "github.com/migbsp/migbsp/rebalancer/internal/params"

// waveLeast is the part of what the busy ones do from which on a process works: waiting for one's
// turn takes some time as well.
const waveLeast = 0.1

// Series is the work of processes in supersteps: in the last ones, oldest first, or in some
// that stand for those to come.
type Series struct {
	Rows    [][]float32 // by pid: work in each column; nil if the process is not known
	Columns int
	Classes []int // of the columns
	Horizon int   // supersteps still to come that it can say something about
	Samples int   // columns that may stand for those to come, at most
	set     *params.Forecast

	Ahead bool // columns are samples of the supersteps to come
}

// NewSeries is that of rows of so many columns, all of the same weight.
func NewSeries(rows [][]float32, classes []int, columns, horizon, samples int, set *params.Forecast) *Series {
	m := &Series{set: set, Rows: rows, Columns: columns, Classes: classes, Horizon: horizon, Samples: samples}
	return m
}

// Class is the class of a column; Classes are those of the last columns.
func (m *Series) Class(column int) int {
	at := len(m.Classes) - m.Columns + column
	if at < 0 || at >= len(m.Classes) {
		return 0
	}
	return m.Classes[at]
}

// EqualWeights make every column count the same: the mean.
func (m *Series) EqualWeights() []float64 {
	weights := make([]float64, m.Columns)
	for c := range weights {
		weights[c] = 1 / float64(m.Columns)
	}
	return weights
}

// Totals is the work of all processes in each column.
func (m *Series) Totals() []float64 {
	totals := make([]float64, m.Columns)
	for _, row := range m.Rows {
		for c, work := range row {
			totals[c] += float64(work)
		}
	}
	return totals
}

// MeanWork is a process's work per superstep in the columns from one on.
func (m *Series) MeanWork(pid, from int) float64 {
	sum := 0.0
	for _, work := range m.Rows[pid][from:] {
		sum += float64(work)
	}
	return sum / float64(m.Columns-from)
}

// WorkerMeans is, by column, the mean work of the processes that work.
func (m *Series) WorkerMeans() []float64 {
	means := make([]float64, m.Columns)
	for c := range means {
		sum, workers := 0.0, 0
		for pid, busy := range m.busy(c) {
			if busy {
				sum += float64(m.Rows[pid][c])
				workers++
			}
		}
		means[c] = ratioOr(sum, float64(workers), 0)
	}
	return means
}

// busy tells, by pid, who works in a column: who does a part of what the busy ones do.
// Waiting for one's turn takes some time as well.
func (m *Series) busy(column int) []bool {
	sum, squares := 0.0, 0.0
	for _, row := range m.Rows {
		if row != nil {
			w := float64(row[column])
			sum, squares = sum+w, squares+w*w
		}
	}
	least := waveLeast * ratioOr(squares, sum, 0)
	active := make([]bool, len(m.Rows))
	for pid, row := range m.Rows {
		active[pid] = row != nil && row[column] > 0 && float64(row[column]) >= least
	}
	return active
}

// Longest is, by column, the first process with the most work, and that work.
func (m *Series) Longest() (pids []int, work []float64) {
	pids, work = make([]int, m.Columns), make([]float64, m.Columns)
	for pid, row := range m.Rows {
		for c, x := range row {
			if float64(x) > work[c] {
				pids[c], work[c] = pid, float64(x)
			}
		}
	}
	return pids, work
}

// ratioOr is a/b, or other if b is nothing.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}
