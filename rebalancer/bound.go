package rebalancer

import "slices"

// boundOf finds what no mapping can beat. Communication and barrier are in Step alone. Longest and
// Share are means; Least is the mean of the larger of the two, so it may exceed both.
func boundOf(v View) Bound {
	if len(v.Where) == 0 {
		return Bound{Split: -1}
	}
	m, b := newCostModel(v), Bound{Split: -1}
	pids, longest := m.Longest()
	fastest, speed := m.speeds()
	n := float64(max(1, m.Columns))
	for c, work := range m.Totals() {
		long, share := ratioOr(longest[c], fastest, 0), ratioOr(work, speed, 0)
		b.Longest, b.Share, b.Least = b.Longest+long/n, b.Share+share/n, b.Least+max(long, share)/n
	}
	b.Step = m.step(v.Where)
	if b.Longest > 1.05*b.Share { // list schedules come within about as much of the even share
		b.Split = mostOften(pids, longest)
	}
	return b
}

// speeds are the rate of the fastest rank and the sum of all that may be used;
// of all ranks if none may be.
func (m *costModel) speeds() (fastest, sum float64) {
	rates := m.view.Rates
	if slices.Max(rates) <= 0 {
		rates = m.Rates
	}
	for r, rate := range rates {
		if rate > 0 {
			fastest, sum = max(fastest, m.Shared.Alone[r]), sum+rate
		}
	}
	return fastest, sum
}

// mostOften is the process that is the longest in supersteps that take longest
// together; of equal ones the first.
func mostOften(pids []int, longest []float64) int {
	sums := map[int]float64{}
	for c, pid := range pids {
		sums[pid] += longest[c]
	}
	best := pids[0]
	for _, pid := range pids {
		if sums[pid] > sums[best] || (sums[pid] == sums[best] && pid < best) {
			best = pid
		}
	}
	return best
}
