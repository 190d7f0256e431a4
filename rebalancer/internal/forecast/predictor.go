package forecast

import (
	"math"
	"slices"
)

// A Predictor foretells the work of processes from what they did.
type Predictor interface {
	// Name is one word.
	Name() string
	// Predict returns columns that stand for the supersteps to come; false if it sees
	// nothing in the past that it could go by. It does not change the past.
	Predict(past *Series) (coming *Series, ok bool)
}

// clone is a copy that shares rows, which are not changed in place.
func (m *Series) clone() *Series {
	c := *m
	c.Rows = slices.Clone(m.Rows)
	return &c
}

// first is the series of the columns before one, as it was known then; the others were to
// come.
func (m *Series) first(cut int) *Series {
	c := *m
	c.Columns, c.Horizon = cut, m.Columns-cut
	c.Classes = make([]int, cut)
	for k := range c.Classes {
		c.Classes[k] = m.Class(k)
	}
	c.Rows = make([][]float32, len(m.Rows))
	for pid, row := range m.Rows {
		if row != nil {
			c.Rows[pid] = row[:cut:cut]
		}
	}
	return &c
}

// last is the series of the last n columns.
func (m *Series) last(n int) *Series {
	c := m.clone()
	for pid, row := range c.Rows {
		if row != nil {
			c.Rows[pid] = row[m.Columns-n:]
		}
	}
	c.Columns = n
	return c
}

// classes is how many classes of supersteps the columns are of.
func (m *Series) classes() int {
	seen := make(map[int]bool)
	for c := range m.Columns {
		seen[m.Class(c)] = true
	}
	return len(seen)
}

// expected is the work of each process in a mean superstep to come.
func (m *Series) expected() []float64 {
	work, weights := make([]float64, len(m.Rows)), m.EqualWeights()
	for pid, row := range m.Rows {
		for c, w := range row {
			work[pid] += weights[c] * float64(w)
		}
	}
	return work
}

// Error is by how much a predictor would have been wrong on the series itself, as a part of
// the work: the columns are cut in two, the later part foretold from the earlier one, and
//
//	error = sum over pid |foretold(pid) - was(pid)| / sum over pid of was(pid)
//
// of mean supersteps, averaged over cuts at the half and at three quarters. It is infinite
// where the predictor has nothing to say.
func Error(p Predictor, m *Series) float64 {
	sum := 0.0
	cuts := [2]int{m.Columns / 2, m.Columns * 3 / 4}
	for _, cut := range cuts {
		if cut < 2*m.classes() || cut == m.Columns {
			return math.Inf(1)
		}
		coming, ok := p.Predict(m.first(cut))
		if !ok {
			return math.Inf(1)
		}
		if m.set.Habits && !coming.Ahead {
			coming.learnPatterns()
		}
		wrong, all := 0.0, 0.0
		for pid, work := range coming.expected() {
			if m.Rows[pid] == nil {
				continue
			}
			was := m.MeanWork(pid, cut)
			wrong += math.Abs(work - was)
			all += was
		}
		sum += ratioOr(wrong, all, 0)
	}
	return sum / float64(len(cuts))
}

// Mean takes it that the supersteps to come are like those that were: all of them.
type Mean struct{}

// Name implements Predictor, as Predict does.
func (Mean) Name() string { return "mean" }

// Predict returns all columns.
func (Mean) Predict(past *Series) (*Series, bool) { return past.clone(), true }
