package forecast

import "math"

// A predictor predicts the work of processes from their past. It returns columns that
// represent the coming supersteps, or false if it does not apply.
// It does not change the past.
type predictor func(past *Series) (coming *Series, ok bool)

// clone returns a copy that shares the rows, which are never changed in place.
func (m *Series) clone() *Series { return m.Part(0, m.Columns) }

// Part returns the series of consecutive columns.
func (m *Series) Part(from, to int) *Series {
	c := *m
	c.Columns, c.Classes = to-from, m.Classes[from:to]
	c.Rows = make([][]float32, len(m.Rows))
	for pid, row := range m.Rows {
		c.Rows[pid] = row[from:to:to]
	}
	return &c
}

// coming returns the prediction, with differences between processes to the extent that they persist.
func (p predictor) coming(past *Series) (*Series, bool) {
	coming, ok := p(past)
	if ok && past.set.Habits && !coming.Ahead {
		coming.learnPatterns()
	}
	return coming, ok
}

// error returns the error of a predictor on the past of the series, as a part of
// the work: the columns are split, the later part is predicted from the earlier one, and
//
//	error = sum over pid |foretold(pid) - was(pid)| / sum over pid of was(pid)
//
// of mean supersteps, averaged over splits at the half and at three quarters. It is infinite
// if the predictor does not apply.
func (p predictor) error(m *Series) float64 {
	sum := 0.0
	cuts := [2]int{m.Columns / 2, m.Columns * 3 / 4}
	for _, cut := range cuts {
		if cut < 2*len(m.ByClass()) || cut == m.Columns {
			return math.Inf(1)
		}
		known := m.Part(0, cut)
		known.Horizon = m.Columns - cut
		coming, ok := p.coming(known)
		if !ok {
			return math.Inf(1)
		}
		wrong, all := 0.0, 0.0
		for pid := range m.Rows {
			was := m.MeanWork(pid, cut)
			wrong += math.Abs(coming.MeanWork(pid, 0) - was)
			all += was
		}
		sum += ratioOr(wrong, all, 0)
	}
	return sum / float64(len(cuts))
}

// mean takes it that the supersteps to come are like those that were: all of them.
func mean(past *Series) (*Series, bool) { return past.clone(), true }

// driftFrom is the error of the last supersteps, as a part of the work, from which a drift is
// considered, and driftGain the part of that error by which a drift must be better, because it has
// more parameters to fit to noise.
const (
	driftFrom = 0.02
	driftGain = 0.1
)

// Coming returns a series that represents the coming supersteps, and the name of its
// predictor. told may be nil. If choose is false, all columns count.
//
// Declared loads come first, because they have proved to be better; then a wave, if one is
// detected; then the predictor with the smallest past error.
func Coming(past *Series, told *Foretold, choose bool) (*Series, string) {
	if coming, ok := told.predict(past); ok && past.set.Told {
		return coming, "told"
	}
	if past.set.Wave {
		if coming, ok := goOn(past); ok {
			return coming, "wave"
		}
	}
	if choose {
		predict, by := past.best()
		if coming, ok := predict.coming(past); ok {
			return coming.untilNoticed(past), by
		}
	}
	coming, _ := predictor(mean).coming(past)
	return coming, "mean"
}

// noticed is how many supersteps pass until a change of the load is noticed and answered.
const noticed = 2

// untilNoticed weights the columns of a window by the lifetime of a mapping, and adds a mean of
// all observed supersteps for the time after it until a change is noticed. A mapping that is good
// for a short while and bad afterwards is not worth its short saving.
func (m *Series) untilNoticed(past *Series) *Series {
	if past.Lasts == 0 || m.Ahead || m.Columns == past.Columns || len(past.ByClass()) > 1 {
		return m
	}
	late := int(math.Round(float64(past.Columns) * noticed / (past.Lasts + noticed)))
	all, _ := predictor(mean).coming(past)
	mixed := past.clone()
	for pid := range mixed.Rows {
		row := make([]float32, past.Columns)
		for c := range row {
			if c < late {
				row[c] = all.Rows[pid][c*past.Columns/late]
			} else {
				row[c] = m.Rows[pid][c%m.Columns]
			}
		}
		mixed.Rows[pid] = row
	}
	return mixed
}

// best is the predictor that would have been best on the series so far.
func (m *Series) best() (best predictor, by string) {
	best, by = mean, "mean"
	if m.set.Window {
		best, by = window, "window"
	}
	if !m.set.Drift {
		return best, by
	}
	if e := best.error(m); e > driftFrom && predictor(drift).error(m) < e*(1-driftGain) {
		return drift, "drift"
	}
	return best, by
}
