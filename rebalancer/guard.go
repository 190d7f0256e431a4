package rebalancer

import (
	"math"
	"slices"
)

const (
	correctLeast = 0.01 // bounds on the factor by which a process's work is corrected
	correctMost  = 100

	// undoLoss is the part of the time since the moves that must be lost to undo them.
	undoLoss = 0.02
	// sureColumns is how often each class of supersteps must have come since moves for these to be
	// judged: what a single one shows may be its turn.
	sureColumns = 3
	// trustEnough is the part of a predicted saving that must come true, trustRegain what trust grows
	// by when it does.
	trustEnough = 0.25
	trustRegain = 1.5
	// waitingBelow is the part of the mean work of those that moved below which a process is not at
	// work but waits for its turn, as behind the front of a wave.
	waitingBelow = 1.0 / 8
)

// pendingOf remembers a call until its moves can be judged; nil if nothing
// moves.
func pendingOf(v View, call int, moves []Move, f Forecast) *Pending {
	if len(moves) == 0 {
		return nil
	}
	m := newCostModel(v)
	p := &Pending{Call: call, Step: v.Snapshot.Step, Moves: slices.Clone(moves), Forecast: f}
	p.Work = make([]float64, len(moves))
	for i, move := range moves {
		p.Work[i] = m.seconds(move.Pid, 0)
	}
	return p
}

// outcomeOf compares what was measured since the moves with what the mapping
// before them would have taken for the work seen since; nil if nothing can be
// said yet. What the moved processes took before they moved is trusted more
// than the speeds: a rank that is slower than believed shows as a loss.
func outcomeOf(v View, p *Pending) *Outcome {
	if p == nil || len(p.Moves) == 0 || v.Snapshot.Step <= p.Step {
		return nil
	}
	measured, steps := MeasuredStep(v.Snapshot.Ranks)
	if steps > 0 {
		steps = v.Snapshot.Step - p.Step
	}
	m := newCostModel(v)
	first := m.firstSince(p.Step)
	weights := m.weightsSince(first)
	now := m.step(v.Where, weights)
	if steps == 0 || now <= 0 {
		return nil
	}
	old := costReturned(v.Where, p.Moves)
	past := m.compute(old, weights, m.corrected(p, first)) + m.Communication(old) + m.Barrier(old)
	o := &Outcome{Call: p.Call, Steps: steps}
	o.Realised = (past/now - 1) * measured * float64(steps)
	if p.Forecast.Horizon > 0 {
		o.Predicted = (p.Forecast.Before - p.Forecast.After) / float64(p.Forecast.Horizon) * float64(steps)
	}
	for _, r := range v.Snapshot.Ranks {
		o.Cost = max(o.Cost, r.Moved)
	}
	o.Sure = m.fewestSince(first) >= sureColumns || m.Horizon == 0
	return o
}

// fewestSince is the number of columns from one on of the class that has fewest.
func (m *costModel) fewestSince(first int) int {
	count := make(map[int]int)
	for c := range m.Columns {
		count[m.Class(c)] += 0
		if c >= first {
			count[m.Class(c)]++
		}
	}
	fewest := m.Columns
	for _, n := range count {
		fewest = min(fewest, n)
	}
	return fewest
}

// costReturned is the mapping with the moves taken back, as far as processes
// still are where the moves took them.
func costReturned(where []int32, moves []Move) []int32 {
	returned := slices.Clone(where)
	for _, move := range moves {
		if stillThere(where, move) {
			returned[move.Pid] = int32(move.From)
		}
	}
	return returned
}

// weightsSince are the weights of the mean over the columns from one on.
func (m *costModel) weightsSince(first int) []float64 {
	weights := make([]float64, m.Columns)
	for c := first; c < m.Columns; c++ {
		weights[c] = 1 / float64(m.Columns-first)
	}
	return weights
}

// corrected is the factor on the work of each moved process that makes it take,
// where it was, what it took there, the trend of the others applied; none where work
// changes too much to tell.
func (m *costModel) corrected(p *Pending, first int) map[int]float64 {
	trend, sure := m.trendSince(p, first)
	if !sure {
		return nil
	}
	factors := make(map[int]float64, len(p.Moves))
	tells := m.telling(p, first)
	for i, move := range p.Moves {
		if tells[i] {
			factor := p.Work[i] * trend * costSpeed(m.view, move.From) / m.MeanWork(move.Pid, first)
			factors[move.Pid] = min(max(factor, correctLeast), correctMost)
		}
	}
	return factors
}

