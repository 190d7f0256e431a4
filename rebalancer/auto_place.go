package rebalancer

import "slices"

const (
	placeAll   = 24 // up to so many ranks, all are looked at for every process
	placeRanks = 8  // of all groups of ranks together, and of a process's main phase
	placePeers = 8  // ranks of peers that are looked at
	placeMore  = 16 // other ranks that are looked at while limits are exceeded
	placeOver  = 8  // how much dearer time beyond a limit is
)

// autoRoom is a mapping to which items are added, largest first. Loads only
// grow while items are placed.
type autoRoom struct {
	m        *autoModel
	where    []int32   // -1 while a process is not placed
	loads    []float64 // place*phases+phase
	totals   []float64 // by rank: weighted load
	stored   []int64
	arriving []int64
	perLimit []float64 // by phase: 1 over the time that ranks should keep within
	steep    []float64 // by phase: what the fourth power of a part of that time weighs
	groups   []autoHeap
	seen     []int32 // by rank: the last item for which it was a candidate
	turn     int32
	cursor   int // the last rank that was looked at for want of a better one
	found    []int32
	peers    []autoShare
}

// autoShare is traffic with what is on one rank, in both directions together.
type autoShare struct {
	rank  int32
	bytes int64
}

// newAutoRoom starts from the processes that stay where they are; where is -1
// for the others. Ranks should keep within the target times the lower bound.
func newAutoRoom(m *autoModel, where []int32, target float64) *autoRoom {
	n := len(m.cost.rates)
	r := &autoRoom{
		m: m, where: where, loads: make([]float64, len(m.pace)*m.phases), totals: make([]float64, n),
		stored: make([]int64, n), arriving: make([]int64, n), seen: make([]int32, n),
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
		r.groups = newAutoHeaps(r)
	}
	return r
}

// put counts a process on a rank.
func (r *autoRoom) put(pid, rank int) {
	for _, place := range [2]int{rank, r.m.cost.shared.place(rank)} {
		if place < 0 {
			continue
		}
		load := r.loads[place*r.m.phases:]
		for f, x := range r.m.row(pid) {
			load[f] += x
		}
	}
	r.totals[rank] += r.m.size[pid]
	r.stored[rank] += r.m.state[pid]
}

// place puts the items where they add least, largest first. An item that fits
// nowhere stays at home.
func (r *autoRoom) place(items []autoItem) {
	for _, i := range largestFirst(items) {
		item := &items[i]
		rank := r.choose(item)
		for _, pid := range item.pids {
			to := rank
			if rank < 0 {
				to = int(r.m.home[pid])
			}
			r.where[pid] = int32(to)
			r.put(int(pid), to)
			if int(r.m.home[pid]) != to {
				r.arriving[to] += r.m.state[pid]
			}
		}
	}
}

// choose finds the best rank for an item, -1 if it fits on none.
func (r *autoRoom) choose(item *autoItem) int {
	r.gatherPeers(item)
	best, least := -1, 0.0
	consider := func(rank int) {
		if r.fits(item, rank) {
			if price := r.price(item, rank); best < 0 || price < least {
				best, least = rank, price
			}
		}
	}
	for _, rank := range r.candidates(item) {
		consider(int(rank))
	}
	if len(r.groups) == 0 {
		return best
	}
	for range placeMore {
		if best >= 0 && !r.exceeds(item, best) {
			return best
		}
		r.cursor = (r.cursor + 1) % len(r.totals)
		consider(r.cursor)
	}
	for rank := 0; best < 0 && rank < len(r.totals); rank++ {
		consider(rank)
	}
	return best
}

// exceeds tells whether a rank would be over a limit with an item.
func (r *autoRoom) exceeds(item *autoItem, rank int) bool {
	for _, place := range [2]int{rank, r.m.cost.shared.place(rank)} {
		if place < 0 {
			continue
		}
		load := r.loads[place*r.m.phases : (place+1)*r.m.phases]
		for f, x := range item.work {
			if x > 0 && (load[f]+x)*r.m.pace[place]*r.perLimit[f] > 1 {
				return true
			}
		}
	}
	return false
}

func (r *autoRoom) fits(item *autoItem, rank int) bool {
	if !r.m.usable[rank] || item.state > r.m.limit[rank]-r.stored[rank] {
		return false
	}
	if len(item.pids) == 1 && int(item.home) == rank {
		return true
	}
	return item.state <= r.m.free[rank]-r.arriving[rank]
}

// price is what an item costs on a rank, in seconds per superstep: a steep
// function of how near to the limit it brings each phase, and steeper beyond it,
// the traffic with other ranks, and the transfer.
func (r *autoRoom) price(item *autoItem, rank int) float64 {
	price := r.crowding(item, rank)
	if host := r.m.cost.shared.place(rank); host >= 0 {
		price += r.crowding(item, host)
	}
	platform := r.m.cost.view.Platform
	for _, peer := range r.peers {
		if int(peer.rank) != rank {
			price += r.m.cost.way(int(peer.rank), rank, peer.bytes)
		}
	}
	if int(item.home) != rank && item.state > 0 {
		price += platform.Transfer(int(item.home), rank, item.state) / r.m.value
	}
	return price
}

// crowding is what an item's work costs on a place.
func (r *autoRoom) crowding(item *autoItem, place int) float64 {
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
func (r *autoRoom) gatherPeers(item *autoItem) {
	r.peers = r.peers[:0]
	if r.m.talk.silent() {
		return
	}
	for _, pid := range item.pids {
		for _, peer := range r.m.talk.of(int(pid)) {
			rank := r.where[peer.pid]
			if rank < 0 {
				continue
			}
			at := slices.IndexFunc(r.peers, func(s autoShare) bool { return s.rank == rank })
			if at < 0 {
				r.peers = append(r.peers, autoShare{rank: rank, bytes: peer.bytes})
			} else {
				r.peers[at].bytes += peer.bytes
			}
		}
	}
}

// candidates lists the ranks worth looking at, each once.
func (r *autoRoom) candidates(item *autoItem) []int32 {
	r.turn++
	r.found = r.found[:0]
	if len(r.groups) == 0 {
		for rank := range r.totals {
			r.found = append(r.found, int32(rank))
		}
		return r.found
	}
	r.consider(item.home)
	for i := range min(placePeers, len(r.peers)) {
		r.consider(r.peers[i].rank)
	}
	for g := range r.groups {
		heap := &r.groups[g]
		if heap.phase < 0 || item.work[heap.phase]*r.m.weight[heap.phase]*2 > item.size {
			for _, rank := range heap.lowest(r) {
				r.consider(rank)
			}
		}
	}
	return r.found
}

func (r *autoRoom) consider(rank int32) {
	if r.seen[rank] != r.turn {
		r.seen[rank] = r.turn
		r.found = append(r.found, rank)
	}
}
