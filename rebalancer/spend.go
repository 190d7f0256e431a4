package rebalancer

import (
	"fmt"
	"math"
	"slices"
)

// settle sets the loss limit until the next call, after moves to a mapping, and resets its statistics.
func (b *Bank) settle(v View, after []int32, cost float64) {
	b.Limit = max(0, b.Saved+b.Leap-cost+b.allowance-v.homeward(after))
	if slices.Equal(v.Where, after) {
		return
	}
	switch {
	case slices.Equal(v.Where, b.start):
	case b.Lasted == 0:
		b.Lasted = float64(b.Steps)
	default:
		b.Lasted += lastedPart * (float64(b.Steps) - b.Lasted)
	}
	b.Here, b.Steps = 0, 0
}

// Instead of waiting for a larger leap to ripen, a leap is made if it saves the same, less
// leapHaste times the part of the remaining supersteps that the wait takes, but at least
// leapEnough of it.
const (
	leapEnough = 0.8
	leapHaste  = 10
)

// allows reports whether moves may be made to a mapping. The saving of a leap must be certain,
// unless the leap is small. While a larger leap only waits for more observations, other moves
// must pay for themselves until then: it undoes them, and their cost reduces the budget at risk.
// A leap that saves about as much as the larger one replaces it if the wait is long.
func (v *View) allows(cost, saving float64, where []int32) bool {
	b := v.Bank
	if b == nil {
		return true
	}
	sure := false
	if cost > b.purse() {
		home := v.homeward(where)
		if !b.leaps(cost, saving, home) {
			return false
		}
		if cost > b.set.Or().Bank.LeapSmall*b.expected {
			if sure = v.ripe(cost, saving, home, where); !sure {
				return false
			}
		}
	}
	wait, horizon := float64(b.sure-v.Snapshot.Step), float64(costHorizon(v.Snapshot.Ranks))
	enough := b.later * max(leapEnough, 1-leapHaste*wait/horizon)
	return wait <= 0 || saving*wait >= cost*horizon || sure && saving-cost >= enough
}

// broke reports whether the budget allows no moves, regardless of their saving.
func (b *Bank) broke() bool { return b != nil && b.purse() == 0 && !b.leaps(0, 0, 0) }

// earned returns the number of supersteps, like those since the last moves, that pay for the leap;
// 0 if none do.
func (b *Bank) earned() int {
	if b.Leap == 0 || b.Here <= 0 {
		return 0
	}
	return int(min(1e9, math.Ceil(max(0, -b.Saved)*float64(b.Steps)/b.Here)))
}

// spent returns the reason why the budget allows no moves; "" if it allows some.
func (b *Bank) spent() string {
	if !b.broke() {
		return ""
	}
	return fmt.Sprintf("; rescheduling has lost %.3g s so far and may spend nothing", -b.Saved)
}

// ripe reports whether a leap that is expected to pay is sure to save the cost of the moves and
// of their reversal, and has been for long enough; if not, the bank records when it will be. The
// first of several such leaps counts: those requested later cost less.
func (v *View) ripe(cost, saving, home float64, where []int32) bool {
	b, step := v.Bank, v.Snapshot.Step
	sure, ripe := v.trust()*surely(*v, where), 2*step
	due := 0
	if sure >= cost+home {
		ripe = int(math.Ceil(b.set.Or().Bank.LeapSeen * cost / sure * float64(costHorizon(v.Snapshot.Ranks))))
		due = ripe
	} else if step < surelySteps {
		due = surelySteps
	}
	if due > step && b.sure == 0 {
		b.sure, b.later = due, saving-cost
	}
	if step < ripe && (b.ripe == 0 || ripe < b.ripe) {
		b.ripe, b.Hope = ripe, saving
	}
	return step >= ripe
}

// homeward returns the cost of the moves from a mapping to the initial mapping.
func (v *View) homeward(where []int32) float64 {
	return v.moving(v.between(where, v.Bank.start))
}

// goHome adds moves from a losing mapping to the initial mapping, within the memory of the ranks,
// once the purse holds no more than their cost. It reports whether it added any.
func (d *Decision) goHome(v View) bool {
	b := d.Learned.Bank
	moves := v.between(v.Where, b.start)
	if len(moves) == 0 || !b.retreats(v.moving(moves), costHorizon(v.Snapshot.Ranks)) ||
		!d.back(v, moves, fmt.Sprintf("rescheduling has lost %.3g s so far: back to where it began", -b.Saved)) {
		return false
	}
	b.Gone = true
	d.Learned.Trust = max(d.Learned.Trust/2, b.set.Or().Guard.TrustLeast)
	d.Learned.Pending = nil
	return true
}
