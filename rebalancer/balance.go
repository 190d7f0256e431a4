package rebalancer

import (
	"math"
	"slices"
)

// audit brings the bank up to date. Where links are to be measured, slow ones may be in use here
// and not at the start.
func (c *Controller) audit(v View, measure bool) *Bank {
	m := newCostModel(v)
	shadows := c.auditor.shadows
	f := bankFigures{horizon: m.Horizon, sends: m.Communication(v.Where), waits: m.Barrier(v.Where)}
	if b := c.last.Learned.Bank; b != nil {
		f.atHome, f.atHomeSteps, f.atHomeOff, f.perByte, f.atHomeStep = b.AtHome, b.AtHomeSteps, b.AtHomeOff, b.AtHomePerByte, b.AtHomeStep
	}
	measured, steps := MeasuredStep(v.Snapshot.Ranks)
	if slices.Equal(v.Where, shadows[0]) {
		f.atHome, f.atHomeSteps, f.atHomeOff = m.Exchange, float64(v.Snapshot.Step), together(f.atHomeOff, exchangeOff(v))
		f.perByte = ratioOr(f.sends, v.volume(), 0)
		if steps > 0 {
			f.atHomeStep = measured
		}
	}
	settled := f.atHome > 0 && f.atHomeSteps >= exchangeSteps
	for k, where := range shadows {
		of := *m
		if k == 0 && settled {
			of.Exchange = f.atHome
		}
		f.shadowSends = append(f.shadowSends, of.Communication(where))
		f.shadowWaits = append(f.shadowWaits, of.Barrier(where))
	}
	f.home, f.homeOff = f.homeExchange(m, v.Where, shadows[0])
	samples := v.sampled()
	f.computed = newAudited(v, samples, speedRange, f.exchanges())
	f.believed = newAudited(v, samples, believedSpeed, []float64{f.home})
	if !f.computed.known {
		f.computed.real = m.compute(v.Where)
		for k, where := range shadows {
			f.computed.shadow[k] = m.compute(where)
		}
	}
	if measure {
		f.excess = max(0, measured-f.computed.real-f.sends-f.waits-c.last.Learned.Unexplained)
	}
	f.overlap = m.overlap(shadows[0], f.computed.shadow[0], f.shadowSends[0])
	f.rest = newForecastModel(v).rest(v.Where)
	return c.balance(v.Snapshot.Ranks, f)
}

// bankFigures are what an audit goes by, in seconds of a superstep: besides what processes
// computed what messages and barriers are predicted to take as it is, and with each shadow.
type bankFigures struct {
	computed                 audited
	sends, waits             float64
	shadowSends, shadowWaits []float64
	atHome, atHomeSteps      float64 // of the Bank
	atHomeOff, perByte       float64 // of it too
	atHomeStep               float64 // and this
	home, homeOff            float64 // what exchanges take where the run began, and how far off that may be
	believed                 audited // computed at learned speeds; computed is at the worse of these and the declared ones
	overlap                  float64 // of shadowSends[0], what may have passed while others computed
	excess                   float64 // that nothing known explains, where links are to be measured
	horizon                  int
	rest                     float64 // of the supersteps to come, as predicted
}

// told is what a superstep that was measured would have taken where the run began, at least and at most: here is what is
// known of it as it was, hidden what may be of messages that pass while others compute, doubt that of the samples.
func (f *bankFigures) told(measured, here, hidden, doubt float64) (low, high float64) {
	beyond, off := measured-here, 0.0
	if f.atHome > 0 {
		// What messages took there was seen: no more of it is hidden. What is beyond may be of this mapping only.
		hidden, beyond, off = f.overlap, beyond/2, math.Abs(beyond/2)
	}
	believed := f.believed.shadow[0]
	middle := believed + f.home - hidden/2 + beyond
	off += doubt + f.homeOff + hidden/2 + math.Abs(believed-f.computed.shadow[0])
	return max(middle-off, f.computed.shadow[0]-doubt), max(middle+off, believed+doubt)
}

