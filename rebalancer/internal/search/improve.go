package search

import "slices"

const (
	// smallRanks is up to how many ranks all are looked at as destinations.
	smallRanks = 24
	// bestTrials is how many changes are tried in full, of all that were estimated; tryCost is how
	// much dearer that is than to look at one.
	bestTrials = 8
	tryCost    = 4
	// swapAll is up to how many pairs of two ranks' processes are looked at: among more some process
	// has about the right work to move alone.
	swapAll = 256
)

// nearRanks is the number of destinations considered if there are many: the ranks that would finish a
// phase first.
const nearRanks = 6

// searchEven is the relative difference below which totals count as equal.
const searchEven = 1e-9

// improver improves a plan by single moves and swaps. Its budget is counted
// in changes looked at, so that the result does not depend on the clock.
type improver struct {
	plan   *Plan
	budget int
	trials []neighbour
	near   []neighbour // only ranks and scores are used; the scores are times
}

// neighbour is a move of pid to the rank, or a swap with a process there.
type neighbour struct {
	pid, partner int32 // partner is -1 for a move
	rank         int32
	// score is the estimated change of a superstep without communication and transfers; for changes that
	// target traffic, the previous traffic of the moved processes.
	score float64
}

// relieve takes work of a phase from its busiest rank, and reports
// whether that succeeded.
func (s *improver) relieve(f int) bool {
	p := s.plan
	if p.m.weight[f] <= 0 || p.peaks[f].Max() <= 0 {
		return false
	}
	busiest := p.peaks[f].First()
	s.trials = s.trials[:0]
	s.findNear(f, busiest)
	mine := p.at(busiest)
	for _, near := range s.near {
		theirs := p.members[near.rank]
		if len(mine)*len(theirs) > swapAll {
			theirs = nil
		}
		for _, pid := range mine {
			if !p.m.Pinned[pid] && p.m.row(int(pid))[f] > 0 {
				s.estimate(f, busiest, neighbour{pid: pid, partner: -1, rank: near.rank})
			}
		}
		for _, pid := range mine {
			for _, partner := range theirs {
				if m := p.m; !m.Pinned[pid] && !m.Pinned[partner] && m.row(int(pid))[f] > m.row(int(partner))[f] {
					s.estimate(f, busiest, neighbour{pid: pid, partner: partner, rank: near.rank})
				}
			}
		}
	}
	total, step, time := p.Total(), p.step(), p.time(busiest, f)
	return s.accept(false, func(t neighbour, now float64) float64 {
		if p.step() > step*(1+searchEven) {
			return 0
		}
		return now - total - p.m.value()*p.m.weight[f]*(time-max(p.time(busiest, f), p.time(int(t.rank), f)))
	})
}

// findNear lists the ranks where work of a phase may go: all if they are few, or else those where it
// finishes first.
func (s *improver) findNear(f, busiest int) {
	p, most := s.plan, len(s.plan.m.Usable)
	s.budget -= 1 + most/8
	typical, sorts := p.load(busiest)[f]/float64(max(1, len(p.at(busiest)))), most > smallRanks
	if sorts {
		most = nearRanks
	}
	s.near = s.near[:0]
	for b, usable := range p.m.Usable {
		if !usable || b == busiest || p.m.Cost.Shared.Place(b) == busiest {
			continue
		}
		near := neighbour{rank: int32(b)}
		if sorts {
			near.score = (p.load(b)[f] + typical) / p.m.Cost.Rates[b]
		}
		s.near = ranked(s.near, near, most)
	}
}

// ranked inserts t into a list of at most most neighbours, best first; of equal ones the earlier
// comes first.
func ranked(list []neighbour, t neighbour, most int) []neighbour {
	at := len(list)
	for at > 0 && list[at-1].score > t.score {
		at--
	}
	if at == most {
		return list
	}
	list = slices.Insert(list, at, t)
	return list[:min(most, len(list))]
}

// estimate computes the effect of a change on the phases, and keeps it among
// the most promising if it relieves the busiest rank of phase f.
func (s *improver) estimate(f, busiest int, t neighbour) {
	p, b := s.plan, int(t.rank)
	s.budget--
	give := p.m.row(int(t.pid))
	var take []float64
	if t.partner >= 0 {
		take = p.m.row(int(t.partner))
	}
	from, to := p.load(busiest), p.load(b)
	fastA, fastB := p.m.pace[busiest], p.m.pace[b]
	host := p.m.Cost.Shared.Place(b)
	if host >= 0 && p.m.Cost.Shared.Place(busiest) == host {
		host = -1 // its work does not change
	}
	change, local := 0.0, 0.0
	for g, x := range give {
		if take != nil {
			x -= take[g]
		}
		oldA, oldB := from[g]*fastA, to[g]*fastB
		pair := max((from[g]-x)*fastA, (to[g]+x)*fastB)
		if host >= 0 {
			pair = max(pair, (p.load(host)[g]+x)*p.m.pace[host])
		}
		if g == f && pair >= oldA*(1-searchEven) {
			return
		}
		change += p.m.weight[g] * (max(pair, p.peaks[g].Beside(busiest, b)) - p.peaks[g].Max())
		local += p.m.weight[g] * (pair - max(oldA, oldB))
	}
	t.score = change + 1e-3*local
	s.trials = ranked(s.trials, t, bestTrials)
}

// accept applies the trial with the smallest total, if that is an improvement. If many is true,
// it tries only as many as the budget allows. If none improves the total, as among several
// equally busy ranks, it applies the best even change, if any: even returns a value below 0 for
// these, the lower the better, given the total.
func (s *improver) accept(many bool, even func(t neighbour, total float64) float64) bool {
	p := s.plan
	mark, best, second := len(p.journal), -1, -1
	least, lowest := p.Total()*(1-searchEven), 0.0
	for i, t := range s.trials {
		if many && s.budget <= 0 || !s.try(t) {
			continue
		}
		total := p.Total()
		if total < least {
			best, least = i, total
		}
		if even != nil && best < 0 {
			if value := even(t, total); value < lowest {
				second, lowest = i, value
			}
		}
		p.Rollback(mark)
	}
	if best < 0 {
		best = second
	}
	return best >= 0 && s.try(s.trials[best])
}

// try carries out a trial if memory allows it.
func (s *improver) try(t neighbour) bool {
	p, mark := s.plan, len(s.plan.journal)
	from, to := int(p.where[t.pid]), int(t.rank)
	s.budget -= tryCost + len(p.m.peers[t.pid])
	p.Move(int(t.pid), to)
	if t.partner >= 0 {
		p.Move(int(t.partner), from)
	}
	if p.holds(to) && (t.partner < 0 || p.holds(from)) {
		return true
	}
	p.Rollback(mark)
	return false
}
