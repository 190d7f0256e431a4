package sim

import (
	"cmp"
	"math"
	"slices"
)

// flow is a number of equal messages that others slow down.
type flow struct {
	way        *way
	message    int32   // the last of its messages
	many       int32   // messages
	left       float64 // bytes of each
	begin, end float64
	rate       float64 // of each

	// For incremental:
	since   float64 // time for which left is valid
	number  int32   // among all flows
	places  []int32 // index among the flows on each link of its route
	version int32   // number of changes of its rate
	dirty   bool    // its rate has to be computed again
}

// sharing carries flows that share links.
type sharing struct {
	p        *Platform
	links    linkHeap
	rest     []float64 // by link, the rate that is not given out yet
	users    []int32   // by link, messages without a rate
	on       [][]int32 // by link, indices in active of all flows
	active   []*flow
	free     bool // no flow is limited by links that are not shared
	ownRates ownRates
}

func newSharing(p *Platform) sharing {
	n := len(p.Links)
	return sharing{p: p, links: newLinkHeap(n), rest: make([]float64, n), users: make([]int32, n), on: make([][]int32, n)}
}

// run computes the end of each flow, with links of varying rates.
func (s *sharing) run(flows []flow) {
	s.free = !slices.ContainsFunc(flows, func(f flow) bool { return !f.way.bundles() })
	slices.SortStableFunc(flows, func(a, b flow) int { return cmp.Compare(a.begin, b.begin) })
	next, now, idle := 0, 0.0, 0
	s.active = s.active[:0]
	for next < len(flows) || len(s.active) > 0 {
		if len(s.active) == 0 {
			now = flows[next].begin
		}
		for next < len(flows) && flows[next].begin <= now {
			s.active = append(s.active, &flows[next])
			next++
		}
		until := s.divide(now)
		if next < len(flows) {
			until = min(until, flows[next].begin)
		}
		idle++
		for _, f := range s.active {
			f.end = math.Inf(1)
			if f.rate > 0 {
				f.end, idle = now+f.left/f.rate, 0
			}
			until = min(until, f.end)
		}
		if math.IsInf(until, 1) || idle > mostIdle && next == len(flows) {
			return
		}
		s.advance(now, until)
		now = until
	}
}

// advance advances the time, and ends flows that finish by then, up to rounding errors.
func (s *sharing) advance(now, until float64) {
	kept := s.active[:0]
	for _, f := range s.active {
		if f.end <= until*(1+1e-15) {
			f.end = until
			continue
		}
		f.left -= f.rate * (until - now)
		kept = append(kept, f)
	}
	s.active = kept
}

// divide sets the rate of each active flow, and returns the time until which the rates hold. It fills
// links in the order of their rate per message, the smallest first.
func (s *sharing) divide(now float64) (until float64) {
	until = s.load(now)
	if !s.free {
		s.ownRates.load(s.active)
	}
	for given := 0; given < len(s.active); {
		rate, link := s.links.least()
		if !s.free {
			if i := s.ownRates.below(rate); i >= 0 {
				s.give(i, s.active[i].way.own)
				given++
				s.adjust()
				continue
			}
		}
		for _, i := range s.on[link] {
			if s.active[i].rate < 0 {
				s.give(int(i), rate)
				given++
			}
		}
		s.adjust()
	}
	return until
}

// load adds the active flows to the links of their routes.
func (s *sharing) load(now float64) (until float64) {
	until = math.Inf(1)
	s.links.clear()
	for i, f := range s.active {
		f.rate = -1
		for _, link := range f.way.links {
			if s.users[link] == 0 {
				l := &s.p.Links[link]
				value, change := l.Share.At(now)
				s.rest[link], until = l.Rate*value, min(until, change)
				s.links.add(link)
				s.on[link] = s.on[link][:0]
			}
			s.users[link] += f.many
			s.on[link] = append(s.on[link], int32(i))
		}
	}
	s.links.order(s.each)
	return until
}

// each returns the rate that a link has for each message on it that has no rate yet.
func (s *sharing) each(link int32) float64 {
	if s.p.Links[link].Unlimited {
		return s.rest[link]
	}
	return s.rest[link] / float64(s.users[link])
}

// give sets the rate of each message of a flow.
func (s *sharing) give(i int, rate float64) {
	f := s.active[i]
	f.rate = rate
	if !s.free {
		s.ownRates.remove(i)
	}
	for _, link := range f.way.links {
		s.links.touch(link)
		s.users[link] -= f.many
		if s.p.Links[link].Unlimited {
			continue
		}
		for range f.many {
			s.rest[link] = max(0, s.rest[link]-rate)
		}
	}
}

