package rebalancer

import (
	"cmp"
	"slices"
)

const (
	swapAll  = 256 // up to so many pairs of processes of two ranks are all looked at
	swapNear = 2   // otherwise so many partners for each process
)

// estimateSwaps looks at exchanges between the busiest rank of a phase and
// another: of all pairs if these are few, else of those whose difference would
// make the two finish at once.
func (s *autoSearch) estimateSwaps(f, busiest, b int) {
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
		for _, partner := range s.sorted[max(0, at-swapNear/2):min(len(s.sorted), at+swapNear/2)] {
			s.estimateSwap(f, busiest, b, pid, partner)
		}
	}
}

func (s *autoSearch) estimateSwap(f, busiest, b int, pid, partner int32) {
	m := s.plan.m
	if !m.fixed[pid] && !m.fixed[partner] && m.row(int(pid))[f] > m.row(int(partner))[f] {
		s.estimate(f, busiest, autoTrial{pid: pid, partner: partner, rank: int32(b)})
	}
}
