package sim

import "math"

// way is a route with what matters of it.
type way struct {
	from, to int32   // hosts
	links    []int32 // that are shared, without those that never are
	latency  float64
	rate     float64 // that no message has more of
	own      float64 // the same, by links that are not shared alone
	varies   bool    // rates of its links change over time
	flow     int32   // the last one that took it
	turn     int     // of grouping, when it was last taken
	leader   int32   // the first message that took it then, -1 if no link on it is scarce
}

// bundles tells whether equal messages on the way may be treated as one flow: where
// each is limited for itself, the order in which they are would change roundings.
func (w *way) bundles() bool { return math.IsInf(w.own, 1) }

// mostWays bounds the ways that are kept, for platforms with very many pairs of hosts.
const mostWays = 1 << 21

// routes finds ways, and keeps them.
type routes struct {
	p     *Platform
	known map[[2]int32]*way
	ways  []way   // room for more
	links []int32 // room for links of ways
}

func newRoutes(p *Platform) routes { return routes{p: p, known: make(map[[2]int32]*way)} }

// way is the way from one host to another. Callers may keep it.
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
	*w = way{from: ends[0], to: ends[1], links: w.links, latency: route.Latency, rate: math.Inf(1), own: math.Inf(1)}
	for _, link := range route.Links {
		l := &r.p.Links[link]
		if len(l.Share) > 0 {
			w.varies = true
		} else {
			w.rate = min(w.rate, l.Rate)
		}
		if !l.Unlimited || len(l.Share) > 0 {
			w.links = append(w.links, int32(link))
		} else {
			w.own = min(w.own, l.Rate)
		}
	}
	r.known[ends] = w
	return w, nil
}

// room is an empty way with room for so many links.
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
