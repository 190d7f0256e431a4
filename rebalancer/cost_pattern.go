package rebalancer

import (
	"math"
	"slices"
)

const (
	partLeast     = 0.1 // part of the mean work from which on a process takes part in a superstep
	partAll       = 0.9 // part of the processes that counts as all of them
	patternAlike  = 0.5 // likeness from which on a superstep is taken to repeat the one before
	patternCloser = 1e-3
)

// pattern is how the work of one class of supersteps is spread over the
// processes, as far as the columns show it.
type pattern struct {
	columns  []int
	totals   []float64
	all      bool    // nearly all processes take part in each
	likeness float64 // of consecutive ones
	lasting  float64 // factor from one to the next by which they grow unlike
}

// patterns looks at the columns of each class.
func (m *costModel) patterns() []*pattern {
	var all []*pattern
	of := make(map[int]*pattern)
	totals := m.totals()
	for c := range m.columns {
		class := m.class(c)
		p := of[class]
		if p == nil {
			p = &pattern{totals: totals}
			of[class] = p
			all = append(all, p)
		}
		p.columns = append(p.columns, c)
	}
	for _, p := range all {
		m.study(p)
	}
	return all
}

// study compares the columns of a pattern.
func (m *costModel) study(p *pattern) {
	p.all, p.likeness, p.lasting = true, 1, 1
	n := len(p.columns)
	for _, c := range p.columns {
		if m.taking(c, p.totals[c]) < partAll {
			p.all = false
		}
	}
	if n < 2 {
		return
	}
	sum := 0.0
	for i := 1; i < n; i++ {
		sum += m.alike(p.columns[i-1], p.columns[i], p.totals)
	}
	p.likeness = sum / float64(n-1)
	ends := max(m.alike(p.columns[0], p.columns[n-1], p.totals), patternCloser)
	p.lasting = math.Pow(ends, 1/float64(n-1))
}

// taking is the part of the known processes that take part in a column.
func (m *costModel) taking(column int, total float64) float64 {
	least := partLeast * total / float64(max(1, len(m.rows)))
	known, taking := 0, 0
	for _, row := range m.rows {
		if row == nil {
			continue
		}
		known++
		if w := float64(row[column]); w > 0 && w >= least {
			taking++
		}
	}
	return ratioOr(float64(taking), float64(known), 1)
}

// alike is how much two columns are the same, between 0 and 1, their totals set
// aside: what both have over what either has.
func (m *costModel) alike(a, b int, totals []float64) float64 {
	if totals[a] <= 0 || totals[b] <= 0 {
		return 1
	}
	both, either := 0.0, 0.0
	for _, row := range m.rows {
		if row == nil {
			continue
		}
		x, y := float64(row[a])/totals[a], float64(row[b])/totals[b]
		both += min(x, y)
		either += max(x, y)
	}
	return ratioOr(both, either, 1)
}

// known tells whether the columns of a pattern can stand for those to come: the
// same processes work again, or all that ever work have had their turn.
func (m *costModel) known(p *pattern, working []bool) bool {
	if p.all || len(p.columns) > 1 && p.likeness >= patternAlike {
		return true
	}
	seen, workers := 0, 0
	for pid, row := range m.rows {
		if row == nil || !working[pid] {
			continue
		}
		workers++
		for _, c := range p.columns {
			if w := float64(row[c]); w > 0 && w >= partLeast*p.totals[c]/float64(len(m.rows)) {
				seen++
				break
			}
		}
	}
	return float64(seen) >= partAll*float64(workers)
}

// workers are the processes that take part in any column.
func (m *costModel) workers(all []*pattern) []bool {
	working := make([]bool, len(m.rows))
	for _, p := range all {
		for _, c := range p.columns {
			least := partLeast * p.totals[c] / float64(max(1, len(m.rows)))
			for pid, row := range m.rows {
				if row != nil && float64(row[c]) > 0 && float64(row[c]) >= least {
					working[pid] = true
				}
			}
		}
	}
	return working
}

// learnPatterns makes the columns stand for the supersteps to come. Where other
// processes work each time and not all have been seen, nothing says whose turn
// is next: the work is then spread evenly over all that work at all. Where work
// wanders, old columns count less and the horizon ends where nothing will be as
// it was.
func (m *costModel) learnPatterns() {
	all := m.patterns()
	working := m.workers(all)
	wandering, weight := 0.0, 0.0
	for _, p := range all {
		if !m.known(p, working) {
			m.spread(p, working)
			continue
		}
		if !p.all && p.likeness < patternAlike {
			continue
		}
		total := 0.0
		for _, c := range p.columns {
			total += p.totals[c]
		}
		wandering -= total * math.Log(p.lasting) / float64(len(all))
		weight += total
		m.forget(p)
	}
	if rate := ratioOr(wandering, weight, 0); rate > 0 && m.horizon > 0 {
		lasting := -math.Expm1(-rate*float64(m.horizon)) / rate
		m.horizon = max(1, min(m.horizon, int(math.Ceil(lasting))))
	}
}

// spread gives all working processes the mean work of a pattern's columns.
func (m *costModel) spread(p *pattern, working []bool) {
	workers := 0
	for _, w := range working {
		if w {
			workers++
		}
	}
	if workers == 0 {
		return
	}
	for pid, row := range m.rows {
		if row == nil {
			continue
		}
		own := slices.Clone(row)
		for _, c := range p.columns {
			own[c] = 0
			if working[pid] {
				own[c] = float32(p.totals[c] / float64(workers))
			}
		}
		m.rows[pid] = own
	}
}

// forget weights a pattern's columns by how much they are still like the next.
func (m *costModel) forget(p *pattern) {
	n := len(p.columns)
	sum := 0.0
	for i := range p.columns {
		sum += math.Pow(p.lasting, float64(n-1-i))
	}
	for i, c := range p.columns {
		m.recent[c] *= float64(n) * math.Pow(p.lasting, float64(n-1-i)) / sum
	}
}
