package rebalancer

import "math"

const (
	phaseBuckets   = 64   // sums that tell columns apart before they are compared in full
	phaseDistance  = 0.10 // columns differ if so much of their work is elsewhere
	phaseDeviation = 0.25 // or if one process differs by so much of the largest
)

// gatherPhases joins columns in which the same processes do the same share of
// the work: what still differs is noise, and a search must not fit to it.
func (m *autoModel) gatherPhases() {
	group := m.groupColumns()
	m.phases = 0
	for _, f := range group {
		m.phases = max(m.phases, f+1)
	}
	m.weight = make([]float64, m.phases)
	for c, f := range group {
		m.weight[f] += m.trend[c]
	}
	share := make([]float64, len(group))
	for c, f := range group {
		if m.weight[f] > 0 {
			share[c] = m.trend[c] / m.weight[f]
		}
	}
	m.work = make([]float64, len(m.home)*m.phases)
	for pid, row := range m.cost.rows {
		out := m.row(pid)
		for c, x := range row {
			out[group[c]] += share[c] * float64(x)
		}
	}
}

// groupColumns numbers the columns by the phase that they belong to.
func (m *autoModel) groupColumns() []int {
	group := make([]int, m.cost.columns)
	if len(group) == 1 {
		return group
	}
	marks, totals := m.columnMarks(), m.cost.totals()
	var leaders []int
	for c := range group {
		group[c] = len(leaders)
		for f, leader := range leaders {
			if marksDistance(marks[c], marks[leader]) <= phaseDistance && m.sameColumns(c, leader, totals) {
				group[c] = f
				break
			}
		}
		if group[c] == len(leaders) {
			leaders = append(leaders, c)
		}
	}
	return group
}

// columnMarks is, by column, the share of the work of each bucket of pids.
func (m *autoModel) columnMarks() [][]float64 {
	marks := make([][]float64, m.cost.columns)
	for c := range marks {
		marks[c] = make([]float64, phaseBuckets)
	}
	for pid, row := range m.cost.rows {
		bucket := (pid ^ pid>>6) % phaseBuckets
		for c, x := range row {
			marks[c][bucket] += float64(x)
		}
	}
	for _, mark := range marks {
		sum := 0.0
		for _, x := range mark {
			sum += x
		}
		for b := range mark {
			mark[b] = ratioOr(mark[b], sum, 0)
		}
	}
	return marks
}

func marksDistance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum
}

// sameColumns tells whether two columns differ by no more than noise, their
// totals set aside.
func (m *autoModel) sameColumns(a, b int, totals []float64) bool {
	if totals[a] <= 0 || totals[b] <= 0 {
		return totals[a] <= 0 && totals[b] <= 0
	}
	perA, perB := 1/totals[a], 1/totals[b]
	sum, worst, largest := 0.0, 0.0, 0.0
	for _, row := range m.cost.rows {
		if row == nil {
			continue
		}
		x, y := float64(row[a])*perA, float64(row[b])*perB
		difference := math.Abs(x - y)
		sum += difference
		worst = max(worst, difference)
		largest = max(largest, x, y)
		if sum > phaseDistance {
			return false
		}
	}
	return worst <= phaseDeviation*largest
}

// ratioOr is a/b, or other if b is nothing.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}
