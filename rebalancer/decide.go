package rebalancer

import (
	"fmt"
	"math"
	"slices"
)

// Decide comes to the decision of a call. It changes nothing; controllers that
// know the same come to the same decision from the same snapshot.
//
// Order: the pace follows from the supersteps since the last call; that call's
// moves are judged and the ranks' speeds learned from them; what was asked for
// and what must leave a drained rank moves; then what did not pay is taken back
// or, if there is nothing of that kind, the strategy chooses. With the guard its
// moves are carried out only if they are expected to pay.
func (c *Controller) Decide(s Snapshot) Decision {
	d := Decision{Step: s.Step, Call: c.call + 1, Before: c.pace, Memory: c.memory}
	d.Memory.Speeds, d.Memory.Available = slices.Clone(c.memory.Speeds), make([]float64, len(s.Ranks))
	for i, r := range s.Ranks {
		d.Memory.Available[i] = r.Available
	}
	v := View{Platform: &c.platform, Snapshot: &s, Where: slices.Clone(c.where), Memory: &d.Memory, Call: d.Call}
	v.Rates = rates(&s, &d.Memory)
	pending := c.memory.Pending
	if pending != nil {
		d.Outcome = outcomeOf(v, pending)
		d.Memory.Speeds, d.Memory.Trust = learn(v, pending, d.Outcome)
		d.Memory.Pending = nil
		v.Rates = rates(&s, &d.Memory)
	}
	d.Bound = boundOf(v)
	d.must(v)
	if !c.spec.Off() {
		c.may(v, pending, &d)
	}
	sortVerdicts(d.Verdicts)
	c.paceFor(&s, &d)
	return d
}

// rates are the ranks' work per second: learned speed times availability.
func rates(s *Snapshot, m *Memory) []float64 {
	all := make([]float64, len(s.Ranks))
	for i, r := range s.Ranks {
		if !r.Drained {
			all[i] = m.Speeds[i] * r.Available
		}
	}
	return all
}

// must moves what asked to move and what has to leave a drained rank. v.Where
// is then as after these moves.
func (d *Decision) must(v View) {
	t := newTrial(v)
	for i := range v.Processes {
		p := &v.Processes[i]
		drained := v.Ranks[t.where[p.Pid]].Drained
		to, reason := -1, ""
		switch {
		case p.Request >= 0 && p.Request != p.Rank:
			to, reason = p.Request, "it asked to"
			if why := t.refuses(p, to); why != "" {
				d.Verdicts = append(d.Verdicts, Verdict{Pid: p.Pid, Potential: p.Best, To: to, Rule: why})
				if to, reason = -1, "its rank is drained"; drained {
					to = t.soonest(p)
				}
			}
		case drained:
			to, reason = t.soonest(p), "its rank is drained"
		}
		switch {
		case to >= 0 && !p.Pinned:
			d.Moves = append(d.Moves, t.accept(p, to, reason))
			d.Verdicts = append(d.Verdicts, Verdict{Pid: p.Pid, Potential: p.Best, To: to, Moves: true, Rule: reason})
		case drained:
			d.Verdicts = append(d.Verdicts, Verdict{Pid: p.Pid, Potential: p.Best, To: -1, Rule: "its rank is drained, but it can go nowhere"})
		}
	}
	copy(v.Where, t.where)
}

// refuses says why a process cannot go to the rank that it asked for.
func (t *trial) refuses(p *Process, to int) string {
	switch {
	case p.Pinned:
		return "its state cannot move"
	case to >= len(t.v.Rates):
		return fmt.Sprintf("there is no rank %d", to)
	case t.v.Ranks[to].Drained:
		return fmt.Sprintf("rank %d is drained", to)
	case !t.fits(p, to):
		return fmt.Sprintf("rank %d has no room for its %d bytes", to, p.State)
	}
	return ""
}

// soonest is the rank that has room for a process and is done with it first, or
// has the fewest processes among equals; -1 if there is none.
func (t *trial) soonest(p *Process) int {
	best, at := math.Inf(1), -1
	for rank, rate := range t.v.Rates {
		if rate <= 0 || !t.fits(p, rank) {
			continue
		}
		time := (t.load[rank] + p.Index) / rate
		if time < best || time == best && t.count[rank] < t.count[at] {
			best, at = time, rank
		}
	}
	return at
}

// may adds the moves that the strategy wants or that take back others.
func (c *Controller) may(v View, pending *Pending, d *Decision) {
	guard := c.spec.value("guard") != 0
	var moves []Move
	if guard && d.Outcome != nil {
		moves = undo(v, pending, d.Outcome)
		for i := range moves {
			moves[i].Reason = fmt.Sprintf("call %d did not pay", pending.Call)
			d.Verdicts = append(d.Verdicts, Verdict{Pid: moves[i].Pid, To: moves[i].To, Moves: true, Rule: moves[i].Reason})
		}
	}
	undone := len(moves) > 0
	if !undone {
		var verdicts []Verdict
		moves, verdicts = c.spec.definition.New(c.spec.values).Choose(v)
		d.Verdicts = append(d.Verdicts, verdicts...)
	}
	d.Forecast = forecast(v, moves)
	saving := (d.Forecast.Before - d.Forecast.After) * d.Memory.Trust
	switch {
	case len(moves) == 0:
		d.Kept = "no move was found that pays"
	case guard && !undone && !(saving > d.Forecast.Cost):
		d.Kept = fmt.Sprintf("%d moves would save %.3g s (trusted to %.0f%%) of the next %d supersteps and cost %.3g s",
			len(moves), d.Forecast.Before-d.Forecast.After, 100*d.Memory.Trust, d.Forecast.Horizon, d.Forecast.Cost)
		d.refuse(moves)
	default:
		d.Memory.Pending = pendingOf(v, d.Call, moves, d.Forecast)
		d.Moves = append(d.Moves, moves...)
	}
	if len(d.Moves) > 0 {
		d.Kept = ""
	}
}

// refuse makes the verdicts of moves say that the guard holds them back.
func (d *Decision) refuse(moves []Move) {
	held := make(map[int]bool)
	for _, m := range moves {
		held[m.Pid] = true
	}
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; held[v.Pid] && v.Moves {
			v.Moves, v.Rule = false, "held back: "+v.Rule
		}
	}
}

// paceFor sets the pace after the call and when the next one is due.
func (c *Controller) paceFor(s *Snapshot, d *Decision) {
	p := pacer{Pace: c.pace, working: c.pace.Alpha, floor: c.alpha, omega: int(c.spec.value("omega"))}
	d.Balanced = true
	for _, e := range s.Extents {
		d.Balanced = p.observe(e)
	}
	p.called(len(d.Moves) > 0)
	d.After = p.Pace
	wait := d.After.Alpha
	if c.spec.value("guard") != 0 {
		wait = max(wait, affordable(s.Ranks))
	}
	d.Next = d.Step + wait
}

// callShare bounds the part of the time that calls may take, with the guard.
const callShare = 0.005

// affordable is how many supersteps must pass for a call's cost to be a small
// part of their time.
func affordable(ranks []RankState) int {
	cost, perStep := 0.0, 0.0
	for _, r := range ranks {
		cost = max(cost, r.Called)
		if r.Steps > 0 {
			perStep = max(perStep, r.Elapsed/float64(r.Steps))
		}
	}
	if perStep <= 0 {
		return 0
	}
	return int(min(1e9, math.Ceil(cost/callShare/perStep)))
}
