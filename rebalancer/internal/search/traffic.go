package search

import (
	"cmp"
	"slices"
)

// trafficRanks is on how many ranks of its peers a process is tried, and trafficSwaps against how
// many processes there.
const (
	trafficRanks = 4
	trafficSwaps = 16
)

// reduceTraffic moves processes closer to their heaviest partners, by
// moves and swaps that reduce the total. It reports whether it found any.
func (s *improver) reduceTraffic() bool {
	p := s.plan
	if p.m.silent() || p.m.large() && p.traffic.Time() < fewMessages*p.step() {
		return false
	}
	found := false
	for _, pid := range s.talkative() {
		if s.budget <= 0 {
			break
		}
		found = s.bringCloser(int(pid)) || found
	}
	return found
}

// talkative lists the processes that may move and exchange data with other
// ranks, most seconds of it first.
func (s *improver) talkative() []int32 {
	p := s.plan
	seconds := make([]float64, len(p.where))
	var list []int32
	for pid := range p.where {
		if p.m.Pinned[pid] {
			continue
		}
		if seconds[pid] = p.remote(pid); seconds[pid] > 0 {
			list = append(list, int32(pid))
		}
	}
	s.budget -= p.m.ends / 8
	descending(list, func(pid int32) float64 { return seconds[pid] })
	return list
}

// remote returns the time of a process's traffic with other ranks, taken by itself.
func (p *Plan) remote(pid int) float64 {
	sum := 0.0
	for _, peer := range p.m.peers[pid] {
		sum += p.m.Cost.Way(int(p.where[pid]), int(p.where[peer.pid]), peer.bytes)
	}
	return sum
}

// bringCloser tries a process on the ranks of its peers, alone or in exchange
// for a process there. It keeps the best change that reduces the total,
// or else one that shortens the traffic of the moved processes at no cost.
func (s *improver) bringCloser(pid int) bool {
	before, shortest := s.plan.Total(), 0.0
	s.closerTrials(pid)
	return s.accept(false, func(t neighbour, total float64) float64 {
		if gain := s.remoteOf(t) - t.score; total <= before && gain < shortest-searchEven*t.score {
			shortest = gain
		}
		return shortest
	})
}

// remoteOf is the traffic of those that a change moves.
func (s *improver) remoteOf(t neighbour) float64 {
	sum := s.plan.remote(int(t.pid))
	if t.partner >= 0 {
		sum += s.plan.remote(int(t.partner))
	}
	return sum
}

// closerTrials lists moves to the ranks of the heaviest peers, and swaps with
// processes there. Their scores are the traffic of those that they move.
func (s *improver) closerTrials(pid int) {
	p := s.plan
	s.trials = s.trials[:0]
	add := func(partner, rank int32) {
		t := neighbour{pid: int32(pid), partner: partner, rank: rank}
		t.score = s.remoteOf(t)
		s.trials = append(s.trials, t)
	}
	for _, rank := range s.closerRanks(pid) {
		if rank == p.where[pid] || !p.m.Usable[rank] {
			continue
		}
		add(-1, rank)
		there := p.members[rank]
		for i := 0; i < len(there); i += 1 + len(there)/trafficSwaps {
			if !p.m.Pinned[there[i]] {
				add(there[i], rank)
			}
		}
	}
}

// closerRanks returns all ranks if they are few, else the ranks of the heaviest peers.
func (s *improver) closerRanks(pid int) []int32 {
	p := s.plan
	if len(p.m.Usable) <= smallRanks/2 {
		return numbers(len(p.m.Usable))
	}
	var ranks []int32
	peers := slices.Clone(p.m.peers[pid])
	slices.SortFunc(peers, func(a, b peer) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.pid, b.pid))
	})
	for _, peer := range peers {
		rank := p.where[peer.pid]
		if len(ranks) < trafficRanks && p.m.Usable[rank] && !slices.Contains(ranks, rank) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}
