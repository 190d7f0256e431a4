package search

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

const (
	// placeAll is the number of ranks up to which all are considered for every process. With more
	// ranks it considers the rank that finishes first, overall or in each of up to placeSets Sets,
	// placePeers ranks of peers, and placeMore while limits are exceeded.
	placeAll   = 24
	placeSets  = 8
	placePeers = 8
	placeMore  = 16
	// placeOver is how much dearer time beyond a limit is.
	placeOver = 8
)

// placement is a mapping to which items are added, largest first. Loads never
// decrease while items are placed.
type placement struct {
	m        *instance
	where    []int32   // -1 while a process is not placed
	loads    []float64 // place*phases+phase
	totals   []float64 // by rank: weighted load
	stored   []int64
	arriving []int64
	perLimit []float64 // by phase: 1 over the time that ranks should keep within
	steep    []float64 // by phase: weight of the fourth power of a part of that time
	// queues order the usable ranks by the time to finish an item of typical size, as 1 over seconds
	// by rank. If the Sets are few, each has a queue, because distance matters as well as speed. Few
	// ranks have no queues.
	queues  []cost.MaxTree
	typical float64
	cursor  int // the last rank considered for lack of a better one
	peers   []share
}

// share is the traffic with one rank, both directions together.
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
		perLimit: make([]float64, m.phases), steep: make([]float64, m.phases), typical: math.Inf(1),
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
		queues := len(m.Cost.Platform.Sets)
		if queues > placeSets {
			queues = 1
		}
		for range queues {
			r.queues = append(r.queues, cost.NewMaxTree(n))
		}
	}
	return r
}

// put counts a process on a rank.
func (r *placement) put(pid, rank int) {
	r.m.load(r.loads, pid, rank, 1)
	r.totals[rank] += r.m.size[pid]
	r.stored[rank] += r.m.State[pid]
	r.queue(rank)
}

// queue updates the position of a rank in its queue.
func (r *placement) queue(rank int) {
	if n := len(r.queues); n > 0 && r.m.Usable[rank] {
		set := r.m.Cost.Platform.Ranks[rank].Set
		r.queues[set%n].Set(rank, r.m.Cost.Rates[rank]/(r.totals[rank]+r.typical))
	}
}

// place assigns the items, largest first, to the rank where they add least. An item that fits
// on no rank stays at home.
func (r *placement) place(items []item) {
	order := numbers(len(items))
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
	best, least, over := -1, 0.0, true
	consider := func(rank int) {
		if r.fits(item, rank) {
			if price, exceeds := r.price(item, rank); best < 0 || price < least {
				best, least, over = rank, price, exceeds
			}
		}
	}
	if r.queues == nil {
		for rank := range r.totals {
			consider(rank)
		}
		return best
	}
	consider(int(item.home))
	for _, peer := range r.peers[:min(placePeers, len(r.peers))] {
		consider(int(peer.rank))
	}
	if item.size < r.typical/2 {
		r.typical = item.size
		for rank := range r.totals {
			r.queue(rank)
		}
	}
	for i := range r.queues {
		consider(r.queues[i].First())
	}
	for range placeMore {
		if !over {
			break
		}
		r.cursor = (r.cursor + 1) % len(r.totals)
		consider(r.cursor)
	}
	return best
}

func (r *placement) fits(item *item, rank int) bool {
	arriving := r.arriving[rank]
	if len(item.pids) > 1 || int(item.home) != rank {
		arriving += item.state
	}
	return r.m.holds(rank, r.stored[rank]+item.state, arriving)
}

// price returns the cost of an item on a rank, in seconds per superstep: a steep
// function of each phase's distance from the limit, steeper beyond it, plus
// the traffic with other ranks and the transfer. over reports whether the rank would exceed a limit.
func (r *placement) price(item *item, rank int) (price float64, over bool) {
	for place := range r.m.Cost.Shared.Counts(rank) {
		crowding, exceeds := r.crowding(item, place)
		price, over = price+crowding, over || exceeds
	}
	for _, peer := range r.peers {
		if int(peer.rank) != rank {
			price += r.m.Cost.Way(int(peer.rank), rank, peer.bytes)
		}
	}
	if int(item.home) != rank && item.state > 0 {
		price += r.m.Cost.Platform.Transfer(int(item.home), rank, item.state) / r.m.value()
	}
	return price, over
}

// crowding returns the cost of an item's work on a place, and whether it exceeds a limit there.
func (r *placement) crowding(item *item, place int) (price float64, over bool) {
	load, fast := r.loads[place*r.m.phases:(place+1)*r.m.phases], r.m.pace[place]
	for f, x := range item.work {
		if x == 0 {
			continue
		}
		before := load[f] * fast * r.perLimit[f]
		after := before + x*fast*r.perLimit[f]
		over = over || after > 1
		if before > 1 {
			price += placeOver * r.steep[f] * (after - before)
		} else if after > 1 {
			price += placeOver * r.steep[f] * (after - 1)
		}
		before, after = before*before, after*after
		price += r.steep[f] * (after*after - before*before)
	}
	return price, over
}

// gatherPeers sums the item's traffic with processes already placed.
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