// homeExchange is what messages and barriers take where the run began, and how far off that may be. What was seen
// there counts as far as processes are elsewhere now: for those that are not, exchanges have changed as is seen here,
// by no more seconds than they take here, for a ratio of short ones says little of long latencies.
// Of messages it is the mean of what the model says and of what all bytes took there: who sends most may change
// from superstep to superstep, which the model, that goes by sums of several, does not see.
//
// A run that begins sends little, and waits for ranks that start late: few supersteps say little of what many bytes
// would take. What is beyond what lines say, for processes that are here as for those that are elsewhere, counts as
// such supersteps weigh against exchangeSteps, and the lesser part of it is in doubt.
func (f *bankFigures) homeExchange(m *costModel, where, home []int32) (seconds, off float64) {
	if f.atHome == 0 {
		return f.exchanges()[0], 0
	}
	of := *m
	of.Exchange = f.atHome
	then := of.Communication(home) + of.Barrier(home)
	if m.Exchange == 0 {
		return then, then * f.atHomeOff
	}
	part := float64(len(m.view.between(where, home))) / float64(len(where))
	of.Exchange = m.Exchange * math.Pow(f.atHome/m.Exchange, part)
	if all := of.Communication(home) + of.Barrier(home); all > then+f.sends+f.waits {
		of.Exchange *= (then + f.sends + f.waits) / all
	}
	seconds = of.Communication(home)
	if f.perByte > 0 {
		seconds += part * (f.perByte*m.view.volume() - seconds) / 2
	}
	seconds += of.Barrier(home)
	off = math.Abs(seconds-then) / 2
	of.Exchange = math.Pow(m.Exchange, 1-part)
	beyond := max(0, seconds-of.Communication(home)-of.Barrier(home))
	counts := f.atHomeSteps / (f.atHomeSteps + exchangeSteps)
	seconds -= (1 - counts) * beyond
	return seconds, off + seconds*f.atHomeOff*part + min(counts, 1-counts)*beyond
}

// volume is the bytes that processes send each other in a superstep.
func (v *View) volume() (bytes float64) {
	for i := range v.Snapshot.Processes {
		for _, t := range v.Snapshot.Processes[i].Partners {
			bytes += float64(t.Bytes)
		}
	}
	return bytes
}

// together is the error of a mean of two measurements with such errors, the first of which is 0 if there is none.
func together(before, now float64) float64 {
	if before == 0 || now == 0 {
		return max(before, now)
	}
	return before * now / math.Hypot(before, now)
}

// exchanges are what messages and barriers take with each shadow.
func (f *bankFigures) exchanges() []float64 {
	all := slices.Clone(f.shadowSends)
	for k, waits := range f.shadowWaits {
		all[k] += waits
	}
	return all
}

// overlap is how much of what messages take with a mapping may pass while others still compute,
// where lines were found to be slow: the host of such a one may be done long before others are.
func (m *costModel) overlap(where []int32, computes, sends float64) float64 {
	if m.Platform.Lines == nil {
		return 0
	}
	all, usual := *m, *m.Platform
	usual.Lines = nil
	all.Platform = &usual
	return sends - max(min(sends, all.Communication(where)), sends-computes)
}

