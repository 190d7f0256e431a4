package rebalancer

import "math"

// Measured exchange times.
//
// A superstep is measured from barrier to barrier, and so is the computing time of its slowest rank.
// The rest is the exchange: messages, the barrier, and any effects of hosts, lines and launchers that
// no probe measures. The model predicts an exchange from bytes and line parameters. The ratio of
// measured to predicted time is learned call by call and multiplies all predicted exchanges, under any
// mapping. So the model agrees with the measurements, and a mapping with half the exchange saves half
// of the measured time.
//
// The initial mapping has its own ratio, from the supersteps measured there, which estimates the run's
// time under the initial mapping.

const (
	exchangeMost  = 16.0 // maximum ratio to the prediction: a larger one has another cause
	exchangeLeast = 1.0 / 16
	// exchangeSteps is the number of supersteps with the same total weight as all earlier ones.
	exchangeSteps = 8
	// exchangeShown is the minimum predicted share of the exchange in a superstep: below it the
	// measured exchange is mostly noise.
	exchangeShown = 0.02
)

// settledStep is MeasuredStep without the first stage since the last call, if ranks exclude that. The
// stage is shorter than later ones, because quotas and lines recover while ranks wait in the call.
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

// exchangeOff returns the relative error of the exchange time measured since the last call: twice the
// standard error, and at least 0.4 divided by the square root of the number of supersteps.
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

// waitError returns the least error that ranks report, because ranks that finish early also wait for
// others; 0 if none reports one.
func waitError(ranks []RankState) float64 {
	least := 0.0
	for _, r := range ranks {
		if r.WaitError > 0 && (least == 0 || r.WaitError < least) {
			least = r.WaitError
		}
	}
	return least
}

// exchanged returns the factor on predicted exchanges after the supersteps since the last call. known is
// the factor before them, 0 if none. Decide does not call it after a new unexplained delay, because that
// may be a slow line, which is measured first.
func exchanged(spec Spec, v View, known float64) float64 {
	if !spec.banked() || !spec.params().Links.Exchange {
		return known
	}
	if _, hosts := v.Platform.Hosts(); len(hosts) < 2 {
		return known // the unexplained time is waiting for cores, which is the same under any mapping
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

// lines returns the time of messages and a barrier by bytes and line parameters alone.
func (m *costModel) lines(where []int32) float64 {
	of := *m
	of.Exchange = 0
	return of.exchange(where)
}
