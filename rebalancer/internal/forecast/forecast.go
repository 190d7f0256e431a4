package forecast

// Learn makes the columns stand for the supersteps to come, rather than for those that
// were. What was told may be nil. Without window all columns count.
func (m *Series) Learn(f *Foretold, window bool) {
	switch {
	case m.set.Told && m.learnTold(f):
	case m.set.Wave && m.learnWave():
	default:
		if window && m.set.Window {
			m.window()
		}
		if m.set.Habits {
			m.learnPatterns()
		}
	}
}
