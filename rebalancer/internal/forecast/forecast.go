package forecast

// driftFrom is the error of the last supersteps, as a part of the work, from which on there is
// something to gain by a drift, and driftGain the part of it by which a drift must be better: it has
// more ways to fit by chance.
const (
	driftFrom = 0.02
	driftGain = 0.1
)

// Coming is a series that stands for the supersteps to come, and the name of the predictor that
// it is by. What was told may be nil. Unless it may choose, all columns count.
//
// What was told goes before all, for it has proved to be better; then a wave, which is seen
// or not. The others compete: each has the Error that it would have made on this run, and
// one is taken in the place of the last supersteps only where it is less by a margin.
func Coming(past *Series, told *Foretold, choose bool) (*Series, string) {
	if coming, ok := told.predict(past); ok && past.set.Told {
		return coming, "told"
	}
	if past.set.Wave {
		if coming, ok := goOn(past); ok {
			return coming, "wave"
		}
	}
	predict, by := predictor(mean), "mean"
	if choose {
		predict, by = past.best()
	}
	coming, ok := predict(past)
	if !ok {
		coming, by = past.clone(), "mean"
	}
	if past.set.Habits && !coming.Ahead {
		coming.learnPatterns()
	}
	return coming, by
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
