package rebalancer

import "math"

// What is known of the place where the run began: exchanges and supersteps as they took there, at calls while all
// processes were there. What it says of supersteps since is held against that.

// see takes in what a call sees while the run is where it began, and messages take so long.
func (at *AtHome) see(m *costModel, sends float64) {
	v := m.view
	at.Exchange, at.Steps, at.Off = m.Exchange, float64(v.Snapshot.Step), together(at.Off, exchangeOff(v))
	at.PerByte = ratioOr(sends, v.volume(), 0)
	measured, steps := settledStep(v)
	if steps == 0 {
		return
	}
	if at.Step, at.Span = measured, steps; !v.bursts() {
		return
	}
	kept, bursts := m.compute(v.Where), make([]float64, len(v.Rates))
	for rank := range bursts {
		bursts[rank] = v.burst(rank)
	}
	burst := v.computing(bursts)
	at.Throttled = min(1, max(0, ratioOr(v.computed(steps)-burst, kept-burst, 0)))
}

// slowed reports whether processes compute for much longer where they are than they did with the shares that ranks had
// until the last call.
func (c *Controller) slowed(v View) bool {
	was := c.last.Learned.Usual
	return was != nil && newCostModel(v).compute(v.Where) > slowFactor*v.computing(was)
}

// computing is how long processes compute where they are, by the model, with such shares of their ranks' cores.
func (v View) computing(shares []float64) float64 {
	v.Rates = rates(v.Snapshot, v.Learned.Speeds, shares)
	return newCostModel(v).compute(v.Where)
}

// most is what a superstep there is believed to take at most. Where moves have told of speeds what cannot be, nothing is known
// of how long work takes on other ranks than it was seen on: then it is what one took there.
func (at *AtHome) most(l *Learned) float64 {
	if l.LearnsNoMore && at.Step > 0 {
		return at.Step
	}
	return math.Inf(1)
}

// homeExchange is what messages and barriers take where the run began, and how far off that may be. What was seen
// there counts as far as processes are elsewhere now: for those that are not, exchanges have changed as is seen here,
// by no more seconds than they take here, for a ratio of short ones says little of long latencies.
// Of messages it is the mean of what the model says and of what all bytes took there: who sends most may change
// from superstep to superstep, which the model, that goes by sums of several, does not see. The more supersteps are
// added up beside those there, the less the model counts.
func (f *bankFigures) homeExchange(m *costModel, where, home []int32) (seconds, off float64) {
	at, of := &f.bank.AtHome, *m
	if at.Exchange == 0 {
		return f.startSends + f.startWaits, 0
	}
	of.Exchange = at.Exchange
	then := of.exchange(home)
	if m.Exchange == 0 {
		return then, then * at.Off
	}
	part := float64(len(m.view.between(where, home))) / float64(len(where))
	of.Exchange = m.Exchange * math.Pow(at.Exchange/m.Exchange, part)
	if all := of.exchange(home); all > then+f.sends+f.waits {
		of.Exchange *= (then + f.sends + f.waits) / all
	}
	seconds, waits := of.Exchanges(home)
	if at.PerByte > 0 {
		_, steps := MeasuredStep(m.view.Snapshot.Ranks)
		sums := min(1, ratioOr(float64(at.Span), float64(steps), 1))
		seconds += part * (at.PerByte*m.view.volume() - seconds) * (1 - sums/2)
	}
	seconds += waits
	return seconds, math.Abs(seconds-then)/2 + seconds*at.Off*part
}

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
