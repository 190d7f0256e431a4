package sim

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// point is what routes join: a host, a router or a whole zone.
type point struct {
	name string
	zone *zone // that it is in
	host int   // index, -1 if it is none
	area *zone // that it is, nil if it is none
}

// zone is a part of a platform. It knows the routes between the points in it.
type zone struct {
	name    string
	self    *point // in the zone around it
	routing routing
	routes  map[[2]*point]hop
	next    map[*point][]*point // ends of routes, for searching
	cluster *cluster            // nil if it is none

	searching sync.Mutex
	reached   map[*point]map[*point]*point // by source, from where each point is reached
	found     map[[2]*point]hop            // routes that were searched for
}

// routing is the way in which the routes in a zone are known.
type routing int

const (
	full     routing = iota // each is given
	shortest                // some are given, the others are as few links as possible
	none                    // there are none
)

// hop is a route between two points of a zone. Where these are zones, it joins their
// gateways.
type hop struct {
	links    []int
	from, to *point // gateways
}

func newZone(name string) *zone {
	return &zone{name: name, routes: make(map[[2]*point]hop), next: make(map[*point][]*point)}
}

// around returns the zone in which a zone is, nil for the outermost.
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

// path returns the links from one point to another.
func (z *zone) path(a, b *point) ([]int, error) {
	if a == b {
		return nil, nil
	}
	inA, inB := a, b
	for inA.zone.depth() > inB.zone.depth() {
		inA = inA.zone.self
	}
	for inB.zone.depth() > inA.zone.depth() {
		inB = inB.zone.self
	}
	for inA.zone != inB.zone {
		inA, inB = inA.zone.self, inB.zone.self
	}
	h, err := inA.zone.between(inA, inB)
	if err != nil {
		return nil, err
	}
	links := h.links
	if inA != a {
		before, err := z.path(a, h.from)
		if err != nil {
			return nil, err
		}
		links = append(slices.Clip(before), links...)
	}
	if inB != b {
		after, err := z.path(h.to, b)
		if err != nil {
			return nil, err
		}
		links = append(slices.Clip(links), after...)
	}
	return links, nil
}

// between returns the route between two points of the zone.
func (z *zone) between(a, b *point) (hop, error) {
	if z.cluster != nil {
		return hop{links: z.cluster.between(a, b)}, nil
	}
	if h, ok := z.routes[[2]*point{a, b}]; ok {
		return h, nil
	}
	if z.routing == shortest {
		if h, ok := z.search(a, b); ok {
			return h, nil
		}
	}
	return hop{}, fmt.Errorf("zone %s has none between %s and %s", z.name, a.name, b.name)
}

// search returns the route with the fewest links, put together from given routes.
// Where it passes through a zone, gateways on both sides of it must be the same point.
func (z *zone) search(a, b *point) (hop, bool) {
	z.searching.Lock()
	defer z.searching.Unlock()
	if h, ok := z.found[[2]*point{a, b}]; ok {
		return h, true
	}
	before := z.reached[a]
	if before == nil {
		before = z.reach(a)
		if z.reached == nil {
			z.reached, z.found = make(map[*point]map[*point]*point), make(map[[2]*point]hop)
		}
		z.reached[a] = before
	}
	if before[b] == nil {
		return hop{}, false
	}
	var way []*point
	for at := b; at != a; at = before[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	whole, at := hop{}, a
	for i, to := range way {
		part := z.routes[[2]*point{at, to}]
		if i == 0 {
			whole.from = part.from
		}
		whole.links = append(whole.links, part.links...)
		whole.to, at = part.to, to
	}
	if len(z.found) < mostFound {
		z.found[[2]*point{a, b}] = whole
	}
	return whole, true
}

// mostFound bounds the routes of a zone that are kept.
const mostFound = 1 << 20

// reached is a point on the way to others.
type reached struct {
	at           *point
	cost, number int // links to it, and the how-manieth point it is
}

// reach finds the ways from a point to all others with the fewest links. Of equally
// near points those go first that were seen first.
func (z *zone) reach(a *point) map[*point]*point {
	before, cost, number := map[*point]*point{}, map[*point]int{a: 0}, map[*point]int{}
	open := heap[reached]{before: func(x, y reached) bool {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.number, y.number)) < 0
	}}
	seen := 0
	for open.push(reached{at: a}); len(open.all) > 0; {
		nearest := open.pop()
		at := nearest.at
		if nearest.cost != cost[at] || nearest.number != number[at] {
			continue // it was reached by a shorter way since
		}
		number[at] = -1
		for _, to := range z.next[at] {
			total := cost[at] + len(z.routes[[2]*point{at, to}].links)
			known, was := cost[to]
			if was && known <= total {
				continue
			}
			if !was || number[to] < 0 {
				seen++
				number[to] = seen
			}
			cost[to], before[to] = total, at
			open.push(reached{to, total, number[to]})
		}
	}
	return before
}

// cluster is a zone of equal hosts, each with a link of its own to a backbone that may
// be missing.
type cluster struct {
	up, down map[*point]int // private links of hosts
	backbone int            // -1 if there is none
}

func newCluster() *cluster {
	return &cluster{up: make(map[*point]int), down: make(map[*point]int), backbone: -1}
}

// between returns the way from one host to another, or to or from the router.
func (c *cluster) between(a, b *point) []int {
	var links []int
	if up, ok := c.up[a]; ok {
		links = append(links, up)
	}
	if c.backbone >= 0 {
		links = append(links, c.backbone)
	}
	if down, ok := c.down[b]; ok {
		links = append(links, down)
	}
	return links
}
