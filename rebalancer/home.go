package rebalancer

import "math"

// The baseline: the communication time and the superstep time under the initial mapping, measured
// at calls while no process has moved. Later measurements are compared with it.

// see records the measurements of a call under the initial mapping. sends is the time of its messages.
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

// most returns an upper bound on the duration of a superstep under the initial mapping. If the
// measured speeds are inconsistent, that is the duration measured there, because work measured on
// one rank does not predict its duration on others; otherwise it is infinite.
func (at *AtHome) most(l *Learned) float64 {
	if l.LearnsNoMore && at.Step > 0 {
		return at.Step
	}
	return math.Inf(1)
}

// homeExchange estimates the communication time per superstep under the initial mapping, and the
// error of that estimate. It weights the measurement made there by the share of processes that
// have moved. For the other processes it assumes that communication has changed as measured now,
// by at most the present communication time, because a ratio of short times is inaccurate for
// long latencies. The time of messages is the mean of two estimates: of the model, and of the
// bytes at the rate measured there. The heaviest sender may change between supersteps, which the
// model misses because it uses sums over several supersteps. The more supersteps are summed
// compared with the baseline, the smaller the weight of the model.
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

// together returns the error of the mean of two measurements, given the error of each. An error
// of 0 means that the measurement is missing.
func together(before, now float64) float64 {
	if before == 0 || now == 0 {
		return max(before, now)
	}
	return before * now / math.Hypot(before, now)
}
