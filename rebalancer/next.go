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
	if d.Surprise > 0 {
		p.Alpha = p.floor
	}
	d.After = p.Pace
	wait := d.After.Alpha
	if c.spec.value("guard") != 0 {
		share := callShare
		if d.Memory.Pending != nil {
			share = proofShare
		}
		cost := costCall(s.Ranks)
		if cost == 0 && s.Step >= trendColumns && !grows(s.Ranks, d.Forecast) {
			cost = c.platform.FirstCost(len(c.where))
		}
		often := max(c.alpha, costHorizon(s.Ranks)/callParts, affordable(cost, s.Ranks, d.Forecast, cheapShare))
		wait = max(min(wait, often), affordable(cost, s.Ranks, d.Forecast, share))
	}
	d.Next = d.Step + wait
}

// With the guard, callShare bounds the part of the time that calls may take, and
// proofShare where moves have still to prove that they pay: what does not is to be
// taken back soon.
const (
	callShare  = 0.006
	proofShare = 0.05
)

// However balanced the processes are, they may not stay so: with the guard, calls that
// take no more than cheapShare of the time are no further apart than one of callParts
// parts of what remains.
const (
	cheapShare = 0.002
	callParts  = 8
)

// grows tells whether supersteps are predicted to take much longer than they took: what
// a call costs, as long as that is not known, is then no reason to wait; nor is it
// before a trend can be seen.
func grows(ranks []RankState, f Forecast) bool {
	measured, _ := measuredStep(ranks)
	return f.Horizon > 0 && f.Before > growth*measured*float64(f.Horizon)
}

// growth is how much longer that is.
const growth = 1.25

// affordable is how many supersteps must pass for a call's cost to be no more than
// such a share of their time: as long as they took or as they are predicted to take.
func affordable(cost float64, ranks []RankState, f Forecast, share float64) int {
	perStep := 0.0
	if f.Horizon > 0 {
		perStep = f.After / float64(f.Horizon)
	}
	for _, r := range ranks {
		if r.Steps > 0 {
			perStep = max(perStep, r.Elapsed/float64(r.Steps))
		}
	}
	if perStep <= 0 {
		return 0
	}
	return int(min(1e9, math.Ceil(cost/share/perStep)))
}
