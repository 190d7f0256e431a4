package rebalancer

import (
	"math"
	"slices"
)

// audit updates the bank. If measure is true, links are about to be measured, and slow links may be in
// use under the current mapping but not under the initial one.
func (c *Controller) audit(v View, measure bool) *Bank {
	b, start := new(Bank), c.auditor.start
	if c.last.Learned.Bank != nil {
		*b = *c.last.Learned.Bank
	}
	m := newCostModel(v)
	f := bankFigures{bank: b}
	f.sends, f.waits = m.Exchanges(v.Where)
	if slices.Equal(v.Where, start) {
		b.AtHome.see(m, f.sends)
	}
	of := *m
	if at := &b.AtHome; at.Exchange > 0 && (at.Steps >= exchangeSteps || at.Exchange < m.Exchange) {
		of.Exchange = at.Exchange
	}
	f.startSends, f.startWaits = of.Exchanges(start)
	f.home, f.homeOff = f.homeExchange(m, v.Where, start)
	samples := v.sampled()
	f.computed = newAudited(v, samples, speedRange, f.startSends+f.startWaits, b.AtHome.Throttled)
	f.likely = newAudited(v, samples, likelySpeed, f.home, b.AtHome.Throttled)
	if !f.computed.known {
		f.computed.real, f.computed.start = m.compute(v.Where), m.compute(start)
	}
	return c.balance(v, f, measure)
}

// bankFigures holds the inputs of an audit, in seconds per superstep: computing time, and the predicted
// time of messages and barriers under the current and the initial mapping.
type bankFigures struct {
	bank                   *Bank
	computed               audited
	sends, waits           float64
	startSends, startWaits float64
	home, homeOff          float64 // communication time under the initial mapping, and its error
	likely                 audited // at the fitted speeds; computed uses the worse of learned and declared speeds
}

// told returns bounds on the duration of a measured superstep under the initial mapping. here is its
// modelled duration under the current mapping, and doubt the error of the samples.
func (f *bankFigures) told(measured, here, doubt float64) (low, high float64) {
	beyond, off := measured-here, 0.0
	if f.bank.AtHome.Exchange > 0 {
		// Communication was measured there, so the excess may be due to the current mapping only.
		beyond, off = beyond/2, math.Abs(beyond/2)
	}
	likely := f.likely.start
	middle := likely + f.home + beyond
	off += doubt + f.homeOff + math.Abs(likely-f.computed.start)
	return max(middle-off, f.computed.start-doubt), max(middle+off, likely+doubt)
}

// balance updates the bank with the figures of a call.
func (c *Controller) balance(v View, f bankFigures, measure bool) *Bank {
	b, ranks := f.bank, v.Snapshot.Ranks
	b.ripe, b.sure, b.later, b.Hope, b.forgiven, b.start, b.set, b.risk = 0, 0, 0, 0, false, c.auditor.start, c.spec.tuned, c.spec.value("risk")
	measured, steps := MeasuredStep(ranks)
	elapsed, paid, moved := measured*float64(steps), 0.0, 0.0
	for _, r := range ranks {
		paid, moved = max(paid, r.Called+r.Moved), max(moved, r.Moved)
	}
	real, start := f.computed.real, f.computed.start+f.startSends+f.startWaits
	doubt := f.computed.doubt(steps)
	b.here = real + f.sends + f.waits
	if b.home = f.computed.start + f.home; b.AtHome.Step > 0 {
		b.home = min(b.home, b.AtHome.Step)
	}
	most := b.AtHome.most(v.Learned)
	b.home = min(max(b.home, start), most)
	seen := min(max(0, measured-real-f.waits), f.sends) // part of the message time that was measured
	least, likely := elapsed, elapsed
	if f.computed.known && steps > 0 {
		here := real + seen + f.waits
		least = max(without(measured, here, start-doubt), f.computed.start-doubt) * float64(steps)
		low, high := f.told(measured, here, doubt)
		least, low = min(least, most*float64(steps)), min(low, most)
		likely = (low + high) / 2 * float64(steps)
		b.Doubt += (high - low) / 2 * float64(steps)
	}
	b.Gain = least - elapsed
	b.Here, b.Steps = b.Here+b.Gain, b.Steps+steps
	b.Time, b.Paid = b.Time+elapsed+paid, b.Paid+paid
	if moved == 0 && slices.Equal(c.where, b.start) {
		b.Calls += paid
	}
	b.Saved += b.Gain - paid
	b.Likely += likely - elapsed - paid
	if f.computed.known || b.Doubt > 0 {
		// Supersteps vary under both mappings, also after the run is back on the initial one.
		b.Doubt = math.Hypot(b.Doubt, math.Sqrt2*2*waitError(ranks)*float64(steps))
	}
	if v.Learned.LearnsNoMore && !c.last.Learned.LearnsNoMore {
		// Savings estimated at refuted speeds are limited by the time measured under the initial
		// mapping.
		over := max(0, b.Time+b.Saved-most*float64(v.Snapshot.Step))
		b.Saved, b.Likely, b.Doubt = b.Saved-over, b.Likely-over/2, b.Doubt+over/2
	}
	if b.Suspect > 0 && c.relinked {
		// The slow links of that time are known now.
		lost := min(b.Suspect, float64(b.Since)*max(0, f.sends-f.startSends))
		b.Saved, b.Here = b.Saved-lost, b.Here-lost
	}
	if b.Suspect, b.Since = 0, steps; measure {
		b.Suspect = max(0, measured-real-f.sends-f.waits-c.last.Learned.Unexplained) * float64(steps)
	}
	// The allowance is a share of the time under the initial mapping, so a mapping that makes the run
	// longer does not raise it.
	horizon := float64(costHorizon(ranks))
	rest := horizon * measured
	if steps > 0 {
		rest = min(rest, horizon*least/float64(steps))
	}
	if b.Saved > 0 {
		b.Gone, b.Leap = false, 0
	}
	b.allowance = b.set.Or().Bank.StakeShare * (b.Time + b.Saved)
	b.claim = max(b.allowance, b.set.Or().Bank.SeedShare*(b.Time+b.Saved+rest))
	if !b.Gone {
		b.allowance = b.claim
	}
	// Growing work makes the run longer. The growth is weighted by the trust in forecasts.
	b.expected = b.Time + b.Saved + rest + c.last.Learned.Trust*max(0, newForecastModel(v).rest(v.Where)-rest)
	return b
}

// without returns a lower bound on the duration of a measured superstep under the initial mapping. here
// and low are the modelled durations under the current and the initial mapping. The excess of the
// measured time over here counts for both alike or, up to the size of here, in proportion; the lesser
// result is returned.
func without(measured, here, low float64) (least float64) {
	least = measured + low - here
	if here > 0 {
		least = min(least, least+min(measured-here, here)*(low/here-1))
	}
	return max(0, least)
}
