package rebalancer

import "slices"

// audit brings the bank up to date. Where links are to be measured, slow ones may be in use here
// and not at the start.
func (c *Controller) audit(v View, measure bool) *Bank {
	m := newCostModel(v)
	shadows := c.auditor.shadows
	f := bankFigures{horizon: m.Horizon}
	f.sends, f.waits = m.Communication(v.Where), m.Barrier(v.Where)
	if b := c.last.Learned.Bank; b != nil {
		f.atHome, f.atHomeSteps = b.AtHome, b.AtHomeSteps
	}
	if slices.Equal(v.Where, shadows[0]) {
		f.atHome, f.atHomeSteps = m.Exchange, float64(v.Snapshot.Step)
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
	if !settled && m.Exchange > 0 {
		early := f.atHome / m.Exchange
		f.longer, f.shorter = max(0, early-1)*f.exchanges()[0], max(0, 1-exchangeSettles*early)*f.exchanges()[0]
	}
	f.computed = newAudited(v, f.exchanges())
	if !f.computed.known {
		f.computed.real = m.compute(v.Where, m.EqualWeights(), nil)
		for k, where := range shadows {
			f.computed.shadow[k] = m.compute(where, m.EqualWeights(), nil)
		}
	}
	if measured, _ := MeasuredStep(v.Snapshot.Ranks); measure {
		f.excess = max(0, measured-f.computed.real-f.sends-f.waits-c.last.Learned.Unexplained)
	}
	f.overlap = m.overlap(shadows[0], f.computed.shadow[0], f.shadowSends[0])
	to := newForecastModel(v)
	f.rest = to.rest(v.Where)
	return c.balance(v.Snapshot.Ranks, f)
}

// bankFigures are what an audit goes by, in seconds of a superstep: besides what processes
// computed what messages and barriers are predicted to take as it is, and with each shadow.
type bankFigures struct {
	computed                 audited
	sends, waits             float64
	shadowSends, shadowWaits []float64
	atHome, atHomeSteps      float64 // of the Bank
	longer, shorter          float64 // that exchanges may take more and less where the run began, while atHome is of few supersteps
	overlap                  float64 // of shadowSends[0], what may have passed while others computed
	excess                   float64 // that nothing known explains, where links are to be measured
	horizon                  int
	rest                     float64 // of the supersteps to come, as predicted
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
	b.AtHome, b.AtHomeSteps = f.atHome, f.atHomeSteps
	b.Keep, b.ripe, b.sure, b.Hope, b.forgiven, b.shadows, b.set, b.risk = false, 0, 0, 0, 0, c.auditor.shadows, c.spec.tuned, c.spec.value("risk")
	measured, steps := MeasuredStep(ranks)
	elapsed, paid, moved := measured*float64(steps), 0.0, 0.0
	for _, r := range ranks {
		paid, moved = max(paid, r.Called+r.Moved), max(moved, r.Moved)
	}
	real, shadow := f.computed.real, f.computed.shadow
	doubt, level := f.computed.series.doubt(steps)
	b.here = real + f.sends + f.waits
	b.now = make([]float64, len(shadow))
	for k := range shadow {
		b.now[k] = shadow[k] + f.shadowSends[k] + f.shadowWaits[k]
	}
	seen := min(max(0, measured-real-f.waits), f.sends) // of what messages take
	if f.sends > 0 && steps > 0 {
		b.Visible = min(b.Visible, seen/f.sends)
	}
	least, most := elapsed, elapsed
	if f.computed.known && steps > 0 {
		hidden := max((1-b.Visible)*f.shadowSends[0], f.overlap)
		low, high := b.now[0]-hidden-doubt, b.now[0]+f.longer+doubt
		least, most = without(measured, real+seen+f.waits, low, high)
		warm, _ := without(measured, real+seen+f.waits, low-f.shorter, high)
		b.Warm += max(0, least-max(warm, shadow[0]-level)) * float64(steps)
		least, most = max(least, shadow[0]-level)*float64(steps), max(most, shadow[0]+doubt)*float64(steps)
	}
	b.Gain = least - elapsed
	b.Here, b.Steps = b.Here+b.Gain, b.Steps+steps
	b.Time, b.Paid = b.Time+elapsed+paid, b.Paid+paid
	if moved == 0 && slices.Equal(c.where, b.shadows[0]) {
		b.Calls += paid
	}
	b.Saved += b.Gain - paid
	b.Most += most - elapsed - paid
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

// without is what a superstep that was measured would have taken with a shadow, at least and
// at most, from what is known of it as it was and would have been: what was measured beyond
// that is the same for both, or in proportion, as far as it is not more than that.
func without(measured, here, low, high float64) (least, most float64) {
	least, most = measured+low-here, measured+high-here
	if here > 0 {
		beyond := min(measured-here, here)
		least = min(least, least+beyond*(low/here-1))
		most = max(most, most+beyond*(high/here-1))
	}
	return max(0, least), max(0, most)
}
