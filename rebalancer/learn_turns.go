package rebalancer

// waitingBelow is the part of the mean work of those that moved below which a process
// is not at work but waits for its turn, as behind the front of a wave.
const waitingBelow = 1.0 / 8

// atWork tells of each move whether its process was at work before it and is so since.
// What a process took on two ranks says something about them only then.
func (m *costModel) atWork(p *Pending, first int) []bool {
	before, since := make([]float64, len(p.Moves)), make([]float64, len(p.Moves))
	for i, move := range p.Moves {
		if i < len(p.Work) && m.rows[move.Pid] != nil {
			before[i] = p.Work[i] * costSpeed(m.view, move.From)
			since[i] = m.meanWork(move.Pid, first)
		}
	}
	at := make([]bool, len(p.Moves))
	leastBefore, leastSince := waitingBelow*mean(before), waitingBelow*mean(since)
	for i := range at {
		at[i] = before[i] > leastBefore && since[i] > leastSince
	}
	return at
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return ratioOr(sum, float64(len(list)), 0)
}
