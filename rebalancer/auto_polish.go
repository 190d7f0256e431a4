package rebalancer

const (
	polishMoves = 600 // instances with more moves than that are not polished
	polishPids  = 32  // nor those with more processes
)

// polish tries every move and every swap of a small instance, takes the best,
// and starts again until none makes the total smaller or the budget is used up.
func (s *autoSearch) polish() {
	p := s.plan
	if len(p.where)*len(p.m.fast) > polishMoves || len(p.where) > polishPids {
		return
	}
	for s.budget > 0 {
		best, least := autoTrial{pid: -1}, p.total()*(1-searchEven)
		consider := func(t autoTrial) {
			mark := len(p.journal)
			if s.budget > 0 && s.try(t) {
				if total := p.total(); total < least {
					best, least = t, total
				}
				p.rollback(mark)
			}
		}
		for pid := range p.where {
			s.polishPid(int32(pid), consider)
		}
		if best.pid < 0 || !s.try(best) {
			return
		}
	}
}

// polishPid lists the moves of a process and its swaps with later ones.
func (s *autoSearch) polishPid(pid int32, consider func(autoTrial)) {
	p := s.plan
	if p.m.fixed[pid] {
		return
	}
	for r := range p.m.fast {
		if int32(r) != p.where[pid] {
			consider(autoTrial{pid: pid, partner: -1, rank: int32(r)})
		}
	}
	for other := int(pid) + 1; other < len(p.where); other++ {
		if !p.m.fixed[other] && p.where[other] != p.where[pid] {
			consider(autoTrial{pid: pid, partner: int32(other), rank: p.where[other]})
		}
	}
}
