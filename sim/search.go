package sim

import (
	"cmp"
	"math"
	"slices"
)

// graph is the given routes of a zone, whose points are vertices.
type graph struct {
	at       map[*point]int
	vertices []*point // in the order of first use in routes
	edges    [][]edge // by vertex
}

// edge is a route to a vertex, with the number of its links.
type edge struct{ to, links int }

// add adds a route.
func (g *graph) add(from, to *point, links int) {
	a := g.vertex(from)
	b := g.vertex(to)
	g.edges[a] = append(g.edges[a], edge{b, links})
}

func (g *graph) vertex(p *point) int {
	if at, ok := g.at[p]; ok {
		return at
	}
	if g.at == nil {
		g.at = make(map[*point]int)
	}
	at := len(g.vertices)
	g.at[p] = at
	g.vertices, g.edges = append(g.vertices, p), append(g.edges, nil)
	return at
}

// ways are the shortest paths through a graph.
type ways interface {
	// way returns the points of the shortest path, or nil. From a point to itself it is the path with
	// at least one edge.
	way(a, b *point) []*point
}

// mostFloyd is the number of vertices up to which all paths are found at once: the time grows with
// its third power, and takes seconds at this number.
const mostFloyd = 2048

// search returns the shortest paths. Several may be equally short, and each routing has its
// own choice among them, which is SimGrid's: platforms are made with it in mind, and it
// decides which messages share a link.
func (g *graph) search(r routing) ways {
	if r == floyd && len(g.vertices) <= mostFloyd {
		return newAllWays(g)
	}
	return &waysFrom{g: g, before: make(map[int][]int32)}
}

// back returns the path to b, given the predecessor of each vertex; -1 is none.
func (g *graph) back(before []int32, a, b int) []*point {
	way := []*point{g.vertices[b]}
	for at := int(before[b]); at >= 0 && len(way) <= len(before); at = int(before[at]) {
		way = append(way, g.vertices[at])
		if at == a {
			slices.Reverse(way)
			return way
		}
	}
	return nil
}

// allWays finds paths by Floyd's algorithm, with vertices in the order of the file: a path over
// another vertex replaces a longer path, but not an equally long one.
type allWays struct {
	g      *graph
	before [][]int32 // by source and vertex
}

func newAllWays(g *graph) *allWays {
	n := len(g.vertices)
	ordered := make([]int, n)
	for i := range ordered {
		ordered[i] = i
	}
	slices.SortFunc(ordered, func(a, b int) int { return cmp.Compare(g.vertices[a].number, g.vertices[b].number) })
	w, cost := &allWays{g: g, before: make([][]int32, n)}, make([][]int64, n)
	for a := range n {
		w.before[a], cost[a] = make([]int32, n), make([]int64, n)
		for b := range n {
			w.before[a][b], cost[a][b] = -1, math.MaxInt64
		}
		for _, e := range g.edges[a] {
			w.before[a][e.to], cost[a][e.to] = int32(a), int64(e.links)
		}
	}
	for _, c := range ordered {
		for _, a := range ordered {
			toC := cost[a][c]
			if toC == math.MaxInt64 {
				continue
			}
			for b, fromC := range cost[c] {
				if fromC != math.MaxInt64 && toC+fromC < cost[a][b] {
					cost[a][b], w.before[a][b] = toC+fromC, w.before[c][b]
				}
			}
		}
	}
	return w
}

func (w *allWays) way(a, b *point) []*point {
	from, ok := w.g.at[a]
	to, known := w.g.at[b]
	if !ok || !known {
		return nil
	}
	return w.g.back(w.before[from], from, to)
}

// waysFrom finds paths by Dijkstra's algorithm, from one source at a time. Among equally near
// vertices, the first one used in routes comes first.
type waysFrom struct {
	g      *graph
	before map[int][]int32 // by source
}

// reached is a vertex that a search has reached.
type reached struct{ at, cost int }

func (w *waysFrom) way(a, b *point) []*point {
	from, ok := w.g.at[a]
	to, known := w.g.at[b]
	if !ok || !known {
		return nil
	}
	if from == to {
		return []*point{a, b}
	}
	before := w.before[from]
	if before == nil {
		before = w.reach(from)
		w.before[from] = before
	}
	return w.g.back(before, from, to)
}

func (w *waysFrom) reach(from int) []int32 {
	n := len(w.g.vertices)
	before, cost := make([]int32, n), make([]int, n)
	for i := range cost {
		before[i], cost[i] = -1, math.MaxInt
	}
	cost[from] = 0
	open := heap[reached]{before: func(x, y reached) bool {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.at, y.at)) < 0
	}}
	for open.push(reached{from, 0}); len(open.all) > 0; {
		nearest := open.pop()
		if nearest.cost != cost[nearest.at] {
			continue // a shorter path reached it since
		}
		for _, e := range w.g.edges[nearest.at] {
			if total := nearest.cost + e.links; total < cost[e.to] {
				cost[e.to], before[e.to] = total, int32(nearest.at)
				open.push(reached{e.to, total})
			}
		}
	}
	return before
}
