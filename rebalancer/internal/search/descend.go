package search

import (
	"cmp"
	"slices"
)

const (
	// exhaustiveMoves and exhaustivePids bound the instances in which all changes are tried.
	exhaustiveMoves = 600
	exhaustivePids  = 32
	// PruneLoss is the part of the predicted time that all reverted moves together may cost: a smaller
	// saving is not worth a move.
	PruneLoss = 5e-4
)

// run improves the busiest rank of each phase and communication until
// no change helps or the budget is used up, and leaves the best plan found.
func (s *improver) run() {
	best, mark, again := s.plan.Total(), len(s.plan.journal), true
	note := func(found bool) bool {
		again = again || found
		if total := s.plan.Total(); total < best {
			best, mark = total, len(s.plan.journal)
		}
		return found
	}
	for again && s.budget > 0 {
		again = false
		for f := range s.plan.peaks {
			for s.budget > 0 && note(s.relieve(f)) {
			}
		}
		note(s.reduceTraffic())
	}
	s.plan.Rollback(mark)
}

// exhaustive tries every move and every swap of a small instance, takes the best,
// and starts again until none makes the total smaller or the budget is used up.
func (s *improver) exhaustive() {
	p := s.plan
	if len(p.where)*len(p.m.Usable) > exhaustiveMoves || len(p.where) > exhaustivePids {
		return
	}
	for again := true; again && s.budget > 0; {
		s.trials = s.trials[:0]
		for pid, from := range p.where {
			if p.m.Pinned[pid] {
				continue
			}
			for r := range p.m.Usable {
				if int32(r) != from {
					s.trials = append(s.trials, neighbour{pid: int32(pid), partner: -1, rank: int32(r)})
				}
			}
			for other := pid + 1; other < len(p.where); other++ {
				if !p.m.Pinned[other] && p.where[other] != from {
					s.trials = append(s.trials, neighbour{pid: int32(pid), partner: int32(other), rank: p.where[other]})
				}
			}
		}
		again = s.accept(true, nil)
	}
}

// prune reverts moves that save nothing, largest states first.
func (s *improver) prune() {
	p := s.plan
	if !p.m.Set.Prune {
		return
	}
	var moved []int32
	for pid, r := range p.where {
		if r != p.m.Home[pid] {
			moved = append(moved, int32(pid))
		}
	}
	slices.SortFunc(moved, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.m.State[b], p.m.State[a]), cmp.Compare(p.m.size[a], p.m.size[b]), cmp.Compare(a, b))
	})
	bound := p.Total() * (1 + PruneLoss)
	for _, pid := range moved {
		mark := len(p.journal)
		if s.try(neighbour{pid: pid, partner: -1, rank: p.m.Home[pid]}) && p.Total() > bound {
			p.Rollback(mark)
		}
	}
}
