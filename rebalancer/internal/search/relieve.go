package search

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// targets are multiples of the lower bound to which overloaded
// ranks are relieved.
var targets = []float64{1.02, 1.1, 1, 1.05, 1.25}

// relieved returns home after overloaded ranks have given away the processes with the most relief
// per byte until they are within the target, and these have been placed again.
func (m *instance) relieved(target float64) []int32 {
	return m.placed(m.released(target), 0, target)
}

// released are the processes that overloaded ranks give away, by pid.
func (m *instance) released(target float64) (out []int32) {
	loads, score, over := m.loads(m.Home), make([]float64, len(m.Home)), make([][]int32, len(m.Usable))
	for pid, r := range m.Home {
		if score[pid] = m.relief(pid, loads, target); score[pid] > 0 {
			over[r] = append(over[r], int32(pid))
		}
	}
	for r, pids := range over {
		descending(pids, func(pid int32) float64 { return score[pid] })
		for _, pid := range pids {
			if m.relief(int(pid), loads, target) > 0 {
				out = append(out, pid)
				m.load(loads, int(pid), r, -1)
			}
		}
	}
	slices.Sort(out)
	return out
}

// relief is how much of the excess of a rank and its host a process takes away, by the seconds
// that its state needs.
func (m *instance) relief(pid int, loads []float64, target float64) (relief float64) {
	if m.Pinned[pid] {
		return 0
	}
	p, r := m.Cost.Platform, int(m.Home[pid])
	for place := range m.Cost.Shared.Counts(r) {
		for f, x := range m.row(pid) {
			load := loads[place*m.phases+f]
			if excess := load - target*m.lower[f]/m.pace[place]; excess > 1e-12*load {
				relief += m.weight[f] * min(x, excess)
			}
		}
	}
	return relief / (1e-9 + cost.Latency(p, r, r) + float64(m.State[pid])*p.Line(r))
}
