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

	work  []float64 // by pid and class: of the coming stage
	known []bool    // by pid: it was told
	class []int     // by column: a number from 0
	count int       // of classes
	reach int       // supersteps until loads will have changed
}

// Foretell finds out whether what a program has told is better than the past; nil if nothing can be
// said yet. told are a process's loads in the coming stage and in the supersteps of the columns, fewer
// if these are not all known.
func Foretell(m *Series, told func(pid int) (coming float64, recent []float32)) *Foretold {
	classes := m.ByClass()
	f := &Foretold{known: make([]bool, len(m.Rows)), class: make([]int, m.Columns), count: len(classes)}
	for class, columns := range classes {
		for _, c := range columns {
			f.class[c] = class
		}
	}
	f.work = make([]float64, len(m.Rows)*f.count)
	var errors toldErrors
	change, sum := 0.0, 0.0
	for pid, row := range m.Rows {
		coming, loads := told(pid)
		if len(loads) < m.Columns || !(coming > 0) {
			continue
		}
		loads = loads[len(loads)-m.Columns:]
		f.known[pid] = errors.add(row, loads, f, f.work[pid*f.count:(pid+1)*f.count], coming)
		for c := 1; c < len(loads); c++ {
			change += math.Abs(float64(loads[c] - loads[c-1]))
			sum += float64(loads[c])
		}
	}
	if errors.columns < toldLeast || errors.work <= 0 {
		return nil
	}
	f.Told = errors.told / errors.work
	f.Past = min(errors.mean, errors.last) / errors.work
	f.Used = f.Told < toldMargin*f.Past
	f.reach = math.MaxInt32
	if change > 0 {
		f.reach = int(min(math.MaxInt32, max(1, toldReach*sum/change)))
	}
	return f
}

// toldErrors adds up how wrong the predictors were.
type toldErrors struct {
	told, mean, last, work float64
	columns                int // most that were predicted of a process
}

// add predicts each column of a process from those before it, and its coming work by class.
// It reports whether all of these are known.
func (e *toldErrors) add(row, loads []float32, f *Foretold, coming []float64, load float64) bool {
	type past struct {
		work, load, last float64
		n                int
	}
	seen := make([]past, f.count)
	predicted := 0
	for c, w := range row {
		p, work, told := &seen[f.class[c]], float64(w), float64(loads[c])
		if !(told > 0) {
			continue
		}
		if p.n > 0 && p.load > 0 {
			e.told += math.Abs(told*p.work/p.load - work)
			e.mean += math.Abs(p.work/float64(p.n) - work)
			e.last += math.Abs(p.last - work)
			e.work += work
			predicted++
		}
		p.work, p.load, p.last, p.n = p.work+work, p.load+told, work, p.n+1
	}
	e.columns = max(e.columns, predicted)
	for class, p := range seen {
		if p.n == 0 {
			return false
		}
		coming[class] = load * p.work / p.load
	}
	return true
}

// predict makes the columns stand for the stages to come by what was told of them, where
// that is better than the past.
func (f *Foretold) predict(past *Series) (*Series, bool) {
	if f == nil || !f.Used {
		return nil, false
	}
	m := past.clone()
	for pid, row := range m.Rows {
		if !f.known[pid] {
			continue
		}
		own := make([]float32, len(row))
		for c := range own {
			own[c] = float32(f.work[pid*f.count+f.class[c]])
		}
		m.Rows[pid] = own
	}
	m.Horizon = min(m.Horizon, f.reach)
	return m, true
}
