package search

import (
	"cmp"
	"slices"
)

// targets are the multiples of the lower bound down to which overloaded
// ranks are relieved.
var targets = []float64{1.02, 1.1, 1, 1.05, 1.25}

// relieved is home where overloaded ranks give away what relieves them most for its bytes
// until they are within the target, and places that.
func (m *instance) relieved(target float64) []int32 {
	limit := make([]float64, m.phases)
	for f := range limit {
		limit[f] = target * m.lower[f]
	}
	where := slices.Clone(m.home)
	released := m.release(where, limit)
	newPlacement(m, where, target).place(m.singles(released))
	return where
}

// fromScratch places all processes, each rank starting with what cannot move.
func (m *instance) fromScratch() []int32 {
	where := slices.Clone(m.home)
	var released []int32
	for pid, fixed := range m.fixed {
		if !fixed {
			released = append(released, int32(pid))
			where[pid] = -1
		}
	}
	newPlacement(m, where, 1).place(m.singles(released))
	return where
}

// candidate is a process that a rank might give away.
type candidate struct {
	pid   int32
	score float64
}

// release takes processes off overloaded ranks: their place becomes -1.
func (m *instance) release(where []int32, limit []float64) []int32 {
	loads := m.loads(where)
	long := make([]bool, len(m.pace))
	for i, load := range loads {
		place := i / m.phases
		long[place] = long[place] || load*m.pace[place] > limit[i%m.phases]
	}
	busy := make([]bool, len(m.fast))
	for r := range busy {
		host := m.cost.Shared.Place(r)
		busy[r] = long[r] || host >= 0 && long[host]
	}
	over := make([][]candidate, len(m.fast))
	for pid, r := range where {
		if m.fixed[pid] || !busy[r] {
			continue
		}
		if relief := m.relief(pid, loads[int(r)*m.phases:], limit); relief > 0 {
			over[r] = append(over[r], candidate{pid: int32(pid), score: relief})
		}
	}
	var released []int32
	for r, reliefs := range over {
		slices.SortFunc(reliefs, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.pid, b.pid))
		})
		released = append(released, m.releaseFrom(reliefs, loads[r*m.phases:(r+1)*m.phases], limit)...)
	}
	for _, pid := range released {
		where[pid] = -1
	}
	return released
}

// relief is how much of a rank's excess a process takes away, by the seconds
// that its state needs.
func (m *instance) relief(pid int, load, limit []float64) float64 {
	r := int(m.home[pid])
	relief := 0.0
	for f, x := range m.row(pid) {
		excess := load[f] - limit[f]*m.cost.Rates[r]
		if excess <= 1e-12*load[f] {
			continue
		}
		if x < excess {
			excess = x
		}
		relief += m.weight[f] * excess
	}
	set := m.cost.Platform.Ranks[r].Set
	link := m.cost.Platform.Links[set][set]
	return relief / (1e-9 + link.Latency + float64(m.state[pid])*link.PerByte)
}

// releaseFrom gives away in order of score what still relieves a rank of its load.
func (m *instance) releaseFrom(reliefs []candidate, load, limit []float64) (out []int32) {
	for _, relief := range reliefs {
		if m.relief(int(relief.pid), load, limit) > 0 {
			out = append(out, relief.pid)
			for f, x := range m.row(int(relief.pid)) {
				load[f] -= x
			}
		}
	}
	return out
}
