package search

import (
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/params"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// Instance is what a search is given. It is not changed.
type Instance struct {
	Cost    *cost.Model
	Work    [][]float32 // by pid and column, of supersteps that stand for those to come
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

	Broke bool // no moves may be made, whatever they save

	// Affordable reports whether moves may be made that cost so much, are expected to save
	// so much, and lead to a mapping; nil if all may.
	Affordable func(paid, saved float64, where []int32) bool
}

// instance is an Instance made ready for searching: work in few phases, and what fits
// where.
type instance struct {
	in     *Instance
	set    *params.Search
	cost   *cost.Model
	trend  []float64 // by column
	phases int
	weight []float64 // by phase: supersteps' worth of it in a mean superstep to come
	work   []float64 // pid*phases+phase
	size   []float64 // by pid: weighted work
	home   []int32   // rank before the call
	fixed  []bool    // by pid: cannot move
	state  []int64   // by pid
	limit  []int64   // by rank: states that may be there
	free   []int64   // by rank: states that may arrive
	usable []bool    // by rank
	fast   []float64 // by rank: seconds per work, with its part of a crowded host
	pace   []float64 // by rank alone, and by crowded host: seconds per work
	lower  []float64 // by phase: no mapping finishes it sooner
	value  float64   // what one second less per superstep is worth, in seconds
	price  float64   // what a second of moving counts in a search, in seconds
	step   float64   // predicted time of a superstep to come at home
	talk   partners
	edges  func() []edge // heaviestEdges, found once
	looked int           // changes that were looked at
}

// stepOf is the predicted time of a superstep to come.
func (m *instance) stepOf(where []int32) float64 {
	return m.cost.Compute(m.in.Work, where, m.trend) + m.cost.Communication(where) + m.cost.Barrier(where)
}

// row is the work of a process by phase.
func (m *instance) row(pid int) []float64 {
	return m.work[pid*m.phases : (pid+1)*m.phases]
}

// loads is the work by place and phase.
func (m *instance) loads(where []int32) []float64 {
	loads := make([]float64, len(m.pace)*m.phases)
	for pid, r := range where {
		for place := range m.cost.Shared.Counts(int(r)) {
			for f, x := range m.row(pid) {
				loads[place*m.phases+f] += x
			}
		}
	}
	return loads
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
func (m *instance) moves(where []int32) []platform.Move {
	var moves []platform.Move
	for pid, to := range where {
		if from := m.home[pid]; from != to {
			moves = append(moves, platform.Move{Pid: pid, From: int(from), To: int(to), Bytes: m.state[pid]})
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

// of lists the peers of a process.
func (t *partners) of(pid int) []peer { return t.peers[t.start[pid]:t.start[pid+1]] }

// silent tells that nothing is known to be exchanged.
func (t *partners) silent() bool { return len(t.peers) == 0 }

// edge is traffic between two processes that may move.
type edge struct {
	a, b  int32
	bytes int64
}

// paid is what moves cost, the call that decides on them included.
func (m *instance) paid(moves []platform.Move) float64 {
	if len(moves) == 0 {
		return 0
	}
	return cost.Moving(m.cost.Platform, moves) + m.in.Call
}
