package rebalancer

import (
	"math"
	"slices"
)

// audit brings the bank up to date. Where links are to be measured, slow ones may be in use here
// and not at the start.
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

// bankFigures are what an audit goes by, in seconds of a superstep: besides what processes
// computed what messages and barriers are predicted to take as it is, and at the start.
type bankFigures struct {
	bank                   *Bank
	computed               audited
	sends, waits           float64
	startSends, startWaits float64
	home, homeOff          float64 // what exchanges take where the run began, and how far off that may be
	likely                 audited // at the speeds that are told; computed is at the worse of those believed and declared
}

// told is what a superstep that was measured would have taken where the run began, at least and at most: here is what is
// known of it as it was, doubt that of the samples.
func (f *bankFigures) told(measured, here, doubt float64) (low, high float64) {
	beyond, off := measured-here, 0.0
	if f.bank.AtHome.Exchange > 0 {
		// What messages took there was seen: what is beyond may be of this mapping only.
		beyond, off = beyond/2, math.Abs(beyond/2)
	}
	likely := f.likely.start
	middle := likely + f.home + beyond
	off += doubt + f.homeOff + math.Abs(likely-f.computed.start)
	return max(middle-off, f.computed.start-doubt), max(middle+off, likely+doubt)
}

// balance brings the bank up to date with the figures of a call.
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
	seen := min(max(0, measured-real-f.waits), f.sends) // of what messages take
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
		// Supersteps differ by themselves, those of this run as those that it would have had, also once it is back.
		b.Doubt = math.Hypot(b.Doubt, math.Sqrt2*2*waitError(ranks)*float64(steps))
	}
	if v.Learned.LearnsNoMore && !c.last.Learned.LearnsNoMore {
		// What was to have been saved at speeds that are refuted is no more than what was seen at the start allows.
		over := max(0, b.Time+b.Saved-most*float64(v.Snapshot.Step))
		b.Saved, b.Likely, b.Doubt = b.Saved-over, b.Likely-over/2, b.Doubt+over/2
	}
	if b.Suspect > 0 && c.relinked {
		// Now it is known which links were slow then.
		lost := min(b.Suspect, float64(b.Since)*max(0, f.sends-f.startSends))
		b.Saved, b.Here = b.Saved-lost, b.Here-lost
	}
	if b.Suspect, b.Since = 0, steps; measure {
		b.Suspect = max(0, measured-real-f.sends-f.waits-c.last.Learned.Unexplained) * float64(steps)
	}
	// What may be lost is a part of what the run takes at the start: a mapping that makes it longer
	// does not allow more.
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
	// Work that is seen to grow makes a longer run, as far as forecasts are trusted.
	b.expected = b.Time + b.Saved + rest + c.last.Learned.Trust*max(0, newForecastModel(v).rest(v.Where)-rest)
	return b
}

// without is what a superstep that was measured would have taken at the start, at least, from what is known of it
// as it was and would have been: what was measured beyond that is the same for both, or in proportion, as far
// as it is not more than that.
func without(measured, here, low float64) (least float64) {
	least = measured + low - here
	if here > 0 {
		least = min(least, least+min(measured-here, here)*(low/here-1))
	}
	return max(0, least)
}
