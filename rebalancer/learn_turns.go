package rebalancer

// waitingBelow is the part of the mean work of those that moved below which a process
// is not at work but waits for its turn, as behind the front of a wave.
const waitingBelow = 1.0 / 8

// telling tells of each move whether what its process took before and since says something
// about the ranks: it is where it went, did about the same in all supersteps, and was at
// work before as it is since.
func (m *costModel) telling(p *Pending, first int) []bool {
	before, since := make([]float64, len(p.Moves)), make([]float64, len(p.Moves))
	tells := make([]bool, len(p.Moves))
	for i, move := range p.Moves {
		if i < len(p.Work) && stillThere(m.view.Where, move) && m.steady(move.Pid, first) {
			before[i] = p.Work[i] * costSpeed(m.view, move.From)
			since[i] = m.meanWork(move.Pid, first)
			tells[i] = true
		}
	}
	leastBefore, leastSince := waitingBelow*meanOf(before, tells), waitingBelow*meanOf(since, tells)
	for i := range tells {
		tells[i] = tells[i] && before[i] > leastBefore && since[i] > leastSince
	}
	return tells
}

// meanOf is the mean of those values that are counted.
func meanOf(values []float64, counted []bool) float64 {
	sum, n := 0.0, 0.0
	for i, value := range values {
		if counted[i] {
			sum += value
			n++
		}
	}
	return ratioOr(sum, n, 0)
}
