package search

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

const (
	// placeAll is up to how many ranks all are looked at for every process; beyond, those that are
	// done first, of all or of each of up to placeSets Sets, placePeers of peers, and placeMore
	// while limits are exceeded.
	placeAll   = 24
	placeSets  = 8
	placePeers = 8
	placeMore  = 16
	// placeOver is how much dearer time beyond a limit is.
	placeOver = 8
	// alikeRates is the factor within which rates are alike.
	alikeRates = 1.25
)

// placement is a mapping to which items are added, largest first. Loads only
// grow while items are placed.
type placement struct {
	m        *instance
	where    []int32   // -1 while a process is not placed
	loads    []float64 // place*phases+phase
	totals   []float64 // by rank: weighted load
	stored   []int64
	arriving []int64
	perLimit []float64   // by phase: 1 over the time that ranks should keep within
	steep    []float64   // by phase: what the fourth power of a part of that time weighs
	trees    []placeTree // nil for few ranks
	counts   []float64   // by rank: what its load counts for in them
	cursor   int         // the last rank that was looked at for want of a better one
	peers    []share
}

// placeTree finds the rank that is done first with a phase, or if it is -1 with its weighted load.
type placeTree struct {
	*cost.RankTree
	phase int
}

// share is traffic with what is on one rank, in both directions together.
type share struct {
	rank  int32
	bytes int64
}

// newPlacement starts from the processes that stay where they are; where is -1
// for the others. Ranks should keep within the target times the lower bound.
func newPlacement(m *instance, where []int32, target float64) *placement {
	n := len(m.Cost.Rates)
	r := &placement{
		m: m, where: where, loads: make([]float64, len(m.pace)*m.phases), totals: make([]float64, n),
		stored: make([]int64, n), arriving: make([]int64, n),
		perLimit: make([]float64, m.phases), steep: make([]float64, m.phases),
	}
	for f, lower := range m.lower {
		if lower > 0 {
			r.perLimit[f], r.steep[f] = 1/(target*lower), m.weight[f]*target*lower/4
		}
	}
	for pid, rank := range where {
		if rank >= 0 {
			r.put(pid, int(rank))
		}
	}
	if n > placeAll {
		r.plant()
	}
	return r
}

// put counts a process on a rank.
func (r *placement) put(pid, rank int) {
	for place := range r.m.Cost.Shared.Counts(rank) {
		load := r.loads[place*r.m.phases:]
		for f, x := range r.m.row(pid) {
			load[f] += x
		}
	}
	r.totals[rank] += r.m.size[pid]
	r.stored[rank] += r.m.State[pid]
	for _, tree := range r.trees {
		tree.Update(rank, r.load(rank, tree.phase))
	}
}

// plant makes the trees of the usable ranks: by weighted load, one for each Set if these are few, for
// what is near counts beside what is fast; and one for each phase if there are several.
//
// Ranks that are about as fast count as equally fast for what is to come, though not for what is there: a
// tree of ranks that all differ is slow.
func (r *placement) plant() {
	p := r.m.Cost.Platform
	var all []int32
	bySet, rates := make([][]int32, len(p.Sets)), slices.Clone(r.m.Cost.Rates)
	r.counts = make([]float64, len(rates))
	for rank, rate := range rates {
		rates[rank] = math.Pow(alikeRates, math.Round(math.Log(rate)/math.Log(alikeRates)))
		r.counts[rank] = rates[rank] / rate
		if set := p.Ranks[rank].Set; r.m.Usable[rank] {
			bySet[set], all = append(bySet[set], int32(rank)), append(all, int32(rank))
		}
	}
	if len(bySet) > placeSets {
		bySet = [][]int32{all}
	}
	add := func(ranks []int32, phase int) {
		loads := make([]float64, len(rates))
		for rank := range loads {
			loads[rank] = r.load(rank, phase)
		}
		r.trees = append(r.trees, placeTree{cost.NewRankTree(ranks, rates, loads), phase})
	}
	for _, ranks := range bySet {
		add(ranks, -1)
	}
	for f := 0; r.m.phases > 1 && f < r.m.phases; f++ {
		add(all, f)
	}
}

// load is a rank's load in the trees of a phase.
func (r *placement) load(rank, phase int) float64 {
	if phase < 0 {
		return r.totals[rank] * r.counts[rank]
	}
	return r.loads[rank*r.m.phases+phase] * r.counts[rank]
}

