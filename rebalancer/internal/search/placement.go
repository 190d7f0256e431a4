package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	// placeAll is up to how many ranks all are looked at for every process; beyond, placeRanks
	// of all groups of ranks together, placePeers of peers, and placeMore while limits are
	// exceeded.
	placeAll   = 24
	placeRanks = 8
	placePeers = 8
	placeMore  = 16
	// placeOver is how much dearer time beyond a limit is.
	placeOver = 8
	// heapGroups and heapFactor part ranks by Set and speed: into no more groups, and speeds
	// that differ by less are alike.
	heapGroups = 8
	heapFactor = 1.25
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
	perLimit []float64 // by phase: 1 over the time that ranks should keep within
	steep    []float64 // by phase: what the fourth power of a part of that time weighs
	groups   []rankHeap
	seen     []int32 // by rank: the last item for which it was a candidate
	turn     int32
	cursor   int // the last rank that was looked at for want of a better one
	found    []int32
	peers    []share
}

// share is traffic with what is on one rank, in both directions together.
type share struct {
	rank  int32
	bytes int64
}

// newPlacement starts from the processes that stay where they are; where is -1
// for the others. Ranks should keep within the target times the lower bound.
func newPlacement(m *instance, where []int32, target float64) *placement {
	n := len(m.cost.Rates)
	r := &placement{
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
		r.groups = newRankHeaps(r)
	}
	return r
}

// put counts a process on a rank.
func (r *placement) put(pid, rank int) {
	for place := range r.m.cost.Shared.Counts(rank) {
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
func (r *placement) place(items []item) {
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
func (r *placement) choose(item *item) int {
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

// exceeds reports whether a rank would be over a limit with an item.
func (r *placement) exceeds(item *item, rank int) bool {
	for place := range r.m.cost.Shared.Counts(rank) {
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
func (r *placement) price(item *item, rank int) float64 {
	price := 0.0
	for place := range r.m.cost.Shared.Counts(rank) {
		price += r.crowding(item, place)
	}
	for _, peer := range r.peers {
		if int(peer.rank) != rank {
			price += r.m.cost.Way(int(peer.rank), rank, peer.bytes)
		}
	}
	if int(item.home) != rank && item.state > 0 {
		price += r.m.cost.Platform.Transfer(int(item.home), rank, item.state) / r.m.value
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
	if r.m.talk.silent() {
		return
	}
	for _, pid := range item.pids {
		for _, peer := range r.m.talk.of(int(pid)) {
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

// candidates lists the ranks worth looking at, each once.
func (r *placement) candidates(item *item) []int32 {
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

func (r *placement) consider(rank int32) {
	if r.seen[rank] != r.turn {
		r.seen[rank] = r.turn
		r.found = append(r.found, rank)
	}
}

// item is a group of processes that are placed together.
type item struct {
	pids  []int32
	work  []float64 // by phase
	size  float64
	state int64
	home  int32 // where most of its state is
}

// singles makes an item of each process.
func (m *instance) singles(pids []int32) []item {
	items := make([]item, len(pids))
	for i, pid := range pids {
		items[i] = item{
			pids: pids[i : i+1], work: m.row(int(pid)), size: m.size[pid],
			state: m.state[pid], home: m.home[pid],
		}
	}
	return items
}

// largestFirst is the order of the items by size, of equal ones by first pid.
func largestFirst(items []item) []int32 {
	type key struct {
		size   float64
		pid, i int32
	}
	keys := make([]key, len(items))
	for i := range items {
		keys[i] = key{size: items[i].size, pid: items[i].pids[0], i: int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.pid, b.pid))
	})
	order := make([]int32, len(keys))
	for i, k := range keys {
		order[i] = k.i
	}
	return order
}

// rankHeap keeps ranks by load, in one phase or in all. Keys may be older, and
// so smaller, than the loads; they are renewed when they come to the front.
type rankHeap struct {
	phase int // -1 for the weighted load
	front int // ranks that are looked at
	ranks []int32
	keys  []float64
}

// newRankHeaps has a heap for each group of similar ranks and one for each
// phase.
func newRankHeaps(r *placement) []rankHeap {
	groups := map[int][]int32{}
	var all []int32
	for rank, usable := range r.m.usable {
		if usable {
			key := heapKey(r.m, rank)
			groups[key] = append(groups[key], int32(rank))
			all = append(all, int32(rank))
		}
	}
	var heaps []rankHeap
	if len(groups) > heapGroups {
		heaps = newSpeedHeaps(r, all)
	} else {
		for _, key := range slices.Sorted(maps.Keys(groups)) {
			heaps = append(heaps, newRankHeap(r, groups[key], -1, max(1, placeRanks/len(groups))))
		}
	}
	if r.m.phases > 1 {
		for f := range r.m.phases {
			heaps = append(heaps, newRankHeap(r, all, f, placeRanks))
		}
	}
	return heaps
}

// heapKey is the same for ranks of one Set that are about as fast.
func heapKey(m *instance, rank int) int {
	class := int(math.Round(math.Log(m.fast[rank]) / math.Log(heapFactor)))
	return m.cost.Platform.Ranks[rank].Set<<16 + class&0xFFFF
}

// newSpeedHeaps parts the ranks by speed alone into groups of equal number.
func newSpeedHeaps(r *placement, ranks []int32) []rankHeap {
	sorted := slices.Clone(ranks)
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.m.fast[a], r.m.fast[b]), cmp.Compare(a, b))
	})
	var heaps []rankHeap
	for part := range slices.Chunk(sorted, (len(sorted)+heapGroups-1)/heapGroups) {
		heaps = append(heaps, newRankHeap(r, part, -1, max(1, placeRanks/heapGroups)))
	}
	return heaps
}

func newRankHeap(r *placement, ranks []int32, phase, front int) rankHeap {
	h := rankHeap{phase: phase, front: front, ranks: slices.Clone(ranks), keys: make([]float64, len(ranks))}
	for i, rank := range h.ranks {
		h.keys[i] = h.key(r, rank)
	}
	for i := len(h.ranks)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	return h
}

func (h *rankHeap) key(r *placement, rank int32) float64 {
	if h.phase < 0 {
		return r.totals[rank] * r.m.fast[rank]
	}
	return r.loads[int(rank)*r.m.phases+h.phase] * r.m.fast[rank]
}

// lowest returns ranks at the front of the heap: the least loaded and others
// that are hardly more so.
func (h *rankHeap) lowest(r *placement) []int32 {
	n := min(h.front, len(h.ranks))
	for i := n - 1; i >= 0; i-- {
		if key := h.key(r, h.ranks[i]); key != h.keys[i] {
			h.keys[i] = key
			h.sink(i)
		}
	}
	return h.ranks[:n]
}

func (h *rankHeap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.keys) {
			return
		}
		if child+1 < len(h.keys) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h.keys[i], h.keys[child] = h.keys[child], h.keys[i]
		h.ranks[i], h.ranks[child] = h.ranks[child], h.ranks[i]
		i = child
	}
}

func (h *rankHeap) less(i, j int) bool {
	return h.keys[i] < h.keys[j] || (h.keys[i] == h.keys[j] && h.ranks[i] < h.ranks[j])
}
