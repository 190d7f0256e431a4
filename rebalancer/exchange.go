package rebalancer

import "math"

// What exchanges really take.
//
// A superstep is measured from one barrier to the next, and so are the seconds that its slowest
// rank computed for. The rest is the exchange: messages, the barrier, and whatever hosts, lines
// and launchers make of them that no probe has seen. The model predicts an exchange from bytes
// and figures of lines; the ratio of the two is learned call by call and multiplies all that
// the model says of exchanges, with the mapping that is and with any other. So the model agrees
// with what was measured, and a mapping with half the exchange saves half of what was measured.
//
// The mapping that a run began with has a ratio of its own, of the supersteps seen there: what
// the run would have taken is said with that.

const (
	exchangeMost  = 16.0 // times what is predicted: beyond it something else takes the time
	exchangeLeast = 1.0 / 16
	// exchangeSteps are how many supersteps weigh as much as all that were seen before.
	exchangeSteps = 8
	// exchangeShown is the part of a superstep that an exchange is predicted to take, from which
	// on what is measured is not that of noise.
	exchangeShown = 0.02
)

// settledStep is MeasuredStep without the first stage since the last call, where ranks leave that out: while they waited in
// the call quotas and lines have saved up what they give, and it is shorter than those to come.
func settledStep(v View) (seconds float64, steps int) {
	n := 0
	for _, r := range v.Snapshot.Ranks {
		if r.Lately > 0 && v.Platform.Leave {
			seconds, steps, n = seconds+r.Recent, max(steps, r.Lately), n+1
		}
	}
	if n == 0 {
		return MeasuredStep(v.Snapshot.Ranks)
	}
	return seconds / float64(n), steps
}

// exchangeOff is how far off what was measured of exchanges since the last call may be, as a part of it: twice the
// standard error, and at least 0.4 for one superstep.
func exchangeOff(v View) float64 {
	measured, steps := settledStep(v)
	if steps == 0 {
		return 0
	}
	off := 0.4 / math.Sqrt(float64(steps))
	if took := measured - v.computed(steps); took > 0 {
		off = max(off, 2*waitError(v.Snapshot.Ranks)/took)
	}
	return off
}

// waitError is the least that ranks report, for those that are done early wait for others besides; 0 if none does.
func waitError(ranks []RankState) float64 {
	least := 0.0
	for _, r := range ranks {
		if r.WaitError > 0 && (least == 0 || r.WaitError < least) {
			least = r.WaitError
		}
	}
	return least
}

// exchanged is the factor on predicted exchanges after the supersteps since the last call: known
// is that before them, 0 if there was none. What has come up for no known reason may be a line
// that became slow, which is measured first: then nothing is learned.
func exchanged(spec Spec, v View, known float64) float64 {
	if !spec.banked() || !spec.params().Links.Exchange {
		return known
	}
	if _, hosts := v.Platform.Hosts(); len(hosts) < 2 {
		return known // what is not explained is waiting for cores, which is the same with any mapping
	}
	measured, steps := settledStep(v)
	if steps == 0 {
		return known
	}
	predicted := newCostModel(v).lines(v.Where)
	if predicted < exchangeShown*measured {
		return known
	}
	seen := min(max((measured-v.computed(steps))/predicted, exchangeLeast), exchangeMost)
	if known == 0 {
		return seen
	}
	part := float64(steps) / float64(steps+exchangeSteps)
	return known * math.Pow(seen/known, part)
}

// lines is what messages and a barrier take with a mapping by bytes and figures of lines alone.
func (m *costModel) lines(where []int32) float64 {
	of := *m
	of.Exchange = 0
	return of.exchange(where)
}
