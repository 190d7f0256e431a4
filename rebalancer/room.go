package rebalancer

import "slices"

// inRoom are the moves that leave no rank with more than it has memory for, or
// more than it had before if that is too much already. Moves to a rank that
// would be too full are left out, the last first. Strategies are expected to
// keep to this themselves; memory that runs out ends a run, so it is made sure.
func inRoom(v View, moves []Move) []Move {
	moves = slices.Clone(moves)
	for {
		full := overfull(v, moves)
		at := -1
		for i, m := range moves {
			if full[m.To] && m.Bytes > 0 {
				at = i
			}
		}
		if at < 0 {
			return moves
		}
		moves = slices.Delete(moves, at, at+1)
	}
}

// overfull tells which ranks the moves would bring more than fits there.
func overfull(v View, moves []Move) []bool {
	n := len(v.Platform.Ranks)
	before, change, come := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range v.Processes {
		p := &v.Processes[i]
		before[v.Where[p.Pid]] += p.State
	}
	for _, m := range moves {
		change[m.From] -= m.Bytes
		change[m.To] += m.Bytes
		come[m.To] += m.Bytes
	}
	full := make([]bool, n)
	for r := range full {
		limit := v.Platform.Ranks[r].Memory
		full[r] = limit > 0 && change[r] > 0 && before[r]+change[r] > limit ||
			v.Ranks[r].Free >= 0 && come[r] > v.Ranks[r].Free
	}
	return full
}
