package sim

import (
	"cmp"
	"math"
	"slices"
)

// incremental carries very many flows with few active at a time. sharing recomputes the rates of all
// flows whenever one begins or ends; incremental recomputes only the flows whose rates may change,
// and keeps the ends of all in a heap. The rates of links must not change over time.
type incremental struct {
	p     *Platform
	share *sharing
	need  []float64   // by link, the rates that its active flows could have at once
	on    [][]passing // by link, active flows
	seen  []bool      // by link, in spread
	queue []int32     // links, in spread
	under int         // active flows
	dirty []*flow     // flows whose rates have to be computed again
	ends  heap[ending]

	order  []*flow // by when they begin
	places []int32 // of all flows that have begun
}

// passing is a flow on the k-th link of its route.
type passing struct {
	*flow
	k int
}

// ending is the time when a flow ends unless its rate changes before.
type ending struct {
	at float64
	*flow
	version int32
}

func newIncremental(p *Platform, share *sharing) *incremental {
	n := len(p.Links)
	return &incremental{
		p: p, share: share, need: make([]float64, n), on: make([][]passing, n), seen: make([]bool, n),
		ends: heap[ending]{before: func(a, b ending) bool { return cmp.Or(cmp.Compare(a.at, b.at), int(a.number-b.number)) < 0 }},
	}
}

// run finds when each flow ends.
func (l *incremental) run(flows []flow) {
	l.sortFlows(flows)
	l.share.free = !slices.ContainsFunc(flows, func(f flow) bool { return !f.way.bundles() })
	l.ends.all = l.ends.all[:0]
	for waiting := l.order; len(waiting) > 0 || l.under > 0; {
		now := l.next()
		if len(waiting) > 0 {
			now = min(now, waiting[0].begin)
		}
		var gone []*flow
		for len(l.ends.all) > 0 && l.ends.all[0].at <= now*(1+1e-15) {
			if e := l.ends.pop(); e.version == e.flow.version {
				e.flow.version, e.end = -1, now
				gone = append(gone, e.flow)
			}
		}
		l.dirty = append(l.dirty[:0], gone...)
		for ; len(waiting) > 0 && waiting[0].begin <= now; waiting = waiting[1:] {
			l.enter(waiting[0], now)
		}
		l.spread()
		for _, f := range gone {
			l.leave(f)
		}
		l.divide(now)
	}
}

// sortFlows sorts flows by their begin, and allocates their positions.
func (l *incremental) sortFlows(flows []flow) {
	l.order, l.places = l.order[:0], l.places[:0]
	links := 0
	for i := range flows {
		flows[i].number = int32(i)
		l.order = append(l.order, &flows[i])
		links += len(flows[i].way.links)
	}
	l.places = slices.Grow(l.places, links)
	slices.SortFunc(l.order, func(a, b *flow) int { return cmp.Or(cmp.Compare(a.begin, b.begin), int(a.number-b.number)) })
}

// next returns the time when the next flow ends.
func (l *incremental) next() float64 {
	if len(l.ends.all) > 4*l.under+1024 {
		kept := slices.DeleteFunc(l.ends.all, func(e ending) bool { return e.version != e.flow.version })
		l.ends.all = l.ends.all[:0]
		for _, e := range kept {
			l.ends.push(e)
		}
	}
	for len(l.ends.all) > 0 {
		if e := l.ends.all[0]; e.version == e.flow.version {
			return e.at
		}
		l.ends.pop()
	}
	return math.Inf(1)
}

// enter adds a flow to the links of its route.
func (l *incremental) enter(f *flow, now float64) {
	f.since, f.rate, f.version = now, 0, 0
	from, to := len(l.places), len(l.places)+len(f.way.links)
	l.places = l.places[:to]
	f.places = l.places[from:to:to]
	for k, link := range f.way.links {
		f.places[k] = int32(len(l.on[link]))
		l.on[link] = append(l.on[link], passing{f, k})
		l.need[link] += f.way.rate * float64(f.many)
	}
	l.under++
	l.dirty = append(l.dirty, f)
}

// leave removes a flow from the links of its route.
func (l *incremental) leave(f *flow) {
	for k, link := range f.way.links {
		on := l.on[link]
		last := on[len(on)-1]
		on[f.places[k]] = last
		last.places[last.k] = f.places[k]
		l.on[link] = on[:len(on)-1]
		if l.need[link] -= f.way.rate * float64(f.many); len(on) == 1 {
			l.need[link] = 0
		}
	}
	l.under--
}

// spread makes dirty every flow that shares with a dirty flow a link that is too slow for
// all its flows, and so on.
func (l *incremental) spread() {
	for _, f := range l.dirty {
		f.dirty = true
	}
	l.queue = l.queue[:0]
	for i := 0; i < len(l.dirty); i++ {
		for _, link := range l.dirty[i].way.links {
			if l.seen[link] || l.need[link] <= l.p.Links[link].Rate {
				continue
			}
			l.seen[link] = true
			l.queue = append(l.queue, link)
			for _, other := range l.on[link] {
				if !other.dirty {
					other.dirty = true
					l.dirty = append(l.dirty, other.flow)
				}
			}
		}
	}
	for _, link := range l.queue {
		l.seen[link] = false
	}
}

// divide computes the rates of the dirty flows that are still active.
func (l *incremental) divide(now float64) {
	active := l.share.active[:0]
	for _, f := range l.dirty {
		f.dirty = false
		if f.version < 0 {
			continue
		}
		f.left = max(0, f.left-f.rate*(now-f.since))
		f.since = now
		active = append(active, f)
	}
	slices.SortFunc(active, func(a, b *flow) int { return int(a.number - b.number) })
	l.share.active = active
	l.share.divide(now)
	for _, f := range active {
		f.version++
		l.ends.push(ending{now + f.left/f.rate, f, f.version})
	}
	l.share.active = active[:0]
}

// heap keeps values in order: pop returns the first of them.
type heap[T any] struct {
	all    []T
	before func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.all = append(h.all, x)
	for i := len(h.all) - 1; i > 0 && h.before(h.all[i], h.all[(i-1)/2]); i = (i - 1) / 2 {
		h.all[i], h.all[(i-1)/2] = h.all[(i-1)/2], h.all[i]
	}
}

// pop removes the first element of a non-empty heap.
func (h *heap[T]) pop() T {
	first, last := h.all[0], len(h.all)-1
	h.all[0] = h.all[last]
	h.all = h.all[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && h.before(h.all[child+1], h.all[child]) {
			child++
		}
		if child >= last || !h.before(h.all[child], h.all[i]) {
			return first
		}
		h.all[i], h.all[child] = h.all[child], h.all[i]
		i = child
	}
}