// balance brings the bank up to date with the figures of a call.
func (c *Controller) balance(ranks []RankState, f bankFigures) *Bank {
	b := &Bank{Visible: 1}
	if c.last.Learned.Bank != nil {
		*b = *c.last.Learned.Bank
	}
	b.AtHome, b.AtHomeSteps, b.AtHomeOff, b.AtHomePerByte, b.AtHomeStep = f.atHome, f.atHomeSteps, f.atHomeOff, f.perByte, f.atHomeStep
	b.Keep, b.ripe, b.sure, b.later, b.Hope, b.forgiven, b.shadows, b.set, b.risk = false, 0, 0, 0, 0, 0, c.auditor.shadows, c.spec.tuned, c.spec.value("risk")
	measured, steps := MeasuredStep(ranks)
	elapsed, paid, moved := measured*float64(steps), 0.0, 0.0
	for _, r := range ranks {
		paid, moved = max(paid, r.Called+r.Moved), max(moved, r.Moved)
	}
	real, shadow := f.computed.real, f.computed.shadow
	doubt := f.computed.series.doubt(steps)
	b.here = real + f.sends + f.waits
	b.now = make([]float64, len(shadow))
	for k := range shadow {
		b.now[k] = shadow[k] + f.shadowSends[k] + f.shadowWaits[k]
	}
	if b.Least == 0 || steps > 0 && measured < b.Least {
		b.Least = measured
	}
	b.fell = measured > fellFactor*b.Least
	if b.home = shadow[0] + f.home; b.AtHomeStep > 0 {
		b.home = min(b.home, b.AtHomeStep)
	}
	seen := min(max(0, measured-real-f.waits), f.sends) // of what messages take
	if f.sends > 0 && steps > 0 {
		b.Visible = min(b.Visible, seen/f.sends)
	}
	least, likely := elapsed, elapsed
	if f.computed.known && steps > 0 {
		hidden, here := max((1-b.Visible)*f.shadowSends[0], f.overlap), real+seen+f.waits
		least = max(without(measured, here, b.now[0]-hidden-doubt), shadow[0]-doubt) * float64(steps)
		low, high := f.told(measured, here, hidden, doubt)
		likely = (low + high) / 2 * float64(steps)
		b.Doubt += (high - low) / 2 * float64(steps)
	}
	b.Gain = least - elapsed
	b.Here, b.Steps = b.Here+b.Gain, b.Steps+steps
	b.Time, b.Paid = b.Time+elapsed+paid, b.Paid+paid
	if moved == 0 && slices.Equal(c.where, b.shadows[0]) {
		b.Calls += paid
	}
	b.Saved += b.Gain - paid
	b.Likely += likely - elapsed - paid
	if f.computed.known || b.Doubt > 0 {
		// Supersteps differ by themselves, those of this run as those that it would have had, also once it is back.
		b.Doubt = math.Hypot(b.Doubt, math.Sqrt2*2*waitError(ranks)*float64(steps))
	}
	if b.Suspect > 0 && c.relinked {
		// Now it is known which links were slow then.
		lost := min(b.Suspect, float64(b.Since)*max(0, f.sends-f.shadowSends[0]+f.overlap))
		b.Saved, b.Here = b.Saved-lost, b.Here-lost
	}
	b.Suspect, b.Since = f.excess*float64(steps), steps
	// What may be lost is a part of what the run takes at the start: a mapping that makes it longer
	// does not allow more.
	rest := float64(f.horizon) * measured
	if steps > 0 {
		rest = min(rest, float64(f.horizon)*least/float64(steps))
	}
	if b.Saved > 0 {
		b.Tries, b.Leap = 0, 0
	}
	b.allowance = b.set.Or().Bank.StakeShare * (b.Time + b.Saved)
	b.claim = max(b.allowance, b.set.Or().Bank.SeedShare*(b.Time+b.Saved+rest))
	if b.Tries == 0 {
		b.allowance = b.claim
	}
	// Work that is seen to grow makes a longer run, as far as forecasts are trusted.
	b.expected = b.Time + b.Saved + rest + c.last.Learned.Trust*max(0, f.rest-rest)
	return b
}

// without is what a superstep that was measured would have taken with a shadow, at least, from what is known of it
// as it was and would have been: what was measured beyond that is the same for both, or in proportion, as far
// as it is not more than that.
func without(measured, here, low float64) (least float64) {
	least = measured + low - here
	if here > 0 {
		least = min(least, least+min(measured-here, here)*(low/here-1))
	}
	return max(0, least)
}
