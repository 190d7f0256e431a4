package rebalancer

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

const (
	// callWork and callProcess are the seconds of work that a call is taken to cost the
	// slowest manager before one was timed, in all and for each process. Only the first call
	// rests on them: half as much lets it come in loops half as long.
	callWork    = 300e-6
	callProcess = 15e-6
	// callMany replaces callProcess for processes beyond search.LargeRun, for which the search tries no
	// further mappings.
	callMany = 2.5e-6
	// unexplainedPart is the part of a superstep's duration that must be unexplained before links are
	// measured again. Smaller parts are within the error of measured work and shares.
	unexplainedPart = 0.2
	// unexplainedLasts is the expected duration of a new excess, as a multiple of the time it was
	// measured. The measurement begins after the first slow superstep.
	unexplainedLasts = 3
)

// paceFor sets the pace after the call and when the next one is due.
func (c *Controller) paceFor(s *Snapshot, d *Decision) {
	set := &c.spec.params().Due
	p := c.observed(s)
	d.Balanced = !p.unbalanced
	p.called(len(d.Moves) > 0)
	if d.UnexplainedTime > 0 {
		p.pace.Alpha = p.floor
	}
	d.After = p.pace
	wait, cost := d.After.Alpha, 0.0
	if c.spec.guarded() {
		share := set.CallShare
		if d.Learned.Pending != nil {
			share = set.ProofShare
		}
		if cost = costCall(s.Ranks); cost == 0 {
			cost = c.firstCost()
		}
		often := max(p.floor, costHorizon(s.Ranks)/callParts, affordable(cost, s.Ranks, d.foretold(), cheapShare))
		wait = max(min(wait, often), affordable(cost, s.Ranks, d.foretold(), share))
	}
	if b := d.Learned.Bank; b != nil && b.ripe > 0 {
		// saving is the number of supersteps in which the leap saves the cost of a call.
		saving := int(min(1e9, math.Ceil(ratioOr(cost*float64(costHorizon(s.Ranks)), b.Hope, 0))))
		wait = max(min(p.floor, surelySteps-d.Step), 1, min(wait, max(saving, b.ripe-d.Step)))
	}
	d.Next = d.Step + wait
}

// observed is the pace after the supersteps since the last call.
func (c *Controller) observed(s *Snapshot) pacer {
	p := pacer{pace: c.last.After, working: c.last.After.Alpha, floor: int(c.spec.value("alpha")), omega: int(c.spec.value("omega"))}
	for _, e := range s.Spreads {
		p.observe(e)
	}
	return p
}

// unexplainedTime compares the measured superstep time with the time that speeds, availability
// and links explain. The difference hardly varies between calls. If it grows, a link may have
// become slower, which no other figure shows; the next call then follows after alpha0 and
// measures the links. The excess is expected to last for unexplainedLasts times the supersteps in
// which it was measured, because it may be a short disturbance; if the next call still measures
// it, to the end of the run. A run that does not measure links ignores it.
func (c *Controller) unexplainedTime(v View, d *Decision) {
	if !c.relinks {
		return
	}
	measured, steps := MeasuredStep(v.Snapshot.Ranks)
	for _, r := range v.Snapshot.Ranks {
		if r.Recent > measured {
			measured, steps = r.Recent, r.Lately
		}
	}
	if steps == 0 {
		return
	}
	m := newCostModel(v)
	d.Learned.Unexplained = max(0, measured-v.computed(steps)-m.exchange(v.Where))
	usual, lasts := c.last.Learned.Unexplained, min(unexplainedLasts*steps, m.Horizon)
	if c.last.UnexplainedTime > 0 && !c.relinked {
		usual, lasts = min(usual, c.unexplained), m.Horizon
	}
	if growth := d.Learned.Unexplained - usual; usual >= 0 && growth > unexplainedPart*measured {
		d.UnexplainedTime = growth * float64(lasts)
	}
}

// computed is how long the rank that took longest has computed in each of the last supersteps, on
// average.
func (v *View) computed(steps int) float64 {
	sum, n := 0.0, 0
	for i := len(v.Snapshot.Spreads) - 1; i >= 0 && n < steps; i-- {
		sum, n = sum+float64(v.Snapshot.Spreads[i].Steps)*v.Snapshot.Spreads[i].Wall, n+v.Snapshot.Spreads[i].Steps
	}
	return ratioOr(sum, float64(n), 0)
}

// pacer computes Pace: calls become rare while the processes are balanced and frequent while
// they are not, and the measure of balance is relaxed when calls change nothing.
type pacer struct {
	pace    Pace
	working int // alpha', the next alpha
	floor   int // alpha0, below which it never falls
	omega   int

	unbalanced bool // the last superstep in which a process computed
}

// observe records a superstep. It is balanced if no process that computed was slower or
// faster than the mean by more than D of it. A superstep without computation changes nothing.
func (p *pacer) observe(e StepSpread) {
	if e.Count == 0 {
		return
	}
	mean := e.Sum / float64(e.Count)
	rounding := 1e-9 * mean // that adding up may have cost
	balanced := e.Max <= mean*(1+p.pace.D)+rounding && e.Min >= mean*(1-p.pace.D)-rounding
	p.unbalanced = !balanced
	steps := max(1, e.Steps)
	if balanced {
		p.working += steps
	} else {
		p.working = max(p.floor, p.working-steps)
	}
}

func (p *pacer) called(moved bool) {
	p.pace.Alpha = p.working
	if moved {
		p.pace.Still = 0
		return
	}
	if p.pace.Still++; p.pace.Still >= p.omega {
		p.pace.D *= 1.5
		p.pace.Still = 0
	}
}

// affordable returns the number of supersteps after which cost is at most the given share of their
// time. It uses the measured or the predicted superstep time, the longer of the two.
func affordable(cost float64, ranks []RankState, perStep, share float64) int {
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

// firstCost returns the expected duration of a call before one was timed: the work of the slowest
// manager, and three exchanges, each of which takes at least as long as an empty superstep.
func (c *Controller) firstCost() float64 {
	p, processes := &c.platform, len(c.where)
	many := max(0, processes-search.LargeRun)
	slowest, latency := 1.0, 0.0
	for a, set := range p.Sets {
		slowest = min(slowest, p.Ranks[set.Manager].Speed)
		for _, link := range p.Links[a] {
			latency = max(latency, link.Latency)
		}
	}
	return (callWork+callProcess*float64(processes-many)+callMany*float64(many))/slowest + 3*max(latency, p.Barrier)
}
