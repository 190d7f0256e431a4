package search

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

func newInstance(in *Instance) *instance {
	m := &instance{Instance: *in, price: 1, size: make([]float64, len(in.Home))}
	m.gatherPhases()
	for pid := range m.Home {
		m.size[pid] = m.weighted(m.row(pid))
	}
	m.gatherRanks()
	m.gatherBound()
	m.gatherPeers()
	m.edges = sync.OnceValue(m.heaviestEdges)
	m.step = m.stepOf(m.Home)
	return m
}

// gatherRanks computes the limits of the ranks. A rank beyond its limit need not
// give anything away, but accepts nothing more.
func (m *instance) gatherRanks() {
	ranks := m.Cost.Platform.Ranks
	m.limit, m.pace = make([]int64, len(ranks)), m.Cost.Shared.Pace()
	stored := make([]int64, len(ranks))
	for pid, r := range m.Home {
		stored[r] += m.State[pid]
	}
	for r, rank := range ranks {
		m.limit[r] = math.MaxInt64
		if rank.Memory > 0 {
			m.limit[r] = max(rank.Memory, stored[r])
		}
	}
}

// gatherBound finds the least time of each phase on the usable ranks.
func (m *instance) gatherBound() {
	total, longest := make([]float64, m.phases), make([]float64, m.phases)
	for pid := range m.Home {
		for f, x := range m.row(pid) {
			total[f] += x
			longest[f] = max(longest[f], x)
		}
	}
	sum, top := 0.0, 0.0
	for r, rate := range m.Cost.Rates {
		if m.Usable[r] {
			sum += rate
			top = max(top, m.Cost.Shared.Alone[r])
		}
	}
	m.lower = make([]float64, m.phases)
	for f := range m.lower {
		if sum > 0 {
			m.lower[f] = max(longest[f]/top, total[f]/sum)
		}
	}
}

// gatherPeers collects the communication partners of each process, in both directions.
func (m *instance) gatherPeers() {
	m.peers = make([][]peer, len(m.Home))
	for pid, received := range m.Cost.Partners {
		for _, t := range received {
			if t.Pid >= 0 && t.Pid < len(m.Home) && t.Pid != pid && t.Bytes > 0 {
				m.peers[t.Pid] = append(m.peers[t.Pid], peer{pid: int32(pid), out: true, bytes: t.Bytes})
				m.peers[pid] = append(m.peers[pid], peer{pid: int32(t.Pid), bytes: t.Bytes})
				m.ends += 2
			}
		}
	}
}

// heaviestEdges are all edges, most bytes first.
func (m *instance) heaviestEdges() []edge {
	var edges []edge
	for pid := range m.Home {
		for _, peer := range m.peers[pid] {
			if peer.out && !m.Pinned[pid] && !m.Pinned[peer.pid] {
				edges = append(edges, edge{a: int32(pid), b: peer.pid, bytes: peer.bytes})
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(y.bytes, x.bytes), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return edges
}

const (
	// phaseDistance is the part of the work that must be elsewhere for columns to belong to two phases,
	// phaseDeviation the part of the largest work by which one process must differ. Smaller differences are
	// noise, which a search must not fit.
	phaseDistance  = 0.10
	phaseDeviation = 0.25
)

// gatherPhases joins columns in which the same processes do the same share of
// the work: the remaining differences are noise, which a search must not fit.
func (m *instance) gatherPhases() {
	var totals []float64 // work of all processes by column
	if len(m.Work) > 0 {
		totals = make([]float64, len(m.Work[0]))
	}
	for _, row := range m.Work {
		for c, work := range row {
			totals[c] += float64(work)
		}
	}
	phase, first := make([]int, len(totals)), []int(nil) // by column, and a phase's first column
	share := 1 / float64(len(totals))
	for c := range totals {
		f := slices.IndexFunc(first, func(b int) bool { return m.sameColumns(c, b, totals) })
		if f < 0 {
			f, first, m.weight = len(first), append(first, c), append(m.weight, 0)
		}
		phase[c] = f
		m.weight[f] += share
	}
	m.phases = len(first)
	m.work = make([]float64, len(m.Home)*m.phases)
	for pid, row := range m.Work {
		out := m.row(pid)
		for c, x := range row {
			out[phase[c]] += share / m.weight[phase[c]] * float64(x)
		}
	}
}

// sameColumns reports whether two columns differ by no more than noise, their
// totals set aside.
func (m *instance) sameColumns(a, b int, totals []float64) bool {
	if totals[a] <= 0 || totals[b] <= 0 {
		return totals[a] <= 0 && totals[b] <= 0
	}
	perA, perB := 1/totals[a], 1/totals[b]
	sum, worst, largest := 0.0, 0.0, 0.0
	for _, row := range m.Work {
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
