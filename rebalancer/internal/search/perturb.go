package search

// perturbRounds bounds the perturbations, perturbIdle those without success in a row, perturbPids
// the instances: larger ones leave too little to gain.
const (
	perturbRounds = 300
	perturbIdle   = 100
	perturbPids   = 5000
)

// rng is a small generator of the same numbers for the same instance.
type rng uint64

// roll is a number from 0 to n-1.
func (d *rng) roll(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(uint64(*d) >> 33 % uint64(n))
}

// perturb changes a plan by a few random moves, improves it again, and keeps it if it
// is better. It finds mappings that no single move or swap leads to.
func (s *improver) perturb() {
	if !s.plan.m.Set.Perturb || len(s.plan.where) > perturbPids {
		return
	}
	dice := rng(len(s.plan.where))
	total := s.plan.Total()
	for round, idle := 0, 0; round < perturbRounds && idle < perturbIdle && s.budget > 0; round++ {
		mark := len(s.plan.journal)
		s.disturb(&dice, 2+round%3)
		s.run()
		s.exhaustive()
		idle++
		if now := s.plan.Total(); now < total*(1-searchEven) {
			total, idle = now, 0
		} else {
			s.plan.Rollback(mark)
		}
	}
}

// disturb makes a few moves and swaps, one of two from a busiest rank.
func (s *improver) disturb(dice *rng, times int) {
	p := s.plan
	for i := range times {
		pid := dice.roll(len(p.where))
		if i%2 == 0 {
			members := p.at(p.peaks[dice.roll(len(p.peaks))].First())
			if len(members) > 0 {
				pid = int(members[dice.roll(len(members))])
			}
		}
		t := neighbour{pid: int32(pid), partner: -1, rank: int32(dice.roll(len(p.m.Usable)))}
		if there := p.members[t.rank]; len(there) > 0 && dice.roll(2) == 0 {
			t.partner = there[dice.roll(len(there))]
		}
		if p.m.Pinned[pid] || t.rank == p.where[pid] || (t.partner >= 0 && p.m.Pinned[t.partner]) {
			continue
		}
		s.try(t)
	}
}
