package rebalancer

import (
	"cmp"
	"slices"
)

// pruneLoss is the part of the predicted time that all moves taken back may
// cost together: what brings less is not worth a move.
const pruneLoss = 5e-4

// prune takes back moves that bring nothing, alone or with one that came in
// return, those of the largest states first.
func (s *autoSearch) prune() {
	p := s.plan
	bound := p.total() * (1 + pruneLoss)
	for _, pid := range s.movedPids() {
		home := p.m.home[pid]
		if p.where[pid] == home || !p.m.usable[home] || s.sendHome(pid, -1, bound) {
			continue
		}
		away := p.where[pid]
		for _, partner := range p.members[home] {
			if s.budget > 0 && p.m.home[partner] == away && s.sendHome(pid, partner, bound) {
				break
			}
		}
	}
}

// movedPids are the processes away from home, largest state first.
func (s *autoSearch) movedPids() []int32 {
	m := s.plan.m
	var moved []int32
	for pid, r := range s.plan.where {
		if r != m.home[pid] {
			moved = append(moved, int32(pid))
		}
	}
	slices.SortFunc(moved, func(a, b int32) int {
		if m.state[a] != m.state[b] {
			return cmp.Compare(m.state[b], m.state[a])
		}
		return cmp.Or(cmp.Compare(m.size[a], m.size[b]), cmp.Compare(a, b))
	})
	return moved
}

// sendHome takes a process home, and its partner to where it was, if the total
// stays within the bound.
func (s *autoSearch) sendHome(pid, partner int32, bound float64) bool {
	p := s.plan
	home := p.m.home[pid]
	if !s.maySend(int(pid), int(partner), bound) {
		return false
	}
	mark := len(p.journal)
	if !s.try(autoTrial{pid: pid, partner: partner, rank: home}) {
		return false
	}
	if p.total() <= bound {
		return true
	}
	p.rollback(mark)
	return false
}

// maySend tells whether the home rank alone does not already rule a return out:
// what it rises above the peaks counts in full, and what the return can spare
// at most is the transfers, the traffic, and the process's own work.
func (s *autoSearch) maySend(pid, partner int, bound float64) bool {
	p := s.plan
	s.budget--
	home, from := int(p.m.home[pid]), int(p.where[pid])
	change := 0.0
	for f, x := range p.m.row(pid) {
		if partner >= 0 {
			x -= p.m.row(partner)[f]
		}
		peak := p.peaks[f].max()
		if rise := p.time(home, f) + x*p.m.pace[home] - peak; rise > 0 {
			change += p.m.weight[f] * rise
		}
		switch first := p.peaks[f].first(); first {
		case from, p.m.cost.shared.place(from):
			change -= p.m.weight[f] * max(0, x) * p.m.pace[first]
		case home, p.m.cost.shared.place(home):
			change += p.m.weight[f] * min(0, x) * p.m.pace[first]
		}
	}
	spare := p.m.price*(p.transfer.time()+p.waits.max()+p.m.call) + p.m.value*p.traffic.time()
	return p.total()+p.m.value*change-spare <= bound
}
