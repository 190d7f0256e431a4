package rebalancer

// trendSince is how much the work of a process grew from before the moves to
// the columns since: the median over the processes that did not move. If no
// column is from before them, the line through the totals is followed back.
func (m *costModel) trendSince(p *Pending, first int) float64 {
	if first == 0 {
		return m.lineSince(p.Step)
	}
	moved := make(map[int]bool, len(p.Moves))
	for _, move := range p.Moves {
		moved[move.Pid] = true
	}
	var ratios []float64
	for pid, row := range m.rows {
		if row == nil || moved[pid] {
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
		return 1
	}
	return learnMedian(ratios)
}

// lineSince is the mean total in the columns over what their line says for as
// many columns that end at a superstep.
func (m *costModel) lineSince(step int) float64 {
	var line trendLine
	for c, total := range m.totals() {
		line.add(float64(c), total)
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
