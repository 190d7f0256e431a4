package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// costModel predicts the duration of supersteps under any mapping from the work series and the state of
// the ranks. It reads the View that it was made from and never changes it.
type costModel struct {
	view View
	*forecast.Series
	cost.Model
	by string // the predictor that the work comes from, "" if it was observed or is known
}

// newCostModel is a model of the last supersteps, 32 at most. Cost: one pass over the processes.
func newCostModel(v View) *costModel {
	columns, talks := 1, false
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		columns, talks = max(columns, len(p.RecentWork)), talks || len(p.Partners) > 0
	}
	columns = min(columns, 32)
	rates := ratesAnywhere(v)
	m := &costModel{
		view:   v,
		Series: forecast.NewSeries(fillRows(v.Snapshot.Processes, columns), v.Snapshot.Classes, columns, costHorizon(v.Snapshot.Ranks), mostRecentWork(len(v.Where)), &v.set.Or().Forecast),
		Model:  cost.Model{Platform: v.Platform, Rates: rates, Shared: cost.NewSharing(v.Platform, rates, v.drained), Steps: v.Snapshot.Barriers, Exchange: v.Learned.Exchange},
	}
	if talks {
		m.Partners = make([][]Traffic, len(v.Where))
		for pid := range m.Partners {
			m.Partners[pid] = v.Snapshot.Processes[pid].Partners
		}
	}
	return m
}

// newForecastModel is a model of the supersteps to come, rather than of those
// that were.
func newForecastModel(v View) *costModel {
	if v.Bank != nil {
		v.Rates = v.expectedRates()
	}
	m := newCostModel(v)
	if v.coming == nil {
		m.withoutRanks()
		m.Lasts = v.Bank.lasts()
		v.coming, m.by = forecast.Coming(m.Series, v.foretold, v.Bank != nil)
	}
	m.Series = v.coming
	return m
}

// speedColumns is the number of columns that the error of a speed refers to. The error comes from
// other load on a core and from its caches, which vary; over more columns it falls like that of a
// mean of independent samples.
const speedColumns = 4

// withoutRanks removes the possible influence of the rank from the work of its processes. Work is
// time multiplied by the estimated speed of the rank. If the processes of a rank did a part x
// more than their proportional share, the cause may be the processes or the rank, which would
// slow down any other process as well. A part max(0, 1 - (error/x)^2) of x is attributed to the
// processes (James and Stein 1961). Otherwise a run of equal processes would move them to and fro
// between ranks whose cores are slightly slower in turn.
func (m *costModel) withoutRanks() {
	known := m.view.Platform.SpeedError * math.Sqrt(min(1, speedColumns/float64(m.Columns)))
	if known == 0 {
		return
	}
	sums, counts := make([]float64, len(m.Rates)), make([]float64, len(m.Rates))
	all, n := 0.0, 0.0
	for pid := range m.Rows {
		work, rank := m.MeanWork(pid, 0), m.view.Where[pid]
		sums[rank], counts[rank] = sums[rank]+work, counts[rank]+1
		all, n = all+work, n+1
	}
	if all == 0 {
		return
	}
	for pid, row := range m.Rows {
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
// it has fewer than others, or its PI everywhere if it has none.
func fillRows(processes []Process, columns int) [][]float32 {
	rows := make([][]float32, len(processes))
	for pid := range processes {
		p := &processes[pid]
		have := len(p.RecentWork)
		switch {
		case have >= columns:
			rows[pid] = p.RecentWork[have-columns:]
		case have == 0:
			rows[pid] = slices.Repeat([]float32{float32(p.Work)}, columns)
		default:
			rows[pid] = append(make([]float32, columns-have), p.RecentWork...)
		}
	}
	return rows
}

// ratesAnywhere returns the rates, including the rates of drained ranks, which work until they are
// empty.
func ratesAnywhere(v View) []float64 {
	rates := slices.Clone(v.Rates)
	for r, rate := range rates {
		if rate <= 0 {
			rates[r] = v.Learned.Speeds[r] * v.Learned.Available[r]
		}
	}
	return rates
}

// expectedRates returns the expected rates of the ranks: the mean of the present and the
// usual rates, weighted by the trust in forecasts. If shares fluctuate, moves after each
// change come too late.
func (v *View) expectedRates() []float64 {
	all, trust := slices.Clone(v.Rates), v.Learned.Trust
	for r, usual := range v.Learned.Usual {
		all[r] /= trust + (1-trust)*v.Learned.Available[r]/usual
	}
	return all
}

// drained reports whether processes must leave a rank.
func (v *View) drained(rank int) bool { return v.Snapshot.Ranks[rank].Drained }

func (m *costModel) process(pid int) *Process { return &m.view.Snapshot.Processes[pid] }

// compute is the mean over the columns of the slowest rank's seconds.
func (m *costModel) compute(where []int32) float64 { return m.Compute(m.Rows, where) }

// step is the predicted time of a superstep.
func (m *costModel) step(where []int32) float64 {
	return m.compute(where) + m.exchange(where)
}

// exchange returns the part of a superstep spent on messages and barriers.
func (m *costModel) exchange(where []int32) float64 {
	sends, waits := m.Exchanges(where)
	return sends + waits
}

// rest is the predicted time of all supersteps still to come.
func (m *costModel) rest(where []int32) float64 {
	return float64(m.Horizon) * m.step(where)
}

// forecast predicts the remaining supersteps without and with moves. It is not
// corrected by Learned.Trust. Without moves After equals Before and the cost is 0.
func (m *costModel) forecast(moves []Move) Forecast {
	return Forecast{
		Horizon: m.Horizon, Before: m.rest(m.view.Where), After: m.rest(costMoved(m.view.Where, moves)), Cost: m.view.moving(moves),
	}
}

func costMoved(where []int32, moves []Move) []int32 {
	moved := slices.Clone(where)
	for _, move := range moves {
		moved[move.Pid] = int32(move.To)
	}
	return moved
}

func (v *View) between(from, to []int32) (moves []Move) {
	for i := range v.Snapshot.Processes {
		pid := v.Snapshot.Processes[i].Pid
		if from[pid] != to[pid] {
			moves = append(moves, Move{Pid: pid, From: int(from[pid]), To: int(to[pid]), Bytes: v.Snapshot.Processes[i].State})
		}
	}
	return moves
}

// moving returns the predicted cost, in seconds, of the moves of a call; 0 without moves.
func (v *View) moving(moves []Move) float64 {
	return cost.Moving(v.Platform, moves, costCall(v.Snapshot.Ranks))
}

// trust returns the factor applied to the predicted saving of moves over all remaining supersteps:
// Learned.Trust times the part of a mapping's saving that is expected to last.
func (v *View) trust() float64 {
	return v.Learned.Trust * v.Bank.lasting(costHorizon(v.Snapshot.Ranks))
}

// ratioOr returns a/b, or other if b is 0.
func ratioOr(a, b, other float64) float64 {
	if b == 0 {
		return other
	}
	return a / b
}

func sumOf(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
