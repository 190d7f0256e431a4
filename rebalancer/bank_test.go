package rebalancer

import "testing"

// A run that returned to its initial mapping after a small loss may still leap once, because its first
// attempts were paid from the allowance. It may not if a leap is not earned back, or if the loss has
// reached the limit.
func TestALossDoesNotForbidTheLeap(t *testing.T) {
	lost := Bank{Time: 10, Saved: -0.2, Gone: true, expected: 20, allowance: 0.15, claim: 0.25, risk: 0.7}
	for _, c := range []struct {
		name   string
		change func(b *Bank)
		want   bool
	}{
		{"after a loss", func(*Bank) {}, true},
		{"with a leap that is not earned back", func(b *Bank) { b.Leap = 0.1 }, false},
		{"after losing all that may be lost", func(b *Bank) { b.Saved = -0.3 }, false},
		{"after calls that found nothing to move", func(b *Bank) { b.Saved, b.Calls = -0.5, 0.3 }, true},
		{"for more than may be risked", func(b *Bank) { b.risk = 0.01 }, false},
		{"for too little", func(b *Bank) { b.expected = 0.3 }, false},
	} {
		b := lost
		c.change(&b)
		if got := b.purse() >= 0.1 || b.leaps(0.1, 2, 0.1); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// An empty bank is given as the reason, and not that no move would pay.
func TestSpentIsSaid(t *testing.T) {
	spent := Bank{Time: 5, Saved: -0.68, expected: 8, allowance: 0.05, claim: 0.05, risk: 0.7}
	if got := spent.spent(); got != "; rescheduling has lost 0.68 s so far and may spend nothing" {
		t.Errorf("%q", got)
	}
	calls := spent // that left the run on its initial mapping
	calls.Calls = 0.66
	rich := spent
	rich.Saved = 0.1
	for _, b := range []*Bank{nil, &calls, &rich} {
		if got := b.spent(); got != "" {
			t.Errorf("%+v: %q", b, got)
		}
	}
}
