package rebalancer

import "github.com/migbsp/migbsp/rebalancer/internal/search"

// boundReached is how close to the longest process a mapping counts as limited
// by it.
const boundReached = 1.02

// boundBy is what no mapping can beat, from the work of the longest process and of all in each of
// the last supersteps, the rate of the fastest rank and that of all. Longest and Share are means;
// Least is the mean of the larger of the two, so it may exceed both.
func boundBy(longest, work []float64, fastest, rate float64) Bound {
	b := Bound{Split: -1}
	n := float64(max(1, len(work)))
	for c := range work {
		long, share := ratioOr(longest[c], fastest, 0), ratioOr(work[c], rate, 0)
		b.Longest, b.Share, b.Least = b.Longest+long/n, b.Share+share/n, b.Least+max(long, share)/n
	}
	return b
}

// boundOf finds what no mapping can beat. Communication and barrier are in Step alone.
func boundOf(v View) Bound {
	if len(v.Where) == 0 {
		return Bound{Split: -1}
	}
	m := newCostModel(v)
	pids, longest := m.Longest()
	fastest, speed := m.speeds()
	b := boundBy(longest, m.Totals(), fastest, speed)
	b.Step = m.step(v.Where, m.EqualWeights())
	if b.Longest > b.Share && m.reaches(boundReached*b.Longest) {
		b.Split = mostOften(pids, longest)
	}
	return b
}

// speeds are the rate of the fastest rank and the sum of all that may be used;
// of all ranks if none may be.
func (m *costModel) speeds() (fastest, sum float64) {
	for r, rate := range m.view.Rates {
		if rate > 0 {
			fastest, sum = max(fastest, m.Shared.Alone[r]), sum+rate
		}
	}
	if sum > 0 {
		return fastest, sum
	}
	for r, rate := range m.Rates {
		fastest, sum = max(fastest, m.Shared.Alone[r]), sum+rate
	}
	return fastest, sum
}

// reaches reports whether the present mapping, or a list schedule, computes a
// superstep within a time.
func (m *costModel) reaches(seconds float64) bool {
	weights := m.EqualWeights()
	if m.compute(m.view.Where, weights, nil) <= seconds {
		return true
	}
	return m.compute(search.FromScratch(newForecastModel(m.view).instance()), weights, nil) <= seconds
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
