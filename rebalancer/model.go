package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// costModel predicts what supersteps take under any mapping: the work of a series, on what
// is known of the ranks. It reads the View that it was made from and never changes it.
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

// ratesAnywhere are the rates, those of drained ranks too: at which these work as long as
// something is left there.
func ratesAnywhere(v View) []float64 {
	rates := slices.Clone(v.Rates)
	for r, rate := range rates {
		if rate <= 0 {
			rates[r] = v.Learned.Speeds[r] * v.Learned.Available[r]
		}
	}
	return rates
}

// expectedRates are those that ranks are expected to have: the present ones as far as forecasts are trusted, and for the
// rest the usual ones. Where shares come and go, moves after each change come too late.
func (v *View) expectedRates() []float64 {
	all, trust := slices.Clone(v.Rates), v.Learned.Trust
	for r, usual := range v.Learned.Usual {
		all[r] /= trust + (1-trust)*v.Learned.Available[r]/usual
	}
	return all
}

// drained reports whether processes are to leave a rank.
func (v *View) drained(rank int) bool { return v.Snapshot.Ranks[rank].Drained }

func (m *costModel) process(pid int) *Process { return &m.view.Snapshot.Processes[pid] }

// compute is the mean over the columns of the slowest rank's seconds.
func (m *costModel) compute(where []int32) float64 { return m.Compute(m.Rows, where) }

// step is the predicted time of a superstep.
func (m *costModel) step(where []int32) float64 {
	return m.compute(where) + m.exchange(where)
}

// exchange is the part of that which messages and barriers take.
func (m *costModel) exchange(where []int32) float64 {
	sends, waits := m.Exchanges(where)
	return sends + waits
}

// rest is the predicted time of all supersteps still to come.
func (m *costModel) rest(where []int32) float64 {
	return float64(m.Horizon) * m.step(where)
}

// forecast predicts the supersteps still to come without and with moves. It is not
// corrected by Learned.Trust. Without moves After equals Before and nothing is paid.
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

// moving is what moves cost that a call makes; nothing where there are none.
func (v *View) moving(moves []Move) float64 {
	return cost.Moving(v.Platform, moves, costCall(v.Snapshot.Ranks))
}

// trust is the factor on what moves save in all supersteps to come: as far as predictions came true, and mappings
// last.
func (v *View) trust() float64 {
	return v.Learned.Trust * v.Bank.lasting(costHorizon(v.Snapshot.Ranks))
}

// ratioOr is a/b, or other if b is nothing.
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
