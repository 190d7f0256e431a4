package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// costColumns is how many of the last supersteps a prediction looks at.
const costColumns = 32

// costModel predicts what supersteps take under any mapping: the work of a series, on what
// is known of the ranks. It reads the View that it was made from and never changes it.
type costModel struct {
	view View
	*forecast.Series
	cost.Model
	index []int32            // by pid: place in view.Processes, -1 if it is not there
	by    forecast.Predictor // that the work comes from, nil if it was observed
}

// newCostModel is a model of the last supersteps. Cost: one pass over the processes.
func newCostModel(v View) *costModel {
	m := &costModel{view: v, index: make([]int32, len(v.Where))}
	for pid := range m.index {
		m.index[pid] = -1
	}
	columns, talks := 0, false
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		if p.Pid >= 0 && p.Pid < len(m.index) {
			m.index[p.Pid] = int32(i)
			columns = max(columns, len(p.RecentWork))
			talks = talks || len(p.Partners) > 0
		}
	}
	columns = min(max(columns, 1), costColumns)
	m.Series = forecast.NewSeries(m.fillRows(columns), v.Snapshot.Classes, columns, costHorizon(v.Snapshot.Ranks), mostRecentWork(len(m.index)), &v.set.Or().Forecast)
	rates := ratesAnywhere(v)
	drained := func(rank int) bool { return drainedRank(v.Snapshot.Ranks, rank) }
	m.Model = cost.Model{Platform: v.Platform, Rates: rates, Shared: cost.NewSharing(v.Platform, rates, drained), Steps: v.Snapshot.Barriers}
	if v.Learned != nil {
		m.Exchange = v.Learned.Exchange
	}
	if talks {
		m.Partners = make([][]Traffic, len(m.index))
		for pid := range m.Partners {
			if p := m.process(pid); p != nil {
				m.Partners[pid] = p.Partners
			}
		}
	}
	return m
}

// newForecastModel is a model of the supersteps to come, rather than of those
// that were.
func newForecastModel(v View) *costModel {
	m := newCostModel(v)
	switch {
	case v.coming == nil:
		m.withoutRanks()
		m.Series, m.by = forecast.Coming(m.Series, v.foretold, v.Bank != nil)
	case v.coming.series == nil:
		m.withoutRanks()
		v.coming.series, v.coming.by = forecast.Coming(m.Series, v.foretold, v.Bank != nil)
		fallthrough
	default:
		m.Series, m.by = v.coming.series, v.coming.by
	}
	return m
}

// speedColumns is how many columns a speed's error is of. It is what others on a core and
// caches do to whatever runs there, which changes: in more columns it is less, as the mean of
// independent ones.
const speedColumns = 4

// withoutRanks takes out of the work of a rank's processes what the rank may have made of it.
// Work is time by the believed speed of the rank. When all processes of a rank together did a
// part x more than those of others in proportion to their number, that may be the processes or
// the rank, which takes as long with any others; and of x a part max(0, 1 - (error/x)^2) is left
// to the processes (James and Stein 1961). Without that a run in which all do the same moves
// processes to and fro between ranks whose cores are a little slower by turns.
func (m *costModel) withoutRanks() {
	known := m.view.Platform.SpeedError * math.Sqrt(min(1, speedColumns/float64(m.Columns)))
	if known == 0 {
		return
	}
	sums, counts := make([]float64, len(m.Rates)), make([]float64, len(m.Rates))
	all, n := 0.0, 0.0
	for pid, row := range m.Rows {
		if row != nil {
			work, rank := m.MeanWork(pid, 0), m.view.Where[pid]
			sums[rank], counts[rank] = sums[rank]+work, counts[rank]+1
			all, n = all+work, n+1
		}
	}
	if all == 0 {
		return
	}
	for pid, row := range m.Rows {
		if row == nil {
			continue
		}
		rank := m.view.Where[pid]
		x := sums[rank]/counts[rank]/(all/n) - 1
		if x <= -1 || x == 0 {
			continue
		}
		left := x * max(0, 1-known*known/(x*x))
		row = slices.Clone(row)
		for c := range row {
			row[c] *= float32((1 + left) / (1 + x))
		}
		m.Rows[pid] = row
	}
}

