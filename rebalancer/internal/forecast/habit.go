package forecast

import (
	"math"
	"slices"
)

// habitAlike is the correlation from which on a superstep is taken to repeat the one before,
// though not all work in it.
const habitAlike = 0.5

const (
	// partLeast is the part of the mean work from which on a process takes part in a superstep, and
	// partAll that of the processes that counts as all of them.
	partLeast = 0.1
	partAll   = 0.9

	// patternEven is the relative variance of what is the same for all processes, patternCloser how
	// near to 1 a likeness is that takes nothing from differences.
	patternEven   = 1e-9
	patternCloser = 1e-3
)

// pattern is how the work of one class of supersteps is spread over the
// processes, as far as the columns show it.
type pattern struct {
	columns  []int
	totals   []float64
	all      bool    // nearly all processes take part in each
	likeness float64 // of consecutive ones
}

// patterns looks at the columns of each class.
func (m *Series) patterns() []*pattern {
	var all []*pattern
	of := make(map[int]*pattern)
	totals := m.Totals()
	for c := range m.Columns {
		class := m.Class(c)
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
func (m *Series) study(p *pattern) {
	p.all, p.likeness = true, 1
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
}

// taking is the part of the known processes that take part in a column.
func (m *Series) taking(column int, total float64) float64 {
	least := partLeast * total / float64(max(1, len(m.Rows)))
	known, taking := 0, 0
	for _, row := range m.Rows {
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

// alike is how much the differences between processes are the same in two
// columns: their correlation, between 0 and 1. Noise has none.
func (m *Series) alike(a, b int, totals []float64) float64 {
	if totals[a] <= 0 || totals[b] <= 0 {
		return 1
	}
	n, xx, yy, xy := 0.0, 0.0, 0.0, 0.0
	for _, row := range m.Rows {
		if row == nil {
			continue
		}
		x, y := float64(row[a])/totals[a], float64(row[b])/totals[b]
		n, xx, yy, xy = n+1, xx+x*x, yy+y*y, xy+x*y
	}
	// Shares add up to 1, so that the mean is 1/n.
	xx, yy, xy = xx-1/n, yy-1/n, xy-1/n
	if xx <= patternEven/n || yy <= patternEven/n {
		return 1
	}
	return min(1, max(0, xy/math.Sqrt(xx*yy)))
}

// known reports whether the columns of a pattern can stand for those to come: the
// same processes work again, or all that ever work have had their turn. One
// column says nothing of the next.
func (m *Series) known(p *pattern, working []bool) bool {
	if len(p.columns) < 2 {
		return m.Columns == 1
	}
	if p.all || p.likeness >= habitAlike {
		return true
	}
	seen, workers := 0, 0
	for pid, row := range m.Rows {
		if row == nil || !working[pid] {
			continue
		}
		workers++
		for _, c := range p.columns {
			if w := float64(row[c]); w > 0 && w >= partLeast*p.totals[c]/float64(len(m.Rows)) {
				seen++
				break
			}
		}
	}
	return float64(seen) >= partAll*float64(workers)
}

// workers are the processes that take part in any column.
func (m *Series) workers(all []*pattern) []bool {
	working := make([]bool, len(m.Rows))
	for _, p := range all {
		for _, c := range p.columns {
			least := partLeast * p.totals[c] / float64(max(1, len(m.Rows)))
			for pid, row := range m.Rows {
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
// is next: the work is then spread evenly over all that work at all. Else what a process does more or less
// than the others is kept as far as consecutive columns are alike.
func (m *Series) learnPatterns() {
	all := m.patterns()
	working := m.workers(all)
	own := false
	change := func() {
		if !own {
			own = true
			for pid, row := range m.Rows {
				m.Rows[pid] = slices.Clone(row)
			}
		}
	}
	for _, p := range all {
		switch known := m.known(p, working); {
		case !known:
			change()
			m.level(p, working, 0)
		case p.all || p.likeness >= habitAlike:
			if p.likeness < 1-patternCloser {
				change()
				m.level(p, working, p.likeness)
			}
		}
	}
}

// level brings the working processes closer to the mean of a pattern's columns:
// that part of the difference is kept. m.Rows must be its own.
func (m *Series) level(p *pattern, working []bool, kept float64) {
	workers := 0
	for _, w := range working {
		if w {
			workers++
		}
	}
	if workers == 0 {
		return
	}
	for pid, row := range m.Rows {
		if row == nil {
			continue
		}
		for _, c := range p.columns {
			mean := 0.0
			if working[pid] {
				mean = p.totals[c] / float64(workers)
			}
			row[c] = float32(mean + kept*(float64(row[c])-mean))
		}
	}
}
