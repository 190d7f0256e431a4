package sim

import (
	"cmp"
	"math"
	"slices"
)

// flow is a number of equal messages that others slow down.
type flow struct {
	way        *way
	message    int32   // the last of them
	many       int32   // of them
	left       float64 // bytes of each
	begin, end float64
	rate       float64 // of each

	// For lively: from when on left is right, the flow's place among all, where it is
	// among those on each link of its way, how often its rate has changed, and whether
	// it is to do so again.
	since   float64
	number  int32
	places  []int32
	version int32
	dirty   bool
}

// sharing carries flows that share links.
type sharing struct {
	p      *Platform
	links  scarcity
	rest   []float64 // by link, the rate that is not given out yet
	users  []int32   // by link, messages without a rate
	on     [][]int32 // by link, indices in active of all flows
	active []*flow
	free   bool // no flow is limited by links that are not shared
	owns   owns
}

func newSharing(p *Platform) sharing {
	n := len(p.Links)
	return sharing{p: p, links: newScarcity(n), rest: make([]float64, n), users: make([]int32, n), on: make([][]int32, n)}
}

// run finds when each flow ends. Links of varying rates count as they are.
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

// advance lets time pass; flows that have less left than rounding ends.
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

// divide gives each active flow its rate, and tells until when it holds: link after
// link, the one that has least for each of its messages first.
func (s *sharing) divide(now float64) (until float64) {
	until = s.load(now)
	if !s.free {
		s.owns.load(s.active)
	}
	for given := 0; given < len(s.active); {
		rate, link := s.links.least()
		if !s.free {
			if i := s.owns.below(rate); i >= 0 {
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

// load puts the active flows on the links of their ways.
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

// each is what a link has for each message on it that has no rate yet.
func (s *sharing) each(link int32) float64 {
	if s.p.Links[link].Unlimited {
		return s.rest[link]
	}
	return s.rest[link] / float64(s.users[link])
}

// give gives each message of a flow a rate.
func (s *sharing) give(i int, rate float64) {
	f := s.active[i]
	f.rate = rate
	if !s.free {
		s.owns.remove(i)
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

// adjust puts links in order again from which something was given.
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