// undo takes the moves back if they clearly made things worse, except to
// drained ranks and where that would cost more than it brings.
func undo(v View, p *Pending, o *Outcome) []Move {
	if p == nil || o == nil || o.Steps == 0 {
		return nil
	}
	measured, _ := MeasuredStep(v.Snapshot.Ranks)
	if since := measured * float64(o.Steps); since <= 0 || o.Realised >= -undoLoss*since {
		return nil
	}
	var moves []Move
	for _, move := range p.Moves {
		drained := move.From < len(v.Snapshot.Ranks) && v.Snapshot.Ranks[move.From].Drained
		if stillThere(v.Where, move) && !drained && move.From < len(v.Rates) && v.Rates[move.From] > 0 {
			moves = append(moves, Move{
				Pid: move.Pid, From: move.To, To: move.From, Bytes: move.Bytes, Reason: "moving it did not pay",
			})
		}
	}
	loss := -o.Realised / float64(o.Steps) * float64(costHorizon(v.Snapshot.Ranks))
	if len(moves) == 0 || loss <= costTransfer(v.Platform, moves)+costCall(v.Snapshot.Ranks) {
		return nil
	}
	return moves
}

// trustAfter is the trust in predictions: lowered if moves brought too little.
func trustAfter(v View, o *Outcome) float64 {
	trust := costTrust(v.Learned)
	if o == nil || o.Predicted <= 0 {
		return trust
	}
	if o.Realised < trustEnough*o.Predicted {
		return max(trust/2, v.set.Or().Guard.TrustLeast)
	}
	return min(trust*trustRegain, 1)
}

// steady reports whether a process did about the same in all supersteps of a class
// before a column, and in all since. Of one that takes turns with others, a few
// supersteps say nothing about the speed of its rank.
func (m *costModel) steady(pid, first int) bool {
	type part struct {
		class int
		since bool
	}
	sums, counts := map[part]float64{}, map[part]float64{}
	row := m.Rows[pid]
	for c, work := range row {
		key := part{class: m.Class(c), since: c >= first}
		sums[key] += float64(work)
		counts[key]++
	}
	for c, work := range row {
		key := part{class: m.Class(c), since: c >= first}
		mean := sums[key] / counts[key]
		if float64(work) > 2*mean || float64(work) < mean/2 {
			return false
		}
	}
	return row != nil
}

// trendSince is how much the work of a process grew from before the moves to
// the columns since: the median over the processes that did not move. It is not sure where
// no column is from before them, nor where the others take turns.
func (m *costModel) trendSince(p *Pending, first int) (trend float64, sure bool) {
	if first == 0 {
		return 1, false
	}
	moved := make(map[int]bool, len(p.Moves))
	for _, move := range p.Moves {
		moved[move.Pid] = true
	}
	var ratios []float64
	unsteady := false
	for pid, row := range m.Rows {
		if row == nil || moved[pid] {
			continue
		}
		if !m.steady(pid, first) {
			unsteady = true
			continue
		}
		before := meanColumn(row[:first])
		if after := m.MeanWork(pid, first); before > 0 && after > 0 {
			ratios = append(ratios, math.Log(after/before))
		}
	}
	if len(ratios) == 0 {
		return 1, !unsteady
	}
	middle, _ := middleAndSpread(ratios)
	return math.Exp(middle), true
}

// telling tells of each move whether what its process took before and since says something
// about the ranks: it is where it went, did about the same in all supersteps, and was at
// work before as it is since.
func (m *costModel) telling(p *Pending, first int) []bool {
	before, since := make([]float64, len(p.Moves)), make([]float64, len(p.Moves))
	tells := make([]bool, len(p.Moves))
	for i, move := range p.Moves {
		if i < len(p.Work) && stillThere(m.view.Where, move) && m.steady(move.Pid, first) {
			before[i] = p.Work[i] * costSpeed(m.view, move.From)
			since[i] = m.MeanWork(move.Pid, first)
			tells[i] = true
		}
	}
	leastBefore, leastSince := waitingBelow*meanOf(before, tells), waitingBelow*meanOf(since, tells)
	for i := range tells {
		tells[i] = tells[i] && before[i] > leastBefore && since[i] > leastSince
	}
	return tells
}

// meanOf is the mean of those values that are counted.
func meanOf(values []float64, counted []bool) float64 {
	sum, n := 0.0, 0.0
	for i, value := range values {
		if counted[i] {
			sum += value
			n++
		}
	}
	return ratioOr(sum, n, 0)
}

// seconds is what a process computes per superstep where it is: the mean of its
// work in the columns from one on, at the pace that it was last timed at.
func (m *costModel) seconds(pid, from int) float64 {
	p := m.process(pid)
	if p == nil {
		return 0
	}
	if p.Work <= 0 || len(p.RecentWork) == 0 {
		return p.Time
	}
	return p.Time / p.Work * m.MeanWork(pid, from)
}

// firstSince is the first column that was observed after a superstep.
func (m *costModel) firstSince(step int) int {
	return min(max(m.Columns-(m.view.Snapshot.Step-step), 0), m.Columns-1)
}

// stillThere reports whether a moved process is where it went.
func stillThere(where []int32, move Move) bool {
	return move.Pid >= 0 && move.Pid < len(where) && int(where[move.Pid]) == move.To
}
