package sim

import (
	"fmt"
	"slices"
	"sync"
)

// point is an end of a route: a host, a router or a whole zone.
type point struct {
	name   string
	zone   *zone // that it is in
	number int   // the how-manieth point of that zone it is
	host   int   // index, -1 if it is none
	area   *zone // that it is, nil if it is none
}

// zone is a part of a platform. It contains the routes between its points.
type zone struct {
	name    string
	self    *point // in the zone around it
	points  int
	routing routing
	routes  map[[2]*point]hop
	bypass  map[[2]*point]hop // routes that replace found ones
	given   graph             // of the routes, for searching
	cluster *cluster          // nil if it is none

	searching sync.Mutex
	ways      ways                     // nil until the first search
	found     map[[2]*point]foundRoute // routes that were searched for
}

// routing is the method by which a zone finds its routes.
type routing int

const (
	full     routing = iota // each is given
	floyd                   // some are given, all are as few links as possible
	dijkstra                // the same, with another choice among equals
	none                    // no routes
)

// searches reports whether routes are composed of declared ones.
func (z *zone) searches() bool { return z.routing == floyd || z.routing == dijkstra }

// hop is a route between two points of a zone. Where these are zones, it joins their
// gateways.
type hop struct {
	links    []int
	from, to *point // gateways
}

func newZone(name string) *zone {
	return &zone{name: name, routes: make(map[[2]*point]hop)}
}

// around returns the enclosing zone, nil for the outermost.
func (z *zone) around() *zone {
	if z.self == nil {
		return nil
	}
	return z.self.zone
}

// depth returns the number of zones around a zone.
func (z *zone) depth() int {
	n := 0
	for z = z.around(); z != nil; z = z.around() {
		n++
	}
	return n
}

// add adds a route. The first of several counts, and a route declared for both directions does not
// replace a route declared for one.
func (z *zone) add(from, to *point, h hop) {
	ends := [2]*point{from, to}
	if _, known := z.routes[ends]; known {
		return
	}
	z.routes[ends] = h
	if z.searches() {
		z.given.add(from, to, len(h.links))
	}
}

// path returns the links from one point to another. Points in different zones are joined by
// the route between the two surrounding zones that lie in the same zone; from its gateways
// the path continues inside them.
func path(a, b *point) ([]int, error) {
	if a == b {
		return nil, nil
	}
	inA, inB := common(a, b)
	h, known := inA.zone.bypassed(a, b)
	if !known {
		var err error
		if h, err = inA.zone.between(inA, inB); err != nil {
			return nil, err
		}
	}
	before, err := path(a, h.from)
	if err != nil {
		return nil, err
	}
	after, err := path(h.to, b)
	if err != nil {
		return nil, err
	}
	return slices.Concat(before, h.links, after), nil
}

// common returns the points of the innermost zone with both a and b that are or contain
// them.
func common(a, b *point) (inA, inB *point) {
	for inA, inB = a, b; inA.zone != inB.zone; {
		switch deeper := inA.zone.depth() - inB.zone.depth(); {
		case deeper > 0:
			inA = inA.zone.self
		case deeper < 0:
			inB = inB.zone.self
		default:
			inA, inB = inA.zone.self, inB.zone.self
		}
	}
	return inA, inB
}

// bypassed returns the route that replaces others between two points anywhere in the zone:
// between the points, or between zones around them, innermost first.
func (z *zone) bypassed(a, b *point) (hop, bool) {
	if len(z.bypass) == 0 {
		return hop{}, false
	}
	if a.zone == z && b.zone == z {
		h, ok := z.bypass[[2]*point{a, b}]
		return h, ok
	}
	ofA, ofB := z.within(a), z.within(b)
	for most := range max(len(ofA), len(ofB)) {
		for less := range most + 1 {
			for _, at := range [2][2]int{{less, most}, {most, less}} {
				if at[0] < len(ofA) && at[1] < len(ofB) {
					if h, ok := z.bypass[[2]*point{ofA[at[0]], ofB[at[1]]}]; ok {
						return h, true
					}
				}
			}
		}
	}
	return hop{}, false
}

