package forecast

// driftFrom is the error of the last supersteps, as a part of the work, from which on there is
// something to gain by a drift, and driftGain the part of it by which a drift must be better: it has
// more ways to fit by chance.
const (
	driftFrom = 0.02
	driftGain = 0.1
)

// Coming is a series that stands for the supersteps to come, and the predictor that it is
// by. What was told may be nil. Unless it may choose, all columns count.
//
// What was told goes before all, for it has proved to be better; then a wave, which is seen
// or not. The others compete: each has the Error that it would have made on this run, and
// one is taken in the place of the last supersteps only where it is less by a margin.
func Coming(past *Series, told *Foretold, choose bool) (*Series, Predictor) {
	if coming, ok := told.Predict(past); ok && past.set.Told {
		return coming, told
	}
	if past.set.Wave {
		if coming, ok := (Wave{}).Predict(past); ok {
			return coming, Wave{}
		}
	}
	best := Predictor(Mean{})
	if choose {
		best = past.best()
	}
	coming, ok := best.Predict(past)
	if !ok {
		coming, best = past.clone(), Mean{}
	}
	if past.set.Habits && !coming.Ahead {
		coming.learnPatterns()
	}
	return coming, best
}

// best is the predictor that would have been best on the series so far.
func (m *Series) best() Predictor {
	best := Predictor(Mean{})
	if m.set.Window {
		best = Window{}
	}
	if !m.set.Drift {
		return best
	}
	if e := Error(best, m); e > driftFrom && Error(Drift{}, m) < e*(1-driftGain) {
		best = Drift{}
	}
	return best
}
