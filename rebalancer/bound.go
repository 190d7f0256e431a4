package rebalancer

import "slices"

// boundOf returns lower bounds on the time of any mapping. Only Step includes communication and the
// barrier. Longest and Share are means; Least is the mean of the larger of the two, so it may exceed
// both.
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
	if b.Longest > 1.05*b.Share { // list schedules come within about 5 % of the even share
		b.Split = mostOften(pids, longest)
	}
	return b
}

// speeds returns the rate of the fastest rank, and the sum over all usable ranks, or over all ranks if
// none is usable.
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

// mostOften returns the process with the largest sum of times over the supersteps where it is the
// longest, and the lowest pid among equals.
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
