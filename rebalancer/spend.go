package rebalancer

import (
	"fmt"
	"math"
	"slices"
)

// settle fixes what may be lost until the next call, after moves to a mapping, and begins what is known of that.
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

// What a larger leap is to save, once it is ripe, another one must save to be made instead: but for leapHaste times the part of
// the supersteps to come that pass until then, and leapEnough of it anyway.
const (
	leapEnough = 0.8
	leapHaste  = 10
)

// allows reports whether moves may be made to a mapping. A leap must be sure to save so much, unless
// it is a small one. Where a larger one is sure, and has only to be seen for longer, what others save
// until then must pay for them: it undoes them, and what they cost can no longer be risked. A leap that
// saves about as much as the larger one, which has long to wait, takes its place.
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

// broke reports whether no moves may be made, however much they would save.
func (b *Bank) broke() bool { return b != nil && b.purse() == 0 && !b.leaps(0, 0, 0) }

// earned is how many supersteps like those since the last moves pay back what a leap has cost; 0 if they do not.
func (b *Bank) earned() int {
	if b.Leap == 0 || b.Here <= 0 {
		return 0
	}
	return int(min(1e9, math.Ceil(max(0, -b.Saved)*float64(b.Steps)/b.Here)))
}

// spent says so; "" if some may.
func (b *Bank) spent() string {
	if !b.broke() {
		return ""
	}
	return fmt.Sprintf("; rescheduling has lost %.3g s so far and may spend nothing", -b.Saved)
}

// ripe reports whether a leap that is expected to pay is sure to save both ways, and has been for long enough; else
// the bank has when it will be. Of leaps that are sure the first one counts: those that are asked for later
// cost less.
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

// homeward is what the way home from a mapping costs.
func (v *View) homeward(where []int32) float64 {
	return v.moving(v.between(where, v.Bank.start))
}

// goHome adds the way from a mapping that loses to where the run began to a decision, once the purse holds no more than
// that, as far as there is room, and reports whether there is any.
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
