package rebalancer

import "slices"

// costColumns is how many of the last supersteps a prediction looks at.
const costColumns = 32

// costModel predicts what supersteps take under any mapping. It reads the View
// that it was made from and never changes it.
type costModel struct {
	view    View
	columns int         // supersteps that stand for those to come
	rows    [][]float32 // by pid: work in each column; nil if the process is not known
	index   []int32     // by pid: place in view.Processes, -1 if it is not there
	rates   []float64   // by rank, above 0 for drained ranks too
	shared  sharing     // of crowded hosts
	horizon int         // supersteps still to come that it can say something about
	recent  []float64   // weights of the columns for the next superstep
	quiet   float64     // communication counts as no shorter than this
	talks   bool        // somebody has partners
	ahead   bool        // columns are samples of the supersteps to come
}

// newCostModel gathers what predictions need. Cost: one pass over the processes.
func newCostModel(v View) *costModel {
	m := &costModel{view: v, horizon: costHorizon(v.Ranks)}
	m.index = make([]int32, len(v.Where))
	for pid := range m.index {
		m.index[pid] = -1
	}
	for i := range v.Processes {
		p := &v.Processes[i]
		if p.Pid >= 0 && p.Pid < len(m.index) {
			m.index[p.Pid] = int32(i)
			m.columns = max(m.columns, len(p.RecentWork))
			m.talks = m.talks || len(p.Partners) > 0
		}
	}
	m.columns = min(max(m.columns, 1), costColumns)
	m.fillRows()
	m.fillRates()
	m.shared = newSharing(v, m.rates)
	m.recent = m.equalWeights()
	return m
}

// newForecastModel is a model of the supersteps to come, rather than of those
// that were.
func newForecastModel(v View) *costModel {
	m := newCostModel(v)
	if m.learnTold() {
		return m
	}
	if !m.learnWave() {
		if v.Bank != nil {
			m.window()
		}
		m.learnPatterns()
	}
	return m
}

// costHorizon is the least that any rank still has to do.
func costHorizon(ranks []RankState) int {
	if len(ranks) == 0 {
		return 0
	}
	least := ranks[0].Remaining
	for _, r := range ranks[1:] {
		least = min(least, r.Remaining)
	}
	return max(least, 0)
}

// fillRows gives every process a row: its latest phases, preceded by zeros if
// it has fewer than others, or its index everywhere if it has none.
func (m *costModel) fillRows() {
	m.rows = make([][]float32, len(m.index))
	for pid, i := range m.index {
		if i < 0 {
			continue
		}
		p := &m.view.Processes[i]
		have := len(p.RecentWork)
		if have >= m.columns {
			m.rows[pid] = p.RecentWork[have-m.columns:]
			continue
		}
		row := make([]float32, m.columns)
		copy(row[m.columns-have:], p.RecentWork)
		if have == 0 {
			for c := range row {
				row[c] = float32(p.Work)
			}
		}
		m.rows[pid] = row
	}
}

// fillRates copies the rates. A drained rank gets the rate at which it works as
// long as something is left there.
func (m *costModel) fillRates() {
	m.rates = make([]float64, len(m.view.Platform.Ranks))
	for r := range m.rates {
		if r < len(m.view.Rates) {
			m.rates[r] = m.view.Rates[r]
		}
		if m.rates[r] > 0 {
			continue
		}
		m.rates[r] = costSpeed(m.view, r)
		if l := m.view.Learned; l != nil && r < len(l.Available) {
			m.rates[r] *= l.Available[r]
		} else if r < len(m.view.Ranks) && m.view.Ranks[r].Available > 0 {
			m.rates[r] *= m.view.Ranks[r].Available
		}
	}
}

// costSpeed is the learned speed of a rank, or else the declared one, or else 1.
func costSpeed(v View, rank int) float64 {
	if v.Learned != nil && rank < len(v.Learned.Speeds) && v.Learned.Speeds[rank] > 0 {
		return v.Learned.Speeds[rank]
	}
	if speed := v.Platform.Ranks[rank].Speed; speed > 0 {
		return speed
	}
	return 1
}

// process is what is known of a pid, nil if nothing is.
func (m *costModel) process(pid int) *Process {
	if pid < 0 || pid >= len(m.index) || m.index[pid] < 0 {
		return nil
	}
	return &m.view.Processes[m.index[pid]]
}

// equalWeights makes every column count the same: the mean.
func (m *costModel) equalWeights() []float64 {
	weights := make([]float64, m.columns)
	for c := range weights {
		weights[c] = 1 / float64(m.columns)
	}
	return weights
}

// compute is the weighted sum over the columns of the slowest rank's seconds.
// scale multiplies the work of single pids; it may be nil.
func (m *costModel) compute(where []int32, weights []float64, scale map[int]float64) float64 {
	loads := make([]float64, m.shared.places()*m.columns)
	add := func(place int, row []float32, factor float64) {
		load := loads[place*m.columns:]
		for c, work := range row {
			load[c] += float64(work) * factor
		}
	}
	for pid, row := range m.rows {
		factor, scaled := scale[pid]
		if !scaled {
			factor = 1
		}
		add(int(where[pid]), row, factor)
		if host := m.shared.place(int(where[pid])); host >= 0 {
			add(host, row, factor)
		}
	}
	slowest := make([]float64, m.columns)
	for place, rate := range slices.Concat(m.shared.alone, m.shared.capacity) {
		for c := range slowest {
			slowest[c] = max(slowest[c], loads[place*m.columns+c]/rate)
		}
	}
	sum := 0.0
	for c, weight := range weights {
		sum += weight * slowest[c]
	}
	return sum
}

// communication is what the partners' traffic takes per superstep.
func (m *costModel) communication(where []int32) float64 {
	if !m.talks {
		return 0
	}
	platform := m.view.Platform
	flow := platform.NewFlow()
	for pid := range m.rows {
		p := m.process(pid)
		if p == nil {
			continue
		}
		for _, t := range p.Partners {
			if t.Pid >= 0 && t.Pid < len(where) && !m.shared.joint(int(where[t.Pid]), int(where[pid])) {
				platform.Add(&flow, int(where[t.Pid]), int(where[pid]), t.Bytes)
			}
		}
	}
	return max(platform.Time(&flow), m.quiet)
}

// way is what a message takes from rank to rank: nothing between ranks that share cores,
// which copy it one way or the other.
func (m *costModel) way(from, to int, bytes int64) float64 {
	if m.shared.joint(from, to) {
		return 0
	}
	return m.view.Platform.Transfer(from, to, bytes)
}

// step is the predicted time of a superstep; weights are equal for one like the
// last, or the trend's for the mean of those to come.
func (m *costModel) step(where []int32, weights []float64) float64 {
	return m.compute(where, weights, nil) + m.communication(where) + m.barrier(where)
}

// barrier is what the barriers take of what counts as a superstep: one barrier, or where
// they depend on who has processes as many as there are.
func (m *costModel) barrier(where []int32) float64 {
	return m.barriers() * m.view.Platform.barrier(where)
}

func (m *costModel) barriers() float64 {
	if m.view.Platform.Leave {
		return max(1, m.view.Snapshot.Barriers)
	}
	return 1
}

// rest is the predicted time of all supersteps still to come.
func (m *costModel) rest(where []int32, trend []float64) float64 {
	return float64(m.horizon) * m.step(where, trend)
}
