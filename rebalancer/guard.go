package rebalancer

import "slices"

// sureColumns is the number of supersteps of each class that must follow moves before these are
// judged. A single superstep may be an outlier.
const sureColumns = 3

// outcomeOf compares the measured time since the moves with the predicted time of the same work
// under the mapping before them, at the speeds learned from the moves. It returns nil if it is too
// early to compare.
func outcomeOf(v View, p *Pending) *Outcome {
	measured, seen := MeasuredStep(v.Snapshot.Ranks)
	if p == nil || len(p.Moves) == 0 || v.Snapshot.Step <= p.Step || seen == 0 {
		return nil
	}
	m, steps := newCostModel(v), v.Snapshot.Step-p.Step
	first := max(m.Columns-steps, 0) // column observed after the moves
	since := *m
	since.Series = m.Part(first, m.Columns)
	now := since.step(v.Where)
	if now <= 0 {
		return nil
	}
	past := since.step(costReturned(v.Where, p.Moves))
	o := &Outcome{Call: p.Call, Steps: steps, Realised: (past/now - 1) * measured * float64(steps)}
	if p.Forecast.Horizon > 0 {
		o.Predicted = (p.Forecast.Before - p.Forecast.After) / float64(p.Forecast.Horizon) * float64(steps)
	}
	for _, r := range v.Snapshot.Ranks {
		o.Cost = max(o.Cost, r.Moved)
	}
	o.Sure = m.Horizon == 0 || !slices.ContainsFunc(m.ByClass(), func(columns []int) bool {
		at, _ := slices.BinarySearch(columns, first)
		return len(columns)-at < sureColumns
	})
	return o
}

// costReturned returns the mapping with the moves reversed, except those of processes that have
// moved on since.
func costReturned(where []int32, moves []Move) []int32 {
	returned := slices.Clone(where)
	for _, move := range moves {
		if move.Pid >= 0 && move.Pid < len(where) && int(where[move.Pid]) == move.To {
			returned[move.Pid] = int32(move.From)
		}
	}
	return returned
}

// undo returns moves that reverse the last ones if these lost at least 2 % of the time since. It
// leaves out moves to drained ranks, and returns nil if the moves would cost more than they save.
func undo(v View, p *Pending, o *Outcome) []Move {
	if o == nil {
		return nil
	}
	measured, _ := MeasuredStep(v.Snapshot.Ranks)
	if since := measured * float64(o.Steps); since <= 0 || o.Realised >= -0.02*since {
		return nil
	}
	moves := slices.DeleteFunc(v.between(v.Where, costReturned(v.Where, p.Moves)), func(m Move) bool { return v.Rates[m.To] <= 0 })
	if loss := -o.Realised / float64(o.Steps) * float64(costHorizon(v.Snapshot.Ranks)); loss <= v.moving(moves) {
		return nil
	}
	return moves
}

// trustAfter returns the trust in predictions: half of it if moves saved less than a quarter of the
// prediction, otherwise 1.5 times it, at most 1.
func trustAfter(v View, o *Outcome) float64 {
	trust := v.Learned.Trust
	if o == nil || o.Predicted <= 0 {
		return trust
	}
	if o.Realised < o.Predicted/4 {
		return max(trust/2, v.set.Or().Guard.TrustLeast)
	}
	return min(1.5*trust, 1)
}