// within returns the zones around a point that are in the zone, as points, the innermost
// first.
func (z *zone) within(p *point) []*point {
	var zones []*point
	for at := p.zone; at != z; at = at.around() {
		zones = append(zones, at.self)
	}
	return zones
}

// between returns the route between two points of the zone.
func (z *zone) between(a, b *point) (hop, error) {
	if z.cluster != nil {
		return hop{links: z.cluster.between(a, b), from: a, to: b}, nil
	}
	if z.searches() {
		return z.search(a, b)
	}
	if h, ok := z.routes[[2]*point{a, b}]; ok {
		return h, nil
	}
	return hop{}, z.noRoute(a, b)
}

func (z *zone) noRoute(a, b *point) error {
	return fmt.Errorf("zone %s has none between %s and %s", z.name, a.name, b.name)
}

// loop returns the links of a message from a host to itself, none if the zone has no loop.
func (p *point) loop() []int {
	if h, ok := p.zone.bypass[[2]*point{p, p}]; ok {
		return h.links
	}
	if c := p.zone.cluster; c != nil {
		if link, ok := c.loop[p]; ok {
			return []int{link}
		}
	}
	given, ok := p.zone.routes[[2]*point{p, p}]
	if ok && p.zone.routing == floyd {
		given, _ = p.zone.search(p, p) // which may be shorter over a neighbour
	}
	return given.links
}

// foundRoute is the result of a search.
type foundRoute struct {
	hop
	err error
}

// mostFound bounds the routes of a zone that are kept.
const mostFound = 1 << 20

// search returns the route with the fewest links, composed of given routes: their own links
// count, links inside zones on the path do not.
func (z *zone) search(a, b *point) (hop, error) {
	z.searching.Lock()
	defer z.searching.Unlock()
	ends := [2]*point{a, b}
	if known, ok := z.found[ends]; ok {
		return known.hop, known.err
	}
	if z.ways == nil {
		z.ways, z.found = z.given.search(z.routing), make(map[[2]*point]foundRoute)
	}
	h, err := z.join(z.ways.way(a, b))
	if err == nil && h.from == nil {
		err = z.noRoute(a, b)
	}
	if len(z.found) < mostFound {
		z.found[ends] = foundRoute{h, err}
	}
	return h, err
}

// join composes routes to one. Where it passes through a zone, a path inside leads from one
// gateway to the other.
func (z *zone) join(way []*point) (hop, error) {
	var whole hop
	for i := 1; i < len(way); i++ {
		part := z.routes[[2]*point{way[i-1], way[i]}]
		if i == 1 {
			whole.from = part.from
		} else {
			inside, err := path(whole.to, part.from)
			if err != nil {
				return hop{}, err
			}
			whole.links = append(whole.links, inside...)
		}
		whole.links, whole.to = append(whole.links, part.links...), part.to
	}
	return whole, nil
}

// cluster is a zone of equal hosts, each with its own link to a backbone, which may be
// missing.
type cluster struct {
	up, down map[*point]int // private links of hosts
	limit    map[*point]int // links that all messages of a host share
	loop     map[*point]int // links of messages from a host to itself
	backbone int            // -1 without one
}

func newCluster() *cluster {
	return &cluster{
		up: make(map[*point]int), down: make(map[*point]int),
		limit: make(map[*point]int), loop: make(map[*point]int), backbone: -1,
	}
}

// between returns the links from one host to another, or to or from the router. A link that
// leads up and down is passed once.
func (c *cluster) between(a, b *point) []int {
	var links []int
	pass := func(of map[*point]int, p *point) {
		if link, ok := of[p]; ok && !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	pass(c.limit, a)
	pass(c.up, a)
	if c.backbone >= 0 {
		links = append(links, c.backbone)
	}
	pass(c.down, b)
	pass(c.limit, b)
	return links
}
