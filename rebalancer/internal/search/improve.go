package search

import (
	"cmp"
	"slices"
)

const (
	// smallRanks is up to how many ranks all are looked at as destinations.
	smallRanks = 24
	// bestTrials is how many changes are tried in full, of all that were estimated; tryCost is how
	// much dearer that is than to look at one.
	bestTrials = 8
	tryCost    = 4
	// swapAll is up to how many pairs of two ranks' processes all are looked at; beyond, two partners
	// for each.
	swapAll = 256
)

// nearRanks is how many destinations are looked at where there are many: those that would finish a
// phase first.
const nearRanks = 6

// searchEven is a relative difference that is none.
const searchEven = 1e-9

// improver improves a plan by single moves and swaps. Its budget is counted
// in changes looked at, so that the result does not depend on the clock.
type improver struct {
	plan   *Plan
	budget int
	trials []neighbour
	near   []int32
	times  []float64 // of those near
	sorted []int32
}

// neighbour is a move of pid to the rank, or a swap with a process there.
type neighbour struct {
	pid, partner int32 // partner is -1 for a move
	rank         int32
	score        float64 // estimated change of the total, communication and transfers left out
}

// relieve takes work of a phase from the rank that is busiest in it, and tells
// whether it found a way.
func (s *improver) relieve(f int) bool {
	p := s.plan
	if p.m.weight[f] <= 0 || p.peaks[f].Max() <= 0 {
		return false
	}
	busiest := p.peaks[f].First()
	s.trials = s.trials[:0]
	s.findNear(f, busiest)
	members := p.at(busiest)
	for _, b := range s.near {
		for _, pid := range members {
			if !p.m.fixed[pid] && p.m.row(int(pid))[f] > 0 {
				s.estimate(f, busiest, neighbour{pid: pid, partner: -1, rank: b})
			}
		}
		s.estimateSwaps(f, busiest, int(b))
	}
	return s.accept(f, busiest)
}

// findNear lists the ranks where work of a phase may go: all if they are few, or else those where it
// finishes first.
func (s *improver) findNear(f, busiest int) {
	p := s.plan
	s.near, s.times = s.near[:0], s.times[:0]
	s.budget -= 1 + len(p.m.fast)/8
	most, sorts, typical := len(p.m.fast), len(p.m.fast) > smallRanks, p.load(busiest)[f]/float64(max(1, len(p.at(busiest))))
	if sorts {
		most = nearRanks
	}
	for b, usable := range p.m.usable {
		if !usable || b == busiest || p.m.cost.Shared.Place(b) == busiest {
			continue
		}
		at, time := len(s.near), 0.0
		if sorts {
			time = (p.load(b)[f] + typical) * p.m.fast[b]
			for at > 0 && s.times[at-1] > time {
				at--
			}
		}
		if at < most {
			s.near, s.times = slices.Insert(s.near, at, int32(b)), slices.Insert(s.times, at, time)
			s.near, s.times = s.near[:min(most, len(s.near))], s.times[:min(most, len(s.times))]
		}
	}
}

// estimate looks at what a change does to the phases, and remembers it among
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
	host := p.m.cost.Shared.Place(b)
	if host >= 0 && p.m.cost.Shared.Place(busiest) == host {
		host = -1 // its work stays what it is
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
		change += p.m.weight[g] * (max(pair, p.others(g, busiest, b)) - p.peaks[g].Max())
		local += p.m.weight[g] * (pair - max(oldA, oldB))
	}
	t.score = p.m.value * (change + 1e-3*local)
	s.remember(t)
}

// remember keeps the best trials, best first; of equal ones the earlier.
func (s *improver) remember(t neighbour) {
	at := len(s.trials)
	for at > 0 && s.trials[at-1].score > t.score {
		at--
	}
	if at < bestTrials {
		s.trials = slices.Insert(s.trials, at, t)
		s.trials = s.trials[:min(bestTrials, len(s.trials))]
	}
}

// accept carries out the best trial that makes the total smaller. If there is
// none, it takes one that only relieves this rank, with no phase getting longer
// and for no more than that would be worth if the rank were the only busy one.
func (s *improver) accept(f, busiest int) bool {
	p := s.plan
	before, step, time := p.Total(), p.step(), p.time(busiest, f)
	mark := len(p.journal)
	best, least := -1, before*(1-searchEven)
	even, evenLeast := -1, 0.0
	for i, t := range s.trials {
		if !s.try(t) {
			continue
		}
		total := p.Total()
		if total < least {
			best, least = i, total
		}
		drop := p.m.value * p.m.weight[f] * (time - max(p.time(busiest, f), p.time(int(t.rank), f)))
		if paid := total - before - drop; p.step() <= step*(1+searchEven) && paid < evenLeast {
			even, evenLeast = i, paid
		}
		p.Rollback(mark)
	}
	if best < 0 {
		best = even
	}
	return best >= 0 && s.try(s.trials[best])
}

// try carries out a trial if memory allows it.
func (s *improver) try(t neighbour) bool {
	p := s.plan
	from, to := int(p.where[t.pid]), int(t.rank)
	s.budget -= tryCost + len(p.m.talk.of(int(t.pid)))
	if !p.fits(int(t.pid), to, int(t.partner)) {
		return false
	}
	if t.partner >= 0 && !p.fits(int(t.partner), from, int(t.pid)) {
		return false
	}
	p.Move(int(t.pid), to)
	if t.partner >= 0 {
		p.Move(int(t.partner), from)
	}
	return true
}

// estimateSwaps looks at exchanges between the busiest rank of a phase and
// another: of all pairs if these are few, else of those whose difference would
// make the two finish at once.
func (s *improver) estimateSwaps(f, busiest, b int) {
	p := s.plan
	mine, theirs := p.at(busiest), p.members[b]
	if len(mine)*len(theirs) <= swapAll {
		for _, pid := range mine {
			for _, partner := range theirs {
				s.estimateSwap(f, busiest, b, pid, partner)
			}
		}
		return
	}
	s.sorted = append(s.sorted[:0], theirs...)
	work := func(pid int32) float64 { return p.m.row(int(pid))[f] }
	slices.SortFunc(s.sorted, func(x, y int32) int {
		return cmp.Or(cmp.Compare(work(x), work(y)), cmp.Compare(x, y))
	})
	s.budget -= len(s.sorted) / 2
	ideal := (p.time(busiest, f) - p.time(b, f)) / (p.m.pace[busiest] + p.m.pace[b])
	for _, pid := range mine {
		at, _ := slices.BinarySearchFunc(s.sorted, work(pid)-ideal, func(x int32, want float64) int {
			return cmp.Compare(work(x), want)
		})
		for _, partner := range s.sorted[max(0, at-1):min(len(s.sorted), at+1)] {
			s.estimateSwap(f, busiest, b, pid, partner)
		}
	}
}

func (s *improver) estimateSwap(f, busiest, b int, pid, partner int32) {
	m := s.plan.m
	if !m.fixed[pid] && !m.fixed[partner] && m.row(int(pid))[f] > m.row(int(partner))[f] {
		s.estimate(f, busiest, neighbour{pid: pid, partner: partner, rank: int32(b)})
	}
}
