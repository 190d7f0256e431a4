package search

import (
	"math"
	"slices"
	"sync"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// Instance is what a search is given. It is not changed.
type Instance struct {
	Cost    *cost.Model
	Work    [][]float32 // by pid and column, of supersteps that stand for those to come; nil if not known: it stays
	Weights []float64   // by column: supersteps' worth of it in a mean superstep to come
	Horizon int         // supersteps to come
	Trust   float64     // factor on predicted savings
	Value   float64     // what one second less per superstep is worth, in seconds
	Call    float64     // seconds of a call that moves something
	Set     *params.Search

	Home   []int32 // by pid: its rank
	Pinned []bool  // by pid: it cannot move
	State  []int64 // by pid: bytes that a move transfers
	Free   []int64 // by rank: bytes that may arrive; negative if not known
	Usable []bool  // by rank: processes may be there

	// Affordable reports whether moves may be made that cost so much, are expected to save
	// so much, and lead to a mapping; nil if all may.
	Affordable func(paid, saved float64, where []int32) bool
}

// instance is an Instance made ready for searching: work in few phases, and what fits
// where.
type instance struct {
	in      *Instance
	set     *params.Search
	cost    *cost.Model
	columns int
	trend   []float64 // by column
	phases  int
	weight  []float64 // by phase: supersteps' worth of it in a mean superstep to come
	work    []float64 // pid*phases+phase
	size    []float64 // by pid: weighted work
	home    []int32   // rank before the call
	fixed   []bool    // by pid: cannot move
	state   []int64   // by pid
	limit   []int64   // by rank: states that may be there
	free    []int64   // by rank: states that may arrive
	usable  []bool    // by rank
	fast    []float64 // by rank: seconds per work, with its part of a crowded host
	pace    []float64 // by rank alone, and by crowded host: seconds per work
	lower   []float64 // by phase: no mapping finishes it sooner
	value   float64   // what one second less per superstep is worth, in seconds
	call    float64   // seconds of a call that moves something
	price   float64   // what a second of moving counts in a search, in seconds
	stay    []int32   // the mapping if nothing is improved
	step    float64   // predicted time of a superstep to come with it
	talk    partners
	edges   func() []edge // heaviestEdges, found once
}

func newInstance(in *Instance) *instance {
	m := &instance{
		in: in, set: in.Set, cost: in.Cost, columns: len(in.Weights), trend: in.Weights, home: in.Home,
		value: in.Value, call: in.Call, price: 1,
	}
	m.gatherPhases()
	m.gatherProcesses()
	m.gatherRanks()
	m.gatherBound()
	m.talk = newPartners(m)
	m.edges = sync.OnceValue(m.heaviestEdges)
	m.stay = m.evacuated()
	m.step = m.stepOf(m.stay)
	return m
}

// stepOf is the predicted time of a superstep to come.
func (m *instance) stepOf(where []int32) float64 {
	return m.cost.Compute(m.in.Work, where, m.trend, nil) + m.cost.Communication(where) + m.cost.Barrier(where)
}

func (m *instance) gatherProcesses() {
	m.size = make([]float64, len(m.home))
	m.fixed = make([]bool, len(m.home))
	m.state = make([]int64, len(m.home))
	for pid := range m.home {
		if m.in.Work[pid] == nil {
			m.fixed[pid] = true
			continue
		}
		m.fixed[pid], m.state[pid] = m.in.Pinned[pid], m.in.State[pid]
		for f, x := range m.row(pid) {
			m.size[pid] += m.weight[f] * x
		}
	}
}

// row is the work of a process by phase.
func (m *instance) row(pid int) []float64 {
	return m.work[pid*m.phases : (pid+1)*m.phases]
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

// weighted sums a value per phase by the phases' weights.
func (m *instance) weighted(values []float64) float64 {
	sum := 0.0
	for f, x := range values {
		sum += m.weight[f] * x
	}
	return sum
}

// moves lists what differs from home, by pid.
func (m *instance) moves(where []int32) []Move {
	var moves []Move
	for pid, to := range where {
		if from := m.home[pid]; from != to {
			moves = append(moves, Move{Pid: pid, From: int(from), To: int(to), Bytes: m.state[pid]})
		}
	}
	return moves
}

// partners is who exchanges data with whom, both ways, by pid.
type partners struct {
	start []int32 // of a pid's peers
	peers []peer
}

// peer is one direction of the traffic with another process.
type peer struct {
	pid   int32
	out   bool // the bytes go to it, they do not come from it
	bytes int64
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

// of lists the peers of a process.
func (t *partners) of(pid int) []peer { return t.peers[t.start[pid]:t.start[pid+1]] }

// silent tells that nothing is known to be exchanged.
func (t *partners) silent() bool { return len(t.peers) == 0 }

const (
	phaseBuckets = 64 // sums that tell columns apart before they are compared in full
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
	group := make([]int, m.columns)
	if len(group) == 1 || !m.set.Apart {
		return group
	}
	marks, totals := m.columnMarks(), m.totals()
	var leaders []int
	for c := range group {
		group[c] = len(leaders)
		for f, leader := range leaders {
			if marksDistance(marks[c], marks[leader]) <= m.set.PhaseDistance && m.sameColumns(c, leader, totals) {
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
	totals := make([]float64, m.columns)
	for _, row := range m.in.Work {
		for c, work := range row {
			totals[c] += float64(work)
		}
	}
	return totals
}

// columnMarks is, by column, the share of the work of each bucket of pids.
func (m *instance) columnMarks() [][]float64 {
	marks := make([][]float64, m.columns)
	for c := range marks {
		marks[c] = make([]float64, phaseBuckets)
	}
	for pid, row := range m.in.Work {
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
func (m *instance) sameColumns(a, b int, totals []float64) bool {
	if totals[a] <= 0 || totals[b] <= 0 {
		return totals[a] <= 0 && totals[b] <= 0
	}
	perA, perB := 1/totals[a], 1/totals[b]
	sum, worst, largest := 0.0, 0.0, 0.0
	for _, row := range m.in.Work {
		if row == nil {
			continue
		}
		x, y := float64(row[a])*perA, float64(row[b])*perB
		difference := math.Abs(x - y)
		sum += difference
		worst = max(worst, difference)
		largest = max(largest, x, y)
		if sum > m.set.PhaseDistance {
			return false
		}
	}
	return worst <= m.set.PhaseDeviation*largest
}

// ratioOr is a/b, or other if b is nothing.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}
