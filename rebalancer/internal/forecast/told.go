package forecast

import "math"

const (
	// toldLeast columns must have been foretold by what was told before it is believed. Fewer
	// believe by chance, more wait in vain in short loops.
	toldLeast = 3
	// toldMargin is the part of the past's errors below which those of what was told must be,
	// for it adds the error of the last load.
	toldMargin = 0.8
	// toldReach is the part of the loads that may change until a forecast ends: what was told
	// is of the next stage only.
	toldReach = 0.25
)

// What a program says of its loads predicts the work of the coming stage as
//
//	work(p, next) = load(p, next) * sum of work(p) / sum of load(p)
//
// over the supersteps of the same class that were observed. It is believed if it would have
// been right before: over the columns, each predicted from those before it, its errors are
// smaller than those of the past, which predicts the mean of the columns before or the
// last one, whichever is better.

// Foretold compares what a program has told with what the past says, on this run.
type Foretold struct {
	Told, Past float64 // errors, as parts of the work
	Used       bool    // what was told is used

	rows  [][]float32 // by pid and column: work of the class in the coming stage; nil where it is not known
	reach int         // supersteps until loads will have changed
}

// Foretell finds out whether what a program has told is better than the past; nil if nothing can be
// said yet. told are a process's loads in the coming stage and in the supersteps of the columns, fewer
// if these are not all known.
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

// predict makes the columns stand for the stages to come by what was told of them, where
// that is better than the past.
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