// adjust restores the order of links after a change of their rates.
func (s *sharing) adjust() {
	for _, link := range s.links.touched {
		if s.users[link] == 0 {
			s.links.remove(link)
		} else {
			s.links.set(link, s.each(link))
		}
	}
	s.links.touched = s.links.touched[:0]
}

// linkHeap keeps links in a heap, ordered by value; links with equal values are ordered by insertion.
type linkHeap struct {
	heap    []int32
	at      []int32   // by link, its index in the heap
	value   []float64 // by link
	number  []int32   // by link, the how-manieth it is
	touched []int32   // links whose values are no longer right, each once
	marked  []bool    // by link: it is touched
}

func newLinkHeap(links int) linkHeap {
	return linkHeap{at: make([]int32, links), value: make([]float64, links), number: make([]int32, links), marked: make([]bool, links)}
}

func (s *linkHeap) clear() { s.heap = s.heap[:0] }

// add adds a link; order puts it at its position.
func (s *linkHeap) add(link int32) {
	s.at[link], s.number[link] = int32(len(s.heap)), int32(len(s.heap))
	s.heap = append(s.heap, link)
}

// order restores the heap's order of all added links.
func (s *linkHeap) order(value func(link int32) float64) {
	for _, link := range s.heap {
		s.value[link] = value(link)
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(int32(i))
	}
}

// least returns the first link with its value; there must be one.
func (s *linkHeap) least() (value float64, link int32) {
	link = s.heap[0]
	return s.value[link], link
}

// touch notes that a link's value is no longer right.
func (s *linkHeap) touch(link int32) {
	if !s.marked[link] {
		s.marked[link] = true
		s.touched = append(s.touched, link)
	}
}

// set sets the value of a touched link.
func (s *linkHeap) set(link int32, value float64) {
	s.marked[link] = false
	s.value[link] = value
	s.up(s.at[link])
	s.down(s.at[link])
}

// remove removes a touched link.
func (s *linkHeap) remove(link int32) {
	s.marked[link] = false
	at, last := s.at[link], s.heap[len(s.heap)-1]
	s.heap = s.heap[:len(s.heap)-1]
	if last != link {
		s.heap[at], s.at[last] = last, at
		s.up(at)
		s.down(s.at[last])
	}
}

func (s *linkHeap) before(a, b int32) bool {
	if s.value[a] != s.value[b] {
		return s.value[a] < s.value[b]
	}
	return s.number[a] < s.number[b]
}

func (s *linkHeap) up(i int32) {
	for i > 0 && s.before(s.heap[i], s.heap[(i-1)/2]) {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *linkHeap) down(i int32) {
	for {
		child := 2*i + 1
		if child+1 < int32(len(s.heap)) && s.before(s.heap[child+1], s.heap[child]) {
			child++
		}
		if child >= int32(len(s.heap)) || !s.before(s.heap[child], s.heap[i]) {
			return
		}
		s.swap(i, child)
		i = child
	}
}

func (s *linkHeap) swap(i, j int32) {
	a, b := s.heap[i], s.heap[j]
	s.heap[i], s.heap[j], s.at[a], s.at[b] = b, a, j, i
}

// ownRates finds flows by their own rates, which links that are not shared let them have:
// a tree of least values.
type ownRates struct {
	leaves int
	least  []float64 // least[1] is the root, least[leaves+i] the leaf of flow i
}

// load adds the flows.
func (o *ownRates) load(flows []*flow) {
	for o.leaves = 1; o.leaves < len(flows); {
		o.leaves *= 2
	}
	o.least = slices.Grow(o.least[:0], 2*o.leaves)[:2*o.leaves]
	for i := range o.leaves {
		o.least[o.leaves+i] = math.Inf(1)
		if i < len(flows) {
			o.least[o.leaves+i] = flows[i].way.own
		}
	}
	for node := o.leaves - 1; node >= 1; node-- {
		o.least[node] = min(o.least[2*node], o.least[2*node+1])
	}
}

// below returns the first flow whose own rate is below the given rate, or -1.
func (o *ownRates) below(rate float64) int {
	if !(o.least[1] < rate) {
		return -1
	}
	node := 1
	for node < o.leaves {
		if node *= 2; !(o.least[node] < rate) {
			node++
		}
	}
	return node - o.leaves
}

// remove removes a flow.
func (o *ownRates) remove(i int) {
	node := o.leaves + i
	o.least[node] = math.Inf(1)
	for node /= 2; node >= 1; node /= 2 {
		o.least[node] = min(o.least[2*node], o.least[2*node+1])
	}
}
