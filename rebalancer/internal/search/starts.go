package search

import (
	"fmt"
	"slices"
)

const (
	// LargeRun is the number of processes from which fewer mappings are constructed.
	LargeRun = 20000
	// fewMessages is the part of a superstep below which messages of a large run do not justify
	// placing all processes again.
	fewMessages = 0.02
	// startMargin is the part by which a mapping that moves nearly all processes must be better than
	// one that does not: its forecast relies on more predictions for other ranks.
	startMargin = 0.01
	// gatheredMost bounds the groups of Sets, the single Sets and the hosts that are tried.
	gatheredMost = 4
)

// coarser is the factor between the targets of coarse mappings.
const coarser = 1.5

// partShares are the sizes of groups of partners that are tried on a part of the ranks, in fair
// loads there; first single processes.
var partShares = []float64{0, 0.5, 1}

// starts holds the mappings to improve. A result replaces the earlier ones if its total is smaller,
// by startMargin unless the start is near.
type starts struct {
	near   [][]int32 // home, and with overloaded ranks relieved
	anew   [][]int32
	coarse [][]int32 // improved only if they are better than the results of the others
	plans  []*Plan   // of all, to be looked at
}

func (s *starts) all() [][]int32 { return slices.Concat(s.near, s.anew, s.coarse) }

// plan returns a plan of start i for changing, or, if look is true, one for evaluation at any price.
func (s *starts) plan(m *instance, i int, look bool) *Plan {
	if !look {
		return newPlan(m, s.all()[i])
	}
	if s.plans == nil {
		for _, start := range s.all() {
			s.plans = append(s.plans, newPlan(m, start))
		}
	}
	return s.plans[i]
}

// starts makes them, few in haste and of a large instance.
func (m *instance) starts(few bool) (s starts) {
	s.near = [][]int32{m.Home}
	targets, shares, large := targets, shares, m.large()
	if few {
		targets = targets[:1]
	}
	if large {
		// Relieve to the lower bound at once, because no second search continues from a higher target.
		targets, shares = []float64{1}, shares[1:2]
	}
	for _, target := range targets {
		s.near = append(s.near, m.relieved(target))
	}
	if !m.silent() && !(large && m.Cost.Communication(s.near[1]) < fewMessages*m.step) {
		for _, share := range shares {
			s.anew = append(s.anew, m.clustered(share))
		}
	}
	if m.Set.Gathered {
		s.anew = append(s.anew, m.gatheredStarts(large)...)
	}
	if !large {
		s.anew = append(s.anew, m.clustered(0))
	}
	if !few {
		s.coarse = m.coarse()
	}
	return s
}

// large reports whether the processes are too many to place all of them again repeatedly.
func (m *instance) large() bool { return len(m.Home) >= LargeRun }

// coarse returns mappings whose ranks are relieved to multiples above the targets. If the fastest
// ranks are behind slow links, moving to them may take longer than it saves; and if only
// many moves together save time, no single move leads to the mapping that nearer ranks allow.
func (m *instance) coarse() (starts [][]int32) {
	least, now := m.weighted(m.lower), m.compute(m.Home)
	for target := coarser * slices.Max(targets); least > 0 && target*least < now; target *= coarser {
		starts = append(starts, m.relieved(target))
	}
	return starts
}

// gatheredStarts returns mappings onto part of the machine, where barriers are shorter: onto the Sets
// near one of them and, if ranks without processes leave the barrier, onto
// single Sets and hosts; a large instance excludes hosts.
func (m *instance) gatheredStarts(large bool) (starts [][]int32) {
	p, seen := m.Cost.Platform, make(map[string]bool)
	for _, row := range p.Arrivals {
		least, most := slices.Min(row), slices.Max(row)
		number := make([]int, len(row)) // by Set: 0 for those that are near
		for set, time := range row {
			if time > (least+most)/2 {
				number[set] = -1
			}
		}
		if key := fmt.Sprint(number); least < most && !seen[key] && len(seen) < gatheredMost {
			seen[key] = true
			starts = append(starts, m.onParts(1, func(rank int) int { return number[p.Ranks[rank].Set] })...)
		}
	}
	if p.Leave && len(p.Sets) > 1 {
		starts = append(starts, m.onParts(len(p.Sets), func(rank int) int { return p.Ranks[rank].Set })...)
	}
	if host, hosts := p.Hosts(); p.Leave && len(hosts) > 1 && !large {
		starts = append(starts, m.onParts(len(hosts), func(rank int) int { return host[rank] })...)
	}
	return starts
}

// onParts are mappings on one each of n parts of the ranks, those with most speed, of single processes or of groups
// of partners. A part has the ranks of its number, from 0 on.
func (m *instance) onParts(n int, part func(rank int) int) (starts [][]int32) {
	speeds, order := make([]float64, n), numbers(n)
	for r, usable := range m.Usable {
		if at := part(r); usable && at >= 0 {
			speeds[at] += m.Cost.Rates[r]
		}
	}
	descending(order, func(i int32) float64 { return speeds[i] })
	for _, i := range order[:min(gatheredMost, n)] {
		if speeds[i] == 0 {
			break
		}
		there := *m
		there.Usable = slices.Clone(m.Usable)
		for r := range there.Usable {
			there.Usable[r] = there.Usable[r] && part(r) == int(i)
		}
		there.gatherBound()
		best, least := []int32(nil), 0.0
		for _, share := range partShares {
			where := there.clustered(share)
			if step := m.stepOf(where); best == nil || step < least {
				best, least = where, step
			}
		}
		starts = append(starts, best)
	}
	return starts
}