// place puts the items where they add least, largest first. An item that fits
// nowhere stays at home.
func (r *placement) place(items []item) {
	order := make([]int32, len(items))
	for i := range order {
		order[i] = int32(i)
	}
	descending(order, func(i int32) float64 { return items[i].size })
	for _, i := range order {
		item := &items[i]
		rank := r.choose(item)
		for _, pid := range item.pids {
			to := rank
			if rank < 0 {
				to = int(r.m.Home[pid])
			}
			r.where[pid] = int32(to)
			r.put(int(pid), to)
			if int(r.m.Home[pid]) != to {
				r.arriving[to] += r.m.State[pid]
			}
		}
	}
}

// choose finds the best rank for an item, -1 if it fits on none: of all if they are few, else of those worth
// looking at.
func (r *placement) choose(item *item) int {
	r.gatherPeers(item)
	best, least := -1, 0.0
	fits := func(rank int) bool { return r.fits(item, rank) }
	consider := func(rank int) {
		if fits(rank) {
			if price := r.price(item, rank); best < 0 || price < least {
				best, least = rank, price
			}
		}
	}
	if r.trees == nil {
		for rank := range r.totals {
			consider(rank)
		}
		return best
	}
	consider(int(item.home))
	for _, peer := range r.peers[:min(placePeers, len(r.peers))] {
		consider(int(peer.rank))
	}
	for _, tree := range r.trees {
		more := item.size
		if tree.phase >= 0 {
			more = item.work[tree.phase]
		}
		if tree.phase < 0 || more*r.m.weight[tree.phase]*2 > item.size {
			if rank := tree.Soonest(more, fits); rank >= 0 {
				consider(rank)
			}
		}
	}
	for range placeMore {
		if best >= 0 && !r.exceeds(item, best) {
			break
		}
		r.cursor = (r.cursor + 1) % len(r.totals)
		consider(r.cursor)
	}
	return best
}

// exceeds reports whether a rank would be over a limit with an item.
func (r *placement) exceeds(item *item, rank int) bool {
	for place := range r.m.Cost.Shared.Counts(rank) {
		load := r.loads[place*r.m.phases:]
		for f, x := range item.work {
			if x > 0 && (load[f]+x)*r.m.pace[place]*r.perLimit[f] > 1 {
				return true
			}
		}
	}
	return false
}

func (r *placement) fits(item *item, rank int) bool {
	home := len(item.pids) == 1 && int(item.home) == rank
	return r.m.takes(rank, item.state, r.stored[rank], r.arriving[rank], home)
}

// price is what an item costs on a rank, in seconds per superstep: a steep
// function of how near to the limit it brings each phase, and steeper beyond it,
// the traffic with other ranks, and the transfer.
func (r *placement) price(item *item, rank int) float64 {
	price := 0.0
	for place := range r.m.Cost.Shared.Counts(rank) {
		price += r.crowding(item, place)
	}
	for _, peer := range r.peers {
		if int(peer.rank) != rank {
			price += r.m.Cost.Way(int(peer.rank), rank, peer.bytes)
		}
	}
	if int(item.home) != rank && item.state > 0 {
		price += r.m.Cost.Platform.Transfer(int(item.home), rank, item.state) / r.m.value()
	}
	return price
}

// crowding is what an item's work costs on a place.
func (r *placement) crowding(item *item, place int) float64 {
	load := r.loads[place*r.m.phases : (place+1)*r.m.phases]
	fast, price := r.m.pace[place], 0.0
	for f, x := range item.work {
		if x == 0 {
			continue
		}
		before := load[f] * fast * r.perLimit[f]
		after := before + x*fast*r.perLimit[f]
		if before > 1 {
			price += placeOver * r.steep[f] * (after - before)
		} else if after > 1 {
			price += placeOver * r.steep[f] * (after - 1)
		}
		before, after = before*before, after*after
		price += r.steep[f] * (after*after - before*before)
	}
	return price
}

// gatherPeers sums up the item's traffic with processes that have a place.
func (r *placement) gatherPeers(item *item) {
	r.peers = r.peers[:0]
	if r.m.silent() {
		return
	}
	for _, pid := range item.pids {
		for _, peer := range r.m.peers[pid] {
			rank := r.where[peer.pid]
			if rank < 0 {
				continue
			}
			at := slices.IndexFunc(r.peers, func(s share) bool { return s.rank == rank })
			if at < 0 {
				r.peers = append(r.peers, share{rank: rank, bytes: peer.bytes})
			} else {
				r.peers[at].bytes += peer.bytes
			}
		}
	}
}
