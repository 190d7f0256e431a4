package rebalancer

// trendSure is how much work may have grown or shrunk since moves for what the moved
// processes took before and since to say anything about the ranks, where there are no
// others to compare with.
const trendSure = 1.5

// trendSince is how much the work of a process grew from before the moves to
// the columns since: the median over the processes that did not move. If no
// column is from before them, the line through the means is followed back. It is not
// sure where only that is known and work changes much, nor where the others take turns.
func (m *costModel) trendSince(p *Pending, first int) (trend float64, sure bool) {
	if first == 0 {
		trend = m.lineSince(p.Step)
		return trend, trend <= trendSure && trend >= 1/trendSure
	}
	moved := make(map[int]bool, len(p.Moves))
	for _, move := range p.Moves {
		moved[move.Pid] = true
	}
	var ratios []float64
	unsteady := false
	for pid, row := range m.rows {
		if row == nil || moved[pid] {
			continue
		}
		if !m.steady(pid, first) {
			unsteady = true
			continue
		}
		before := 0.0
		for _, work := range row[:first] {
			before += float64(work) / float64(first)
		}
		if after := m.meanWork(pid, first); before > 0 && after > 0 {
			ratios = append(ratios, after/before)
		}
	}
	if len(ratios) == 0 {
		return 1, !unsteady
	}
	return learnMedian(ratios), true
}

// lineSince is the mean work of those that work in the columns over what their line
// says for as many columns that end at a superstep.
func (m *costModel) lineSince(step int) float64 {
	var line trendLine
	for c, mean := range m.workerMeans() {
		line.add(float64(c), mean)
	}
	base, slope, ok := line.fit()
	if !ok {
		return 1
	}
	ago := float64(m.view.Step - step)
	then := base + slope*(float64(m.columns-1)/2-ago)
	if then <= 0 {
		return trendGrowth
	}
	return min(max(line.mean()/then, 1/trendGrowth), trendGrowth)
}

// workerMeans is, by column, the mean work of the processes that work.
func (m *costModel) workerMeans() []float64 {
	means := make([]float64, m.columns)
	for c := range means {
		sum, workers := 0.0, 0
		for pid, busy := range m.busy(c) {
			if busy {
				sum += float64(m.rows[pid][c])
				workers++
			}
		}
		means[c] = ratioOr(sum, float64(workers), 0)
	}
	return means
}
