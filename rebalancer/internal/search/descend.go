package search

import (
	"cmp"
	"slices"
)

// PruneLoss is the part of the predicted time that all moves taken back may cost together: what
// brings less is not worth a move.
const PruneLoss = 5e-4

// run works on the busiest rank of each phase and on communication until
// nothing helps or the budget is used up, and leaves the best plan met.
func (s *improver) run() {
	best, mark := s.plan.Total(), len(s.plan.journal)
	note := func() {
		if total := s.plan.Total(); total < best {
			best, mark = total, len(s.plan.journal)
		}
	}
	for again := true; again && s.budget > 0; {
		again = false
		for f := range s.plan.peaks {
			for s.budget > 0 && s.relieve(f) {
				again = true
				note()
			}
		}
		if s.reduceTraffic() {
			again = true
			note()
		}
	}
	s.plan.Rollback(mark)
}

// prune takes back moves that bring nothing, those of the largest states first.
func (s *improver) prune() {
	p := s.plan
	if !p.m.set.Prune {
		return
	}
	bound := p.Total() * (1 + PruneLoss)
	for _, pid := range s.movedPids() {
		mark := len(p.journal)
		if s.try(neighbour{pid: pid, partner: -1, rank: p.m.home[pid]}) && p.Total() > bound {
			p.Rollback(mark)
		}
	}
}

// movedPids are the processes away from home, largest state first.
func (s *improver) movedPids() []int32 {
	m := s.plan.m
	var moved []int32
	for pid, r := range s.plan.where {
		if r != m.home[pid] {
			moved = append(moved, int32(pid))
		}
	}
	slices.SortFunc(moved, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.state[b], m.state[a]), cmp.Compare(m.size[a], m.size[b]), cmp.Compare(a, b))
	})
	return moved
}
