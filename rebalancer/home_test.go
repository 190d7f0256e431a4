package rebalancer

import (
	"math"
	"slices"
	"testing"
)

// movedRun returns a controller whose processes have gathered on two of eight hosts, where
// a superstep takes the given seconds instead of 0.15, and its View.
func movedRun(t *testing.T, seconds float64) (*Controller, View) {
	t.Helper()
	run, s := talkingRun(t, "auto", 0.15)
	d := run.Decide(s)
	run.Adopt(d)
	for pid := range run.where {
		run.where[pid] = int32(pid % 2)
	}
	s = observed(t, run, seconds)
	return run, run.view(&s, &Decision{Learned: run.last.Learned})
}

// If moves have refuted the learned speeds, estimates for the initial mapping use only
// measurements made there, and savings that relied on the speeds are dropped.
func TestStartTakesNoLongerThanItDid(t *testing.T) {
	for _, refuted := range []bool{false, true} {
		run, v := movedRun(t, 0.2)
		run.last.Learned.Bank.Saved, run.last.Learned.Bank.Likely = 100, 100
		v.Learned.LearnsNoMore = refuted
		b := run.audit(v, false)
		seen := 0.15*float64(v.Snapshot.Step) - b.Time
		if saved := b.Saved <= seen+1e-9; saved != refuted {
			t.Errorf("refuted %v: %.3g s are saved, %.3g s by what was seen at the start", refuted, b.Saved, seen)
		}
		if refuted && (b.Gain > -8*0.05+1e-9 || b.home > 0.15 || b.Doubt < 40) {
			t.Errorf("%.3g s gained in 8 supersteps that are 0.05 s longer; %.3g s each at the start; %.3g s in doubt", b.Gain, b.home, b.Doubt)
		}
		run.last.Learned.LearnsNoMore, run.last.Learned.Bank.Saved = refuted, 100
		if b := run.audit(v, false); b.Saved < 90 {
			t.Errorf("refuted %v: what was saved since is taken off again: %.3g s are left", refuted, b.Saved)
		}
	}
}

// Slow exchanges under a later mapping do not raise the estimate for the initial one, even after
// few measurements there.
func TestExchangesElsewhereDoNotCountAtTheStart(t *testing.T) {
	gain := func(exchange float64) float64 {
		run, v := movedRun(t, 0.15)
		v.Learned.Exchange = 8
		at := &run.last.Learned.Bank.AtHome
		at.Exchange, at.Steps = exchange, 3
		return run.audit(v, false).Gain
	}
	short, like, long := gain(1), gain(8), gain(15)
	if !(short < like) || like != long {
		t.Errorf("%g, %g and %g s are gained where exchanges at the start took 1, 8 and 15 times as long as predicted, and take 8 times now", short, like, long)
	}
}

// A run that lost more than it may, and went home, may leap once more if a host there has come to give much less than
// it did: that is no reason to stay on it.
func TestAStartThatBecomesSlowIsLeft(t *testing.T) {
	for _, c := range []struct {
		name    string
		share   float64 // of a core on one host, 0.8 before
		forgave bool
		may     bool
	}{
		{"as it was", 0.8, false, false},
		{"a little slower", 0.6, false, false},
		{"much slower", 0.3, false, true},
		{"again", 0.3, true, false},
	} {
		run, s := talkingRun(t, "auto", 0.15)
		start := slices.Clone(run.where)
		for i := range s.Ranks {
			s.Ranks[i].Available = 0.8
		}
		run.Adopt(run.Decide(s))
		run.where = start
		run.auditor.restart(start, run.sharesAlone())
		b := run.last.Learned.Bank
		b.Saved, b.Gone, b.Leap, b.Forgave = -100, true, 1, c.forgave
		s = observed(t, run, 0.15)
		for i := range s.Ranks {
			s.Ranks[i].Available = 0.8
		}
		s.Ranks[3].Available = c.share
		if b = run.Decide(s).Learned.Bank; b.again() == c.may {
			t.Errorf("%s: it may leap: %t", c.name, !c.may)
		}
	}
}

// The computing times under the initial mapping show the part of the time in which quotas were used up.
func TestTheStartShowsUsedUpQuotas(t *testing.T) {
	for _, c := range []struct{ share, burst, want float64 }{{1, 0, 0}, {0.5, 0.9, 0}, {1, 1, 0}, {2, 4, 1}, {1.0 / 1.5, 2, 0.5}} {
		run, s := talkingRun(t, "auto", 0.15)
		for i := range s.Ranks {
			s.Ranks[i].Available, s.Ranks[i].Burst = c.share, c.burst
		}
		if got := run.Decide(s).Learned.Bank.AtHome.Throttled; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("processes that compute for as long as whole cores need, with %g of one and %g while quotas last: used up for %g of the time, want %g", c.share, c.burst, got, c.want)
		}
	}
}
