package forecast

import "github.com/migbsp/migbsp/rebalancer/internal/params"

// Series is the work of processes in supersteps: in the last ones, oldest first, or in some
// that stand for those to come.
type Series struct {
	Rows    [][]float32 // by pid: work in each column
	Columns int
	Classes []int   // of the columns
	Horizon int     // supersteps still to come that it can say something about
	Samples int     // columns that may stand for those to come, at most
	Lasts   float64 // supersteps for which mappings last; 0 if that is not known
	set     *params.Forecast

	Ahead bool // columns are samples of the supersteps to come
}

// NewSeries returns the series of rows with the given number of equally weighted columns. classes
// are the classes of the last columns; earlier columns are of class 0.
func NewSeries(rows [][]float32, classes []int, columns, horizon, samples int, set *params.Forecast) *Series {
	m := &Series{set: set, Rows: rows, Columns: columns, Classes: make([]int, columns), Horizon: horizon, Samples: samples}
	n := min(columns, len(classes))
	copy(m.Classes[columns-n:], classes[len(classes)-n:])
	return m
}

// ByClass returns the columns of each class, classes in order of appearance.
func (m *Series) ByClass() (all [][]int) {
	at := make(map[int]int)
	for c, class := range m.Classes {
		k, known := at[class]
		if !known {
			k = len(all)
			at[class], all = k, append(all, nil)
		}
		all[k] = append(all[k], c)
	}
	return all
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

// ratioOr returns a/b, or other if b is 0.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}
