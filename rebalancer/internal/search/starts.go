package search

import (
	"cmp"
	"fmt"
	"math"
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

// starts are the mappings to improve, fewer in haste, and others that are only if they are better than
// what became of those: for a large instance all but the one that moves least. Placed is how many
// processes and ranks were gone through to make them.
func (m *instance) starts(haste bool) (starts, others []start, placed int) {
	starts = []start{{where: m.home}}
	targets, shares, large := targets, shares, len(m.home) >= LargeRun
	if haste {
		targets = targets[:1]
	}
	if large {
		// The least time at once: there is no second search from what is left above it.
		targets = []float64{1}
		shares = shares[1:2]
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
	if large {
		for _, start := range starts {
			placed += len(m.moves(start.where)) + len(m.fast)
		}
		return starts[1:2], []start{m.promising(append(starts[2:], starts[0]))}, placed
	}
	starts = append(starts, start{where: m.fromScratch(), margin: startMargin})
	if !haste {
		others = m.coarse()
	}
	return starts, others, (len(starts) + len(others)) * (len(m.home) + len(m.fast))
}

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
	slow := func(r int) bool {
		set := p.Ranks[r].Set
		return p.Line(r) > slowLine*p.Links[set][set].PerByte
	}
	for r := range p.Ranks {
		some = some || slow(r)
	}
	if !some {
		return nil
	}
	return m.fromScratchOn(func(r int) bool { return !slow(r) })
}

// gatheredStarts are mappings on part of the machine, where barriers are shorter there; of a large
// instance not on single hosts.
func (m *instance) gatheredStarts(large bool) (starts []start) {
	all := append(m.gathered(), m.onOne(len(m.cost.Platform.Sets), func(r int) int { return m.cost.Platform.Ranks[r].Set })...)
	if host, hosts := cost.Hosts(m.cost.Platform); !large {
		all = append(all, m.onOne(hosts, func(r int) int { return host[r] })...)
	}
	for _, where := range all {
		starts = append(starts, start{where: where, margin: startMargin})
	}
	return starts
}

// gathered are mappings on the Sets alone from which a barrier is near to one of them,
// each such group of Sets once, those with most speed first.
func (m *instance) gathered() [][]int32 {
	speeds := make([]float64, len(m.cost.Platform.Sets))
	for r, rank := range m.cost.Platform.Ranks {
		if m.usable[r] {
			speeds[rank.Set] += m.cost.Rates[r]
		}
	}
	type group struct {
		near  []bool
		speed float64
	}
	var groups []group
	seen := make(map[string]bool)
	for _, row := range m.cost.Platform.Arrivals {
		least, most := slices.Min(row), slices.Max(row)
		if least == most {
			continue
		}
		g := group{near: make([]bool, len(row))}
		for set, time := range row {
			if g.near[set] = time <= (least+most)/2; g.near[set] {
				g.speed += speeds[set]
			}
		}
		if key := fmt.Sprint(g.near); !seen[key] {
			seen[key] = true
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.speed, a.speed) })
	var all [][]int32
	for _, g := range groups[:min(gatheredMost, len(groups))] {
		if where := m.fromScratchOn(func(r int) bool { return g.near[m.cost.Platform.Ranks[r].Set] }); where != nil {
			all = append(all, where)
		}
	}
	return all
}

// onOne are mappings on one each of n parts of the platform, where ranks without processes leave
// the others' barrier: on those with most speed.
func (m *instance) onOne(n int, part func(rank int) int) (all [][]int32) {
	if !m.cost.Platform.Leave || n == 1 {
		return nil
	}
	speeds, order := make([]float64, n), make([]int, n)
	for r, usable := range m.usable {
		if usable {
			speeds[part(r)] += m.cost.Rates[r]
		}
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(speeds[b], speeds[a]) })
	for _, which := range order[:min(gatheredMost, n)] {
		if where := m.fromScratchOn(func(r int) bool { return part(r) == which }); where != nil {
			all = append(all, where)
		}
	}
	return all
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

// promising is the start with the least total before it is improved.
func (m *instance) promising(starts []start) (best start) {
	least := math.Inf(1)
	for _, start := range starts {
		total := m.value*m.stepOf(start.where) + m.paid(m.moves(start.where))
		if total*(1+start.margin) < least {
			best, least = start, total*(1+start.margin)
		}
	}
	return best
}
