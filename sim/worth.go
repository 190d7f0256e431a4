package sim

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// worth tells whether a call is worth what it takes, to the host that knows least
// reason for one: the busiest.
func (s *simulation) worth(step int) bool {
	b := s.balance
	if !b.controller.Guarded() {
		return true
	}
	left, elapsed := s.Workload.Steps()-step, s.m.now-b.mark
	if left == 0 || elapsed <= 0 {
		return false
	}
	cost := b.called
	if cost == 0 {
		cost = b.ranks.FirstCost(len(s.m.where))
	}
	return rebalancer.Stake{
		Cost: cost, Remaining: elapsed / float64(b.steps) * float64(left),
		Idle: 1 - slices.Max(b.busy)/elapsed, Fruitless: b.fruitless,
	}.Worth()
}
