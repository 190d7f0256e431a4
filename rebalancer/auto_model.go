package rebalancer

import "math"

// autoModel is a snapshot made ready for searching: work in few phases, what
// may move, what fits where, and what a second per superstep is worth.
type autoModel struct {
	cost   *costModel
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
	call   float64   // seconds of a call that moves something
	price  float64   // what a second of moving counts in a search, in seconds
	stay   []int32   // the mapping if nothing is improved
	step   float64   // predicted time of a superstep to come with it
	talk   autoTalk
}

func newAutoModel(v View) *autoModel {
	c := newForecastModel(v)
	m := &autoModel{cost: c, trend: c.trend(), home: v.Where, call: costCall(v.Ranks), price: 1}
	m.value = float64(max(c.horizon, 1)) * costTrust(v.Learned)
	m.gatherPhases()
	m.gatherProcesses()
	m.gatherRanks()
	m.gatherBound()
	m.talk = newAutoTalk(c)
	m.stay = m.evacuated()
	m.step = c.step(m.stay, m.trend)
	return m
}

func (m *autoModel) gatherProcesses() {
	m.size = make([]float64, len(m.home))
	m.fixed = make([]bool, len(m.home))
	m.state = make([]int64, len(m.home))
	for pid := range m.home {
		p := m.cost.process(pid)
		if p == nil {
			m.fixed[pid] = true
			continue
		}
		m.fixed[pid], m.state[pid] = p.Pinned, p.State
		for f, x := range m.row(pid) {
			m.size[pid] += m.weight[f] * x
		}
	}
}

// row is the work of a process by phase.
func (m *autoModel) row(pid int) []float64 {
	return m.work[pid*m.phases : (pid+1)*m.phases]
}

// gatherRanks finds what fits where. A rank that holds more than it may does not
// have to give anything away, but takes nothing more.
func (m *autoModel) gatherRanks() {
	v := m.cost.view
	n := len(m.cost.rates)
	m.limit, m.free = make([]int64, n), make([]int64, n)
	m.usable, m.fast, m.pace = make([]bool, n), make([]float64, n), m.cost.shared.pace()
	stored := make([]int64, n)
	for pid, r := range m.home {
		stored[r] += m.state[pid]
	}
	for r := range n {
		m.limit[r], m.free[r] = math.MaxInt64, math.MaxInt64
		if memory := v.Platform.Ranks[r].Memory; memory > 0 {
			m.limit[r] = max(memory, stored[r])
		}
		drained := false
		if r < len(v.Ranks) {
			drained = v.Ranks[r].Drained
			if v.Ranks[r].Free >= 0 {
				m.free[r] = v.Ranks[r].Free
			}
		}
		m.usable[r] = !drained && r < len(v.Rates) && v.Rates[r] > 0
		m.fast[r] = 1 / m.cost.rates[r]
	}
}

// gatherBound finds the least time of each phase on the usable ranks.
func (m *autoModel) gatherBound() {
	total, longest := make([]float64, m.phases), make([]float64, m.phases)
	for pid := range m.home {
		for f, x := range m.row(pid) {
			total[f] += x
			longest[f] = max(longest[f], x)
		}
	}
	sum, top := 0.0, 0.0
	for r, rate := range m.cost.rates {
		if m.usable[r] {
			sum += rate
			top = max(top, m.cost.shared.alone[r])
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
func (m *autoModel) weighted(values []float64) float64 {
	sum := 0.0
	for f, x := range values {
		sum += m.weight[f] * x
	}
	return sum
}

// moves lists what differs from home, by pid.
func (m *autoModel) moves(where []int32) []Move {
	var moves []Move
	for pid, to := range where {
		if from := m.home[pid]; from != to {
			moves = append(moves, Move{Pid: pid, From: int(from), To: int(to), Bytes: m.state[pid]})
		}
	}
	return moves
}
