package forecast

// Learn makes the columns stand for the supersteps to come, rather than for those that
// were. What was told may be nil. Without window all columns count.
func (m *Series) Learn(f *Foretold, window bool) {
	if m.learnTold(f) {
		return
	}
	if !m.learnWave() {
		if window {
			m.window()
		}
		m.learnPatterns()
	}
}
