package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

const (
	// largeRun is the number of processes from which on fewer mappings are constructed.
	largeRun = 20000
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

// starts are the mappings to improve: all that are made for a small instance, fewer in
// haste, and the most promising for a large one; and how many were made.
func (m *instance) starts(haste bool) (starts []start, made int) {
	starts = []start{{where: m.stay}}
	targets, shares := targets, shares
	large := len(m.home) >= largeRun
	if large || haste {
		targets = targets[:1]
	}
	if large {
		shares = shares[1:2]
	}
	for _, target := range targets {
		starts = append(starts, start{where: m.shed(target), margin: searchEven})
	}
	if m.set.Clusters && !m.talk.silent() {
		for _, share := range shares {
			starts = append(starts, start{where: m.clustered(share), margin: m.set.StartMargin})
		}
	}
	if m.set.Gathered {
		starts = append(starts, m.gatheredStarts(large)...)
	}
	if where := m.offSlowLines(); where != nil && !m.talk.silent() {
		starts = append(starts, start{where: where, margin: m.set.StartMargin})
	}
	if large {
		return []start{m.promising(starts)}, len(starts)
	}
	if m.set.Anew {
		starts = append(starts, start{where: m.anew(), margin: m.set.StartMargin})
	}
	return starts, len(starts)
}

// coarse are mappings with ranks relieved less than down to any of the targets. Where the fastest
// ranks are behind slow links, moving to them may take longer than they save, and where it takes
// many moves to save anything no single one leads to what nearer ranks can do.
func (m *instance) coarse() (starts []start) {
	least, now := m.weighted(m.lower), m.cost.Compute(m.in.Work, m.stay, m.trend, nil)
	for target := coarser * slices.Max(targets); least > 0 && target*least < now; target *= coarser {
		starts = append(starts, start{where: m.shed(target), margin: m.set.StartMargin})
	}
	return starts
}

// offSlowLines is a mapping made anew on the ranks whose lines are as those of their Sets; nil if
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
	return m.anewWhere(func(r int) bool { return !slow(r) })
}

// gatheredStarts are mappings on part of the machine, where barriers are shorter there; of a large
// instance not on single hosts.
func (m *instance) gatheredStarts(large bool) (starts []start) {
	all := append(m.gathered(), m.onOneSet()...)
	if !large {
		all = append(all, m.onOneHost()...)
	}
	for _, where := range all {
		starts = append(starts, start{where: where, margin: m.set.StartMargin})
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
		if where := m.anewWhere(func(r int) bool { return g.near[m.cost.Platform.Ranks[r].Set] }); where != nil {
			all = append(all, where)
		}
	}
	return all
}

// onOneHost are mappings on one host each, and onOneSet on the hosts of one Set, where ranks
// without processes leave the others' barrier: on those with most speed.
func (m *instance) onOneHost() [][]int32 {
	host, hosts := cost.Hosts(m.cost.Platform)
	return m.onOne(hosts, func(r int) int { return host[r] })
}

func (m *instance) onOneSet() [][]int32 {
	return m.onOne(len(m.cost.Platform.Sets), func(r int) int { return m.cost.Platform.Ranks[r].Set })
}

// onOne are mappings on one each of n parts of the platform.
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
		if where := m.anewWhere(func(r int) bool { return part(r) == which }); where != nil {
			all = append(all, where)
		}
	}
	return all
}

// anewWhere is a mapping made anew on some ranks, of single processes or of groups of partners;
// nil if none of the ranks may be used.
func (m *instance) anewWhere(is func(rank int) bool) []int32 {
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
	best := part.anew()
	if ranks == 1 || !m.set.Clusters || m.talk.silent() {
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

// promising is the start with the least total before it is improved; the first is
// to stay.
func (m *instance) promising(starts []start) start {
	best, least := starts[0], m.value*m.step+m.paid(m.moves(starts[0].where))
	for _, start := range starts[1:] {
		total := m.value*m.stepOf(start.where) + m.paid(m.moves(start.where))
		if total < least*(1-start.margin) {
			best, least = start, total
		}
	}
	return best
}
