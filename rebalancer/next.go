package rebalancer

import "math"

// observed is the pace after the supersteps since the last call.
func (c *Controller) observed(s *Snapshot) pacer {
	p := pacer{Pace: c.pace, working: c.pace.Alpha, floor: c.alpha, omega: int(c.spec.value("omega"))}
	for _, e := range s.Extents {
		p.observe(e)
	}
	return p
}

// paceFor sets the pace after the call and when the next one is due.
func (c *Controller) paceFor(s *Snapshot, d *Decision) {
	p := c.observed(s)
	d.Balanced = !p.unbalanced
	p.called(len(d.Moves) > 0)
	d.After = p.Pace
	wait := d.After.Alpha
	if c.spec.value("guard") != 0 {
		wait = max(wait, affordable(s.Ranks))
	}
	d.Next = d.Step + wait
}

// callShare bounds the part of the time that calls may take, with the guard.
const callShare = 0.01

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
