package rebalancer

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// boundReached is how close to the longest process a mapping counts as limited
// by it.
const boundReached = 1.02

// manyReach is from how many times the even share on the longest process of a large run limits it:
// its list schedules come within about as much of the even share.
const manyReach = 1.05

// boundOf finds what no mapping can beat. Communication and barrier are in Step alone. Longest and
// Share are means; Least is the mean of the larger of the two, so it may exceed both.
func boundOf(v View) Bound {
	if len(v.Where) == 0 {
		return Bound{Split: -1}
	}
	m := newCostModel(v)
	pids, longest := m.Longest()
	fastest, speed := m.speeds()
	b := Bound{Split: -1}
	n := float64(max(1, m.Columns))
	for c, work := range m.Totals() {
		long, share := ratioOr(longest[c], fastest, 0), ratioOr(work, speed, 0)
		b.Longest, b.Share, b.Least = b.Longest+long/n, b.Share+share/n, b.Least+max(long, share)/n
	}
	b.Step = m.step(v.Where)
	if b.Longest > b.Share && m.reaches(b) {
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

// reaches reports whether the present mapping, or a list schedule, takes about as long as the longest
// process alone. In a large run that is not tried: small processes fill what is left beside it.
func (m *costModel) reaches(b Bound) bool {
	if len(m.view.Where) >= search.LargeRun {
		return b.Longest > manyReach*b.Share
	}
	seconds := boundReached * b.Longest
	return m.compute(m.view.Where) <= seconds || m.compute(search.FromScratch(newForecastModel(m.view).instance())) <= seconds
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
