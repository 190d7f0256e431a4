package search

import (
	"cmp"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
	"github.com/migbsp/migbsp/rebalancer/platform"
)

// Instance is the input of a search. It is not changed.
type Instance struct {
	Cost    *cost.Model
	Work    [][]float32 // by pid and column; each column represents the same number of coming supersteps
	Horizon int         // supersteps to come
	Trust   float64     // factor on predicted savings
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

// instance is an Instance prepared for searching: work in few phases, and the limits of
// ranks.
type instance struct {
	Instance
	phases int
	weight []float64     // by phase: supersteps' worth of it in a mean superstep to come
	work   []float64     // pid*phases+phase
	size   []float64     // by pid: weighted work
	limit  []int64       // by rank: states that may be there
	pace   []float64     // by rank alone, and by crowded host: seconds per work
	lower  []float64     // by phase: no mapping finishes it sooner
	price  float64       // value of a second of moving in a search, in seconds
	step   float64       // predicted time of a superstep to come at home
	peers  [][]peer      // by pid
	ends   int           // of traffic between processes: two for each peer's
	edges  func() []edge // heaviestEdges, found once
	looked int           // changes that were looked at
}

// peer is one direction of the traffic with another process.
type peer struct {
	pid   int32
	out   bool // the bytes go to it, they do not come from it
	bytes int64
}

// edge is traffic between two processes that may move.
type edge struct {
	a, b  int32
	bytes int64
}

// value returns the value of one second saved per superstep, in seconds.
func (m *instance) value() float64 { return float64(max(m.Horizon, 1)) * m.Trust }

// stepOf returns the predicted time of a coming superstep.
func (m *instance) stepOf(where []int32) float64 {
	sends, waits := m.Cost.Exchanges(where)
	return m.compute(where) + sends + waits
}

// compute returns the computing part of a superstep.
func (m *instance) compute(where []int32) float64 { return m.Cost.Compute(m.Work, where) }

// row returns the work of a process by phase.
func (m *instance) row(pid int) []float64 {
	return m.work[pid*m.phases : (pid+1)*m.phases]
}

// loads returns the work of a mapping by place and phase.
func (m *instance) loads(where []int32) []float64 {
	loads := make([]float64, len(m.pace)*m.phases)
	for pid, r := range where {
		m.load(loads, pid, int(r), 1)
	}
	return loads
}

// load adds a process's work to loads where it counts on a rank, or takes it out if sign is -1.
func (m *instance) load(loads []float64, pid, rank int, sign float64) {
	for place := range m.Cost.Shared.Counts(rank) {
		for f, x := range m.row(pid) {
			loads[place*m.phases+f] += sign * x
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

// moves returns the differences from home, by pid.
func (m *instance) moves(where []int32) []platform.Move {
	var moves []platform.Move
	for pid, to := range where {
		if from := m.Home[pid]; from != to {
			moves = append(moves, platform.Move{Pid: pid, From: int(from), To: int(to), Bytes: m.State[pid]})
		}
	}
	return moves
}

// silent reports whether no communication is known.
func (m *instance) silent() bool { return m.ends == 0 }

// holds reports whether a rank accepts processes if it then stores the given bytes of states,
// arriving of them new.
func (m *instance) holds(rank int, stored, arriving int64) bool {
	return m.Usable[rank] && stored <= m.limit[rank] && (m.Free[rank] < 0 || arriving <= m.Free[rank])
}

// numbers are those from 0 to n-1.
func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// descending sorts by a value, largest first, of equal ones the lowest number.
func descending[V cmp.Ordered](list []int32, of func(int32) V) {
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(cmp.Compare(of(b), of(a)), cmp.Compare(a, b)) })
}

// paid returns the cost of moves, including the call that decides on them.
func (m *instance) paid(moves []platform.Move) float64 {
	return cost.Moving(m.Cost.Platform, moves, m.Call)
}
