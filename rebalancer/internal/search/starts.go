package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

const (
	// LargeRun is the number of processes from which on fewer mappings are constructed.
	LargeRun = 20000
	// fewMessages is the part of a superstep below which messages of a large run are none that it
	// would pay to place all processes anew for.
	fewMessages = 0.02
	// startMargin is by how much a mapping that moves nearly all must be better than one that does
	// not: its forecast rests on more processes being elsewhere.
	startMargin = 0.01
	// gatheredMost bounds the groups of Sets and the single hosts that are tried.
	gatheredMost = 4
	// slowLine is how many times longer than on its Set's lines a byte takes on one that hosts
	// are better off without.
	slowLine = 2
)

// coarser is the factor between the targets of coarse mappings.
const coarser = 1.5

// partShares are the sizes of groups of partners that are tried on a part of the ranks, in fair
// loads there.
var partShares = []float64{0.5, 1}

// start is a mapping to improve. What comes of it replaces what came of
// those before if its total is smaller by the margin.
type start struct {
	where  []int32
	margin float64
}

// starts are the mappings to improve, few in haste and of a large instance, and others that are only if they are
// better than what became of those.
func (m *instance) starts(few bool) (starts, others []start) {
	starts = []start{{where: m.home}}
	targets, shares, large := targets, shares, m.large()
	if few {
		targets = targets[:1]
	}
	if large {
		// The least time at once: there is no second search from what is left above it.
		targets, shares = []float64{1}, shares[1:2]
	}
	for _, target := range targets {
		starts = append(starts, start{where: m.relieved(target), margin: searchEven})
	}
	if !m.talk.silent() && !(large && m.cost.Communication(starts[1].where) < fewMessages*m.step) {
		for _, share := range shares {
			starts = append(starts, start{where: m.clustered(share), margin: startMargin})
		}
	}
	if m.set.Gathered {
		starts = append(starts, m.gatheredStarts(large)...)
	}
	if where := m.offSlowLines(); where != nil && !m.talk.silent() {
		starts = append(starts, start{where: where, margin: startMargin})
	}
	if !large {
		starts = append(starts, start{where: m.fromScratch(), margin: startMargin})
	}
	if !few {
		others = m.coarse()
	}
	return starts, others
}

// large reports whether there are too many processes to place all of them anew more often than may help.
func (m *instance) large() bool { return len(m.home) >= LargeRun }

// coarse are mappings with ranks relieved less than down to any of the targets. Where the fastest
// ranks are behind slow links, moving to them may take longer than they save, and where it takes
// many moves to save anything no single one leads to what nearer ranks can do.
func (m *instance) coarse() (starts []start) {
	least, now := m.weighted(m.lower), m.cost.Compute(m.in.Work, m.home, m.trend)
	for target := coarser * slices.Max(targets); least > 0 && target*least < now; target *= coarser {
		starts = append(starts, start{where: m.relieved(target), margin: startMargin})
	}
	return starts
}

// offSlowLines is a mapping made from scratch on the ranks whose lines are as those of their Sets; nil if
// all are.
func (m *instance) offSlowLines() []int32 {
	p, some := m.cost.Platform, false
	slow := make([]bool, len(p.Ranks))
	for r, rank := range p.Ranks {
		slow[r] = p.Line(r) > slowLine*p.Links[rank.Set][rank.Set].PerByte
		some = some || slow[r]
	}
	if !some {
		return nil
	}
	return m.fromScratchOn(func(r int) bool { return !slow[r] })
}

// gatheredStarts are mappings on part of the machine, where barriers are shorter there: on the Sets alone
// from which one is near to one of them and, where ranks without processes leave the others' barrier, on
// single Sets and hosts; of a large instance not on hosts.
func (m *instance) gatheredStarts(large bool) (starts []start) {
	p := m.cost.Platform
	set := func(rank int) int { return p.Ranks[rank].Set }
	var near []func(rank int) bool
	seen := make(map[string]bool)
	for _, row := range p.Arrivals {
		least, most := slices.Min(row), slices.Max(row)
		sets := make([]bool, len(row))
		for set, time := range row {
			sets[set] = time <= (least+most)/2
		}
		if key := fmt.Sprint(sets); least < most && !seen[key] {
			seen[key] = true
			near = append(near, func(rank int) bool { return sets[set(rank)] })
		}
	}
	starts = m.onParts(near)
	if p.Leave && len(p.Sets) > 1 {
		starts = append(starts, m.onParts(each(len(p.Sets), set))...)
	}
	if host, hosts := cost.Hosts(p); p.Leave && hosts > 1 && !large {
		starts = append(starts, m.onParts(each(hosts, func(rank int) int { return host[rank] }))...)
	}
	return starts
}

// each is the n parts of the ranks that have a number in common.
func each(n int, number func(rank int) int) (parts []func(rank int) bool) {
	for which := range n {
		parts = append(parts, func(rank int) bool { return number(rank) == which })
	}
	return parts
}

// onParts are mappings on one each of some parts of the ranks, those with most speed.
func (m *instance) onParts(parts []func(rank int) bool) (starts []start) {
	speeds, order := make([]float64, len(parts)), make([]int, len(parts))
	for i, is := range parts {
		order[i] = i
		for r, usable := range m.usable {
			if usable && is(r) {
				speeds[i] += m.cost.Rates[r]
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(speeds[b], speeds[a]) })
	for _, i := range order[:min(gatheredMost, len(order))] {
		if where := m.fromScratchOn(parts[i]); where != nil {
			starts = append(starts, start{where: where, margin: startMargin})
		}
	}
	return starts
}

// fromScratchOn is a mapping made from scratch on some ranks, of single processes or of groups of partners;
// nil if none of the ranks may be used.
func (m *instance) fromScratchOn(is func(rank int) bool) []int32 {
	part := *m
	part.usable = make([]bool, len(m.usable))
	ranks := 0
	for r, usable := range m.usable {
		if part.usable[r] = usable && is(r); part.usable[r] {
			ranks++
		}
	}
	if ranks == 0 {
		return nil
	}
	part.gatherBound()
	best := part.fromScratch()
	if ranks == 1 || m.talk.silent() {
		return best
	}
	least := m.stepOf(best)
	for _, share := range partShares {
		where := part.clustered(share)
		if step := m.stepOf(where); step < least {
			best, least = where, step
		}
	}
	return best
}
