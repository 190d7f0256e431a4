package forecast

import "math"

const (
	// toldLeast is the number of columns that declared loads must have predicted before they are used. A
	// lower value accepts chance, a higher one waits too long in short loops.
	toldLeast = 3
	// toldMargin is the factor below the past's errors that the errors of declared loads must reach,
	// because a forecast adds the error of the last load.
	toldMargin = 0.8
	// toldReach is the part of the loads that may change until a forecast ends: loads are declared
	// for the next stage only.
	toldReach = 0.25
)

// Declared loads predict the work of the coming stage as
//
//	work(p, next) = load(p, next) * sum of work(p) / sum of load(p)
//
// over the observed supersteps of the same class. They are used if they would have
// been better before: over the columns, each predicted from the earlier ones, their errors are
// smaller than those of the past, which predicts the mean of the earlier columns or the
// last column, the better of the two.

// Foretold compares the declared loads with the past as predictors on this run.
type Foretold struct {
	Told, Past float64 // errors, as parts of the work
	Used       bool    // declared loads are used

	rows  [][]float32 // by pid and column: work of the class in the coming stage; nil where it is not known
	reach int         // supersteps until loads will have changed
}

// Foretell compares the declared loads with the past; it returns nil if it is too early to compare.
// told returns a process's loads in the coming stage and in the supersteps of the columns, fewer
// if some are not known.
func Foretell(m *Series, told func(pid int) (coming float64, recent []float32)) *Foretold {
	f := &Foretold{rows: make([][]float32, len(m.Rows)), reach: math.MaxInt32}
	classes, most := m.ByClass(), 0 // columns that were foretold of a process
	var byTold, byMean, byLast, work, change, sum float64
	for pid, row := range m.Rows {
		coming, loads := told(pid)
		if len(loads) < m.Columns || !(coming > 0) {
			continue
		}
		loads = loads[len(loads)-m.Columns:]
		own, foretold, known := make([]float32, m.Columns), 0, true
		for _, columns := range classes {
			var did, load, last, n float64
			for _, c := range columns {
				is, told := float64(row[c]), float64(loads[c])
				if !(told > 0) {
					continue
				}
				if n > 0 {
					byTold += math.Abs(told*did/load - is)
					byMean += math.Abs(did/n - is)
					byLast += math.Abs(last - is)
					work += is
					foretold++
				}
				did, load, last, n = did+is, load+told, is, n+1
			}
			known = known && n > 0
			for _, c := range columns {
				own[c] = float32(coming * did / load)
			}
		}
		if known {
			f.rows[pid] = own
		}
		most = max(most, foretold)
		for c := 1; c < len(loads); c++ {
			change += math.Abs(float64(loads[c] - loads[c-1]))
			sum += float64(loads[c])
		}
	}
	if most < toldLeast || work <= 0 {
		return nil
	}
	f.Told, f.Past = byTold/work, min(byMean, byLast)/work
	f.Used = f.Told < toldMargin*f.Past
	if change > 0 {
		f.reach = int(min(math.MaxInt32, max(1, toldReach*sum/change)))
	}
	return f
}

// predict makes the columns represent the coming stages by the declared loads, if they are
// better than the past.
func (f *Foretold) predict(past *Series) (*Series, bool) {
	if f == nil || !f.Used {
		return nil, false
	}
	m := past.clone()
	for pid, row := range f.rows {
		if row != nil {
			m.Rows[pid] = row
		}
	}
	m.Horizon = min(m.Horizon, f.reach)
	return m, true
}
