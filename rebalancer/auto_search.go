package rebalancer

const (
	searchSmall  = 24   // up to so many ranks, all are looked at as destinations
	searchNear   = 6    // otherwise those that would finish a phase first
	searchTrials = 8    // changes that are tried in full, out of all estimated
	searchTry    = 4    // how much dearer it is to try a change than to look at it
	searchEven   = 1e-9 // relative differences that are none
)

// autoSearch improves a plan by single moves and swaps. Its budget is counted
// in changes looked at, so that the result does not depend on the clock.
type autoSearch struct {
	plan   *autoPlan
	budget int
	trials []autoTrial
	near   []int32
	sorted []int32
}

// autoTrial is a move of pid to the rank, or a swap with a process there.
type autoTrial struct {
	pid, partner int32 // partner is -1 for a move
	rank         int32
	score        float64 // estimated change of the total, communication and transfers left out
}

// run works on the busiest rank of each phase and on communication until
// nothing helps or the budget is used up, and leaves the best plan met.
func (s *autoSearch) run() {
	best, mark := s.plan.total(), len(s.plan.journal)
	note := func() {
		if total := s.plan.total(); total < best {
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
		if s.gather() {
			again = true
			note()
		}
	}
	s.plan.rollback(mark)
}

// relieve takes work of a phase from the rank that is busiest in it, and tells
// whether it found a way.
func (s *autoSearch) relieve(f int) bool {
	p := s.plan
	if p.m.weight[f] <= 0 || p.peaks[f].max() <= 0 {
		return false
	}
	busiest := p.peaks[f].first()
	p.refresh()
	s.trials = s.trials[:0]
	s.findNear(f, busiest)
	members := p.at(busiest)
	for _, b := range s.near {
		for _, pid := range members {
			if !p.m.fixed[pid] && p.m.row(int(pid))[f] > 0 {
				s.estimate(f, busiest, autoTrial{pid: pid, partner: -1, rank: b})
			}
		}
		s.estimateSwaps(f, busiest, int(b))
	}
	return s.accept(f, busiest)
}

// findNear lists ranks where work of a phase finishes first.
func (s *autoSearch) findNear(f, busiest int) {
	p := s.plan
	s.near = s.near[:0]
	s.budget -= 1 + len(p.m.fast)/8
	if len(p.m.fast) <= searchSmall {
		for b, usable := range p.m.usable {
			if usable && b != busiest && p.m.cost.shared.place(b) != busiest {
				s.near = append(s.near, int32(b))
			}
		}
		return
	}
	typical := p.load(busiest)[f] / float64(max(1, len(p.at(busiest))))
	var times [searchNear]float64
	for b, usable := range p.m.usable {
		if !usable || b == busiest || p.m.cost.shared.place(b) == busiest {
			continue
		}
		time := (p.loads[b*p.m.phases+f] + typical) * p.m.fast[b]
		at := len(s.near)
		for at > 0 && times[at-1] > time {
			at--
		}
		if at == searchNear {
			continue
		}
		if len(s.near) < searchNear {
			s.near = append(s.near, 0)
		}
		copy(s.near[at+1:], s.near[at:])
		copy(times[at+1:], times[at:])
		s.near[at], times[at] = int32(b), time
	}
}

// estimate looks at what a change does to the phases, and remembers it among
// the most promising if it relieves the busiest rank of phase f.
func (s *autoSearch) estimate(f, busiest int, t autoTrial) {
	p, b := s.plan, int(t.rank)
	s.budget--
	give := p.m.row(int(t.pid))
	var take []float64
	if t.partner >= 0 {
		take = p.m.row(int(t.partner))
	}
	from, to := p.load(busiest), p.load(b)
	fastA, fastB := p.m.pace[busiest], p.m.pace[b]
	host := p.m.cost.shared.place(b)
	if host >= 0 && p.m.cost.shared.place(busiest) == host {
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
		change += p.m.weight[g] * (max(pair, p.others(g, busiest, b)) - p.tops[g].time[0])
		local += p.m.weight[g] * (pair - max(oldA, oldB))
	}
	t.score = p.m.value * (change + 1e-3*local)
	s.remember(t)
}

// remember keeps the best trials, best first; of equal ones the earlier.
func (s *autoSearch) remember(t autoTrial) {
	at := len(s.trials)
	for at > 0 && s.trials[at-1].score > t.score {
		at--
	}
	if at >= searchTrials {
		return
	}
	if len(s.trials) < searchTrials {
		s.trials = append(s.trials, autoTrial{})
	}
	copy(s.trials[at+1:], s.trials[at:])
	s.trials[at] = t
}

// accept carries out the best trial that makes the total smaller. If there is
// none, it takes one that only relieves this rank, with no phase getting longer
// and for no more than that would be worth if the rank were the only busy one.
func (s *autoSearch) accept(f, busiest int) bool {
	p := s.plan
	before, step, time := p.total(), p.step(), p.time(busiest, f)
	mark := len(p.journal)
	best, least := -1, before*(1-searchEven)
	even, evenLeast := -1, 0.0
	for i, t := range s.trials {
		if !s.try(t) {
			continue
		}
		total := p.total()
		if total < least {
			best, least = i, total
		}
		drop := p.m.value * p.m.weight[f] * (time - max(p.time(busiest, f), p.time(int(t.rank), f)))
		if paid := total - before - drop; p.step() <= step*(1+searchEven) && paid < evenLeast {
			even, evenLeast = i, paid
		}
		p.rollback(mark)
	}
	if best < 0 {
		best = even
	}
	return best >= 0 && s.try(s.trials[best])
}

// try carries out a trial if memory allows it.
func (s *autoSearch) try(t autoTrial) bool {
	p := s.plan
	from, to := int(p.where[t.pid]), int(t.rank)
	s.budget -= searchTry + len(p.m.talk.of(int(t.pid)))
	if !p.fits(int(t.pid), to, int(t.partner)) {
		return false
	}
	if t.partner >= 0 && !p.fits(int(t.partner), from, int(t.pid)) {
		return false
	}
	p.move(int(t.pid), to)
	if t.partner >= 0 {
		p.move(int(t.partner), from)
	}
	return true
}
