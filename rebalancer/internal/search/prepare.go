package search

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

func newInstance(in *Instance) *instance {
	m := &instance{
		in: in, set: in.Set, cost: in.Cost, trend: in.Weights, home: in.Home,
		value: in.Value, price: 1, size: make([]float64, len(in.Home)), fixed: in.Pinned, state: in.State,
	}
	m.gatherPhases()
	for pid := range m.home {
		m.size[pid] = m.weighted(m.row(pid))
	}
	m.gatherRanks()
	m.gatherBound()
	m.talk = newPartners(m)
	m.edges = sync.OnceValue(m.heaviestEdges)
	m.step = m.stepOf(m.home)
	return m
}

// gatherRanks finds what fits where. A rank that holds more than it may does not
// have to give anything away, but takes nothing more.
func (m *instance) gatherRanks() {
	n := len(m.cost.Rates)
	m.limit, m.free = make([]int64, n), make([]int64, n)
	m.usable, m.fast, m.pace = m.in.Usable, make([]float64, n), m.cost.Shared.Pace()
	stored := make([]int64, n)
	for pid, r := range m.home {
		stored[r] += m.state[pid]
	}
	for r := range n {
		m.limit[r], m.free[r] = math.MaxInt64, math.MaxInt64
		if memory := m.cost.Platform.Ranks[r].Memory; memory > 0 {
			m.limit[r] = max(memory, stored[r])
		}
		if m.in.Free[r] >= 0 {
			m.free[r] = m.in.Free[r]
		}
		m.fast[r] = 1 / m.cost.Rates[r]
	}
}

// gatherBound finds the least time of each phase on the usable ranks.
func (m *instance) gatherBound() {
	total, longest := make([]float64, m.phases), make([]float64, m.phases)
	for pid := range m.home {
		for f, x := range m.row(pid) {
			total[f] += x
			longest[f] = max(longest[f], x)
		}
	}
	sum, top := 0.0, 0.0
	for r, rate := range m.cost.Rates {
		if m.usable[r] {
			sum += rate
			top = max(top, m.cost.Shared.Alone[r])
		}
	}
	m.lower = make([]float64, m.phases)
	for f := range m.lower {
		if sum > 0 {
			m.lower[f] = max(longest[f]/top, total[f]/sum)
		}
	}
}

func newPartners(m *instance) partners {
	n := len(m.home)
	t := partners{start: make([]int32, n+1)}
	m.eachTraffic(func(from, to int, _ int64) {
		t.start[from+1]++
		t.start[to+1]++
	})
	for pid := range n {
		t.start[pid+1] += t.start[pid]
	}
	t.peers = make([]peer, t.start[n])
	next := slices.Clone(t.start)
	m.eachTraffic(func(from, to int, bytes int64) {
		t.peers[next[from]] = peer{pid: int32(to), out: true, bytes: bytes}
		t.peers[next[to]] = peer{pid: int32(from), bytes: bytes}
		next[from]++
		next[to]++
	})
	return t
}

// eachTraffic calls f for all traffic between different processes, by receiver.
func (m *instance) eachTraffic(f func(from, to int, bytes int64)) {
	for pid, received := range m.cost.Partners {
		for _, traffic := range received {
			if traffic.Pid >= 0 && traffic.Pid < len(m.home) && traffic.Pid != pid && traffic.Bytes > 0 {
				f(traffic.Pid, pid, traffic.Bytes)
			}
		}
	}
}

// heaviestEdges are all edges, most bytes first.
func (m *instance) heaviestEdges() []edge {
	var edges []edge
	for pid := range m.home {
		for _, peer := range m.talk.of(pid) {
			if peer.out && !m.fixed[pid] && !m.fixed[peer.pid] {
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
	// phaseDistance is how much of the work must be elsewhere for columns to be of two phases,
	// phaseDeviation by how much of the largest one process must differ: smaller differences are
	// noise, to which a search must not fit.
	phaseDistance  = 0.10
	phaseDeviation = 0.25
)

// gatherPhases joins columns in which the same processes do the same share of
// the work: what still differs is noise, and a search must not fit to it.
func (m *instance) gatherPhases() {
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
	for pid, row := range m.in.Work {
		out := m.row(pid)
		for c, x := range row {
			out[group[c]] += share[c] * float64(x)
		}
	}
}

// groupColumns numbers the columns by the phase that they belong to.
func (m *instance) groupColumns() []int {
	group := make([]int, len(m.trend))
	if len(group) == 1 {
		return group
	}
	totals := m.totals()
	var leaders []int
	for c := range group {
		group[c] = len(leaders)
		for f, leader := range leaders {
			if m.sameColumns(c, leader, totals) {
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

// totals is the work of all processes in each column.
func (m *instance) totals() []float64 {
	totals := make([]float64, len(m.trend))
	for _, row := range m.in.Work {
		for c, work := range row {
			totals[c] += float64(work)
		}
	}
	return totals
}

// sameColumns reports whether two columns differ by no more than noise, their
// totals set aside.
func (m *instance) sameColumns(a, b int, totals []float64) bool {
	if totals[a] <= 0 || totals[b] <= 0 {
		return totals[a] <= 0 && totals[b] <= 0
	}
	perA, perB := 1/totals[a], 1/totals[b]
	sum, worst, largest := 0.0, 0.0, 0.0
	for _, row := range m.in.Work {
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