// fillRows gives every process a row: its latest phases, preceded by zeros if
// it has fewer than others, or its index everywhere if it has none.
func (m *costModel) fillRows(columns int) [][]float32 {
	rows := make([][]float32, len(m.index))
	for pid, i := range m.index {
		if i < 0 {
			continue
		}
		p := &m.view.Snapshot.Processes[i]
		have := len(p.RecentWork)
		if have >= columns {
			rows[pid] = p.RecentWork[have-columns:]
			continue
		}
		row := make([]float32, columns)
		copy(row[columns-have:], p.RecentWork)
		if have == 0 {
			for c := range row {
				row[c] = float32(p.Work)
			}
		}
		rows[pid] = row
	}
	return rows
}

// ratesAnywhere are the rates, those of drained ranks too: at which these work as long as
// something is left there.
func ratesAnywhere(v View) []float64 {
	rates := make([]float64, len(v.Platform.Ranks))
	for r := range rates {
		if r < len(v.Rates) {
			rates[r] = v.Rates[r]
		}
		if rates[r] > 0 {
			continue
		}
		rates[r] = costSpeed(v, r)
		if l := v.Learned; l != nil && r < len(l.Available) {
			rates[r] *= l.Available[r]
		} else if r < len(v.Snapshot.Ranks) && v.Snapshot.Ranks[r].Available > 0 {
			rates[r] *= v.Snapshot.Ranks[r].Available
		}
	}
	return rates
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
	return &m.view.Snapshot.Processes[m.index[pid]]
}

// compute is the weighted sum over the columns of the slowest rank's seconds.
// scale multiplies the work of single pids; it may be nil.
func (m *costModel) compute(where []int32, weights []float64, scale map[int]float64) float64 {
	return m.Compute(m.Rows, where, weights, scale)
}

// step is the predicted time of a superstep; weights are those of the columns.
func (m *costModel) step(where []int32, weights []float64) float64 {
	return m.compute(where, weights, nil) + m.Communication(where) + m.Barrier(where)
}

// rest is the predicted time of all supersteps still to come.
func (m *costModel) rest(where []int32) float64 {
	return float64(m.Horizon) * m.step(where, m.EqualWeights())
}

// forecast predicts the supersteps still to come without and with moves. It is not
// corrected by Learned.Trust. Without moves After equals Before and nothing is paid.
func (m *costModel) forecast(moves []Move) Forecast {
	f := Forecast{Horizon: m.Horizon, Before: m.rest(m.view.Where)}
	f.After = f.Before
	if len(moves) > 0 {
		f.After = m.rest(costMoved(m.view.Where, moves))
		f.Cost = costTransfer(m.view.Platform, moves) + costCall(m.view.Snapshot.Ranks)
	}
	return f
}

// costMoved is the mapping after the moves.
func costMoved(where []int32, moves []Move) []int32 {
	moved := make([]int32, len(where))
	copy(moved, where)
	for _, move := range moves {
		if move.Pid >= 0 && move.Pid < len(moved) {
			moved[move.Pid] = int32(move.To)
		}
	}
	return moved
}

// costTransfer is what the moves take.
func costTransfer(platform *Platform, moves []Move) float64 {
	transfers := cost.NewTransfers(platform)
	for _, move := range moves {
		transfers.Add(move.From, move.To, move.Bytes)
	}
	return transfers.Time()
}

// costTrust is the factor on predicted savings; 1 if none is known.
func costTrust(memory *Learned) float64 {
	if memory == nil || memory.Trust <= 0 {
		return 1
	}
	return memory.Trust
}

// trust is the factor on what moves save in all supersteps to come: as far as predictions came true, and mappings
// last.
func (v *View) trust() float64 {
	return costTrust(v.Learned) * v.Bank.lasting(costHorizon(v.Snapshot.Ranks))
}

// ratioOr is a/b, or other if b is nothing.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}

func meanOfAll(list []float64) float64 { return ratioOr(sumOf(list), float64(len(list)), 0) }

func sumOf(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
