package sim

import (
	"math"
	"slices"
)

// message is a message from one host to another.
type message struct {
	from, to   int
	bytes      float64
	begin, end float64
}

// network carries messages of one time, which share links: each link gives all
// messages on it the same rate, except where another link keeps a message from using
// its rate: the others share the rest (max-min fairness). A message uses links from the
// time on that its route's latency is over.
type network struct {
	p           *Platform
	routes      routes
	ways        []*way    // by message, nil on a host
	used        []int32   // links
	most        []float64 // by link, the rates that all messages could have at once
	groups      grouping
	flows       []flow
	next        []int32 // by message, another of the same flow, or -1
	share       sharing
	incremental *incremental // nil unless messages are very many
}

func newNetwork(p *Platform) *network {
	return &network{
		p: p, routes: newRoutes(p), most: make([]float64, len(p.Links)),
		groups: newGrouping(p), share: newSharing(p),
	}
}

// carry finds when each message has arrived.
func (n *network) carry(messages []message) error {
	if err := n.prepare(messages); err != nil {
		return err
	}
	n.next = slices.Grow(n.next[:0], len(messages))[:len(messages)]
	n.groups.each(n.ways, n.most, func(group []int32) {
		if len(group) > 1 || !carryAlone(&messages[group[0]], n.ways[group[0]]) {
			n.carryShared(messages, group)
		}
	})
	return nil
}

// prepare finds the routes of messages, and the rate that each link would carry if no other
// limited them.
func (n *network) prepare(messages []message) error {
	for _, link := range n.used {
		n.most[link] = 0
	}
	n.used = n.used[:0]
	known := len(n.ways)
	n.ways = slices.Grow(n.ways, max(0, len(messages)-known))[:len(messages)]
	for i := range messages {
		m := &messages[i]
		if m.from == m.to && !n.p.loops {
			n.ways[i] = nil
			continue
		}
		w := n.ways[i]
		if i >= known || w == nil || w.from != int32(m.from) || w.to != int32(m.to) {
			var err error
			if w, err = n.routes.way(m.from, m.to); err != nil {
				n.ways = n.ways[:0]
				return err
			}
			n.ways[i] = w
		}
		for _, link := range w.links {
			if n.most[link] == 0 {
				n.used = append(n.used, link)
			}
			n.most[link] += w.rate
		}
	}
	return nil
}

// carryAlone finishes a message that shares no link, unless its links change over time.
func carryAlone(m *message, w *way) bool {
	switch {
	case w == nil:
		m.end = m.begin
	case w.varies:
		return false
	case m.bytes > 0:
		m.end = w.start(m.begin) + m.bytes/w.rate
	default:
		m.end = w.start(m.begin)
	}
	return true
}

// carryShared carries messages that may slow each other down. Equal messages at the same
// time are one flow.
func (n *network) carryShared(messages []message, group []int32) {
	n.flows = n.flows[:0]
	for _, i := range group {
		m, w := &messages[i], n.ways[i]
		begin := w.start(m.begin)
		n.next[i] = -1
		if at := int(w.flow); at < len(n.flows) && w.bundles() {
			if f := &n.flows[at]; f.way == w && f.left == m.bytes && f.begin == begin {
				n.next[i], f.message = f.message, i
				f.many++
				continue
			}
		}
		w.flow = int32(len(n.flows))
		n.flows = append(n.flows, flow{way: w, many: 1, left: m.bytes, begin: begin, message: i})
	}
	if len(n.flows) > n.groups.many && !slices.ContainsFunc(n.flows, func(f flow) bool { return f.way.varies }) {
		if n.incremental == nil {
			n.incremental = newIncremental(n.p, &n.share)
		}
		n.incremental.run(n.flows)
	} else {
		n.share.run(n.flows)
	}
	for k := range n.flows {
		for i := n.flows[k].message; i >= 0; i = n.next[i] {
			messages[i].end = n.flows[k].end
		}
	}
}

// way is a route with its figures for a simulation.
type way struct {
	from, to int32      // hosts
	links    []int32    // that messages share
	latency  float64    // of constant links
	delays   []*Profile // latencies of the others
	rate     float64    // that no message has more of
	own      float64    // the same, by links that are not shared alone
	varies   bool       // rates of its links change over time
	flow     int32      // the last flow on the route
	turn     int        // of grouping, when it was last taken
	leader   int32      // the first message that took it then, -1 if no link on it is scarce
}

// start returns the time from which a message uses the links.
func (w *way) start(begin float64) float64 {
	start := begin + w.latency
	for _, p := range w.delays {
		delay, _ := p.At(begin)
		start += delay
	}
	return start
}

// bundles reports whether equal messages on the route may be one flow: if each has a limit
// of its own, the order of messages would change roundings.
func (w *way) bundles() bool { return math.IsInf(w.own, 1) }

// mostWays bounds the routes that are kept, for platforms with very many pairs of hosts.
const mostWays = 1 << 21

// routes finds routes, and keeps them.
type routes struct {
	p     *Platform
	known map[[2]int32]*way
	ways  []way   // room for more
	links []int32 // memory for the links of routes
}

func newRoutes(p *Platform) routes { return routes{p: p, known: make(map[[2]int32]*way)} }

// way returns the route from one host to another. Callers may keep it.
func (r *routes) way(from, to int) (*way, error) {
	ends := [2]int32{int32(from), int32(to)}
	if w := r.known[ends]; w != nil {
		return w, nil
	}
	route, err := r.p.Route(from, to)
	if err != nil {
		return nil, err
	}
	if len(r.known) >= mostWays {
		clear(r.known)
	}
	w := r.room(len(route.Links))
	*w = way{from: ends[0], to: ends[1], links: w.links, rate: math.Inf(1), own: math.Inf(1)}
	for _, link := range route.Links {
		l := &r.p.Links[link]
		if l.Delay == nil {
			w.latency += l.Latency
		} else {
			w.delays = append(w.delays, l.Delay)
		}
		passes := 1.0 // passes of the link so far: each takes a part of its rate
		if !l.Unlimited || len(l.Share) > 0 {
			for _, other := range w.links {
				if other == int32(link) && !l.Unlimited {
					passes++
				}
			}
			w.links = append(w.links, int32(link))
		} else {
			w.own = min(w.own, l.Rate)
		}
		if len(l.Share) > 0 {
			w.varies = true
		} else {
			w.rate = min(w.rate, l.Rate/passes)
		}
	}
	r.known[ends] = w
	return w, nil
}

// room returns an empty route with room for a number of links.
func (r *routes) room(links int) *way {
	const some = 1 << 10
	if len(r.ways) == 0 {
		r.ways = make([]way, some)
	}
	if len(r.links) < links {
		r.links = make([]int32, max(8*some, links))
	}
	w := &r.ways[0]
	w.links, r.links = r.links[:0:links], r.links[links:]
	r.ways = r.ways[1:]
	return w
}
