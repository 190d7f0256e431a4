package rebalancer

import "slices"

const (
	correctLeast = 0.01 // bounds on the factor by which a process's work is corrected
	correctMost  = 100
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
	measured, _ := MeasuredStep(v.Snapshot.Ranks)
	total := 0.0
	for _, work := range m.Totals() {
		total += work / float64(m.Columns)
	}
	p.Rate = ratioOr(measured, total, 0)
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
	o.Sure = m.fewestSince(first) >= v.set.Or().Guard.SureColumns || m.Horizon == 0
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
	if since := measured * float64(o.Steps); since <= 0 || o.Realised >= -v.set.Or().Guard.UndoLoss*since {
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
