package search

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// targets are the multiples of the lower bound down to which overloaded
// ranks are relieved.
var targets = []float64{1.02, 1.1, 1, 1.05, 1.25}

// relieved is home where overloaded ranks give away what relieves them most for its bytes
// until they are within the target, and places that.
func (m *instance) relieved(target float64) []int32 {
	return m.placed(m.released(target), 0, target)
}

// released are the processes that overloaded ranks give away, by pid.
func (m *instance) released(target float64) (out []int32) {
	loads, limit := m.loads(m.Home), make([]float64, m.phases)
	for f, lower := range m.lower {
		limit[f] = target * lower
	}
	long := make([]bool, len(m.pace))
	for i, load := range loads {
		place := i / m.phases
		long[place] = long[place] || load*m.pace[place] > limit[i%m.phases]
	}
	score, over := make([]float64, len(m.Home)), make([][]int32, len(m.Usable))
	for pid, r := range m.Home {
		if host := m.Cost.Shared.Place(int(r)); m.Pinned[pid] || !long[r] && (host < 0 || !long[host]) {
			continue
		}
		if score[pid] = m.relief(pid, loads[int(r)*m.phases:], limit); score[pid] > 0 {
			over[r] = append(over[r], int32(pid))
		}
	}
	for r, pids := range over {
		descending(pids, func(pid int32) float64 { return score[pid] })
		load := loads[r*m.phases : (r+1)*m.phases]
		for _, pid := range pids {
			if m.relief(int(pid), load, limit) > 0 {
				out = append(out, pid)
				for f, x := range m.row(int(pid)) {
					load[f] -= x
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// relief is how much of a rank's excess a process takes away, by the seconds
// that its state needs.
func (m *instance) relief(pid int, load, limit []float64) float64 {
	r := int(m.Home[pid])
	relief := 0.0
	for f, x := range m.row(pid) {
		if excess := load[f] - limit[f]*m.Cost.Rates[r]; excess > 1e-12*load[f] {
			relief += m.weight[f] * min(x, excess)
		}
	}
	p := m.Cost.Platform
	return relief / (1e-9 + cost.Latency(p, r, r) + float64(m.State[pid])*p.Line(r))
}
