package rebalancer

import "slices"

// finish puts moves and verdicts in order: one of each for a process, by pid. It
// makes the forecast unless the one for the strategy's moves is for all.
func (d *Decision) finish(before View) {
	d.Moves = composed(before, d.Moves)
	d.Verdicts = decisive(d.Verdicts)
	if d.Forecast == (Forecast{}) {
		d.Forecast = forecast(before, d.Moves)
	}
	if len(d.Moves) > 0 {
		d.Kept = ""
	}
}

// decisive leaves one verdict of each process: the last that moves it, or else
// the first.
func decisive(verdicts []Verdict) []Verdict {
	sortVerdicts(verdicts)
	n := 0
	for _, v := range verdicts {
		switch {
		case n == 0 || verdicts[n-1].Pid != v.Pid:
			verdicts[n] = v
			n++
		case v.Moves:
			verdicts[n-1] = v
		}
	}
	return verdicts[:n]
}

// composed joins the moves that a process makes one after another to one.
func composed(before View, moves []Move) []Move {
	at := make(map[int]int)
	var all []Move
	for _, m := range moves {
		if i, moved := at[m.Pid]; moved {
			all[i].To = m.To
			continue
		}
		at[m.Pid] = len(all)
		all = append(all, m)
	}
	return slices.DeleteFunc(all, func(m Move) bool { return m.To == int(before.Where[m.Pid]) })
}
