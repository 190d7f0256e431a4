package stages

import "slices"

// bits is a set of facts.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// world is a way to go through a graph.
type world int

const (
	stayed  world = iota // the first entry, and on through all stages
	entered              // a later entry: finished stage loops yield nothing
)

// fact says that a part of an object has what a definition gave it.
type fact struct {
	*definition
	part string
}

// flow finds out which facts hold before each node. A fact has a bit for each
// loop in whose stages the process may have moved since, and one for none.
type flow struct {
	*graph
	facts   []fact
	ofDef   map[*definition][]int
	ofObj   map[*object][]int
	order   []*node
	crosses bool
	lost    map[*loop]map[int]bool // facts that are lost where its stages end, when they are asked for
}

func newFlow(g *graph) *flow {
	t := &flow{graph: g, ofDef: map[*definition][]int{}, ofObj: map[*object][]int{}, lost: map[*loop]map[int]bool{}}
	for _, n := range g.nodes {
		for _, d := range n.sets {
			for part := range g.parts[d.object] {
				if covers(d.path, part) {
					t.ofDef[d] = append(t.ofDef[d], len(t.facts))
					t.ofObj[d.object] = append(t.ofObj[d.object], len(t.facts))
					t.facts = append(t.facts, fact{d, part})
				}
			}
		}
	}
	seen := map[*node]bool{}
	var visit func(*node)
	visit = func(n *node) {
		seen[n] = true
		for _, e := range n.edges {
			if !seen[e.to] {
				visit(e.to)
			}
		}
		t.order = append(t.order, n)
	}
	visit(g.nodes[0])
	slices.Reverse(t.order)
	return t
}

// under visits the facts about a place, and gives each as a bit.
func (t *flow) under(p place, visit func(int)) {
	for _, i := range t.ofObj[p.object] {
		if covers(p.path, t.facts[i].part) {
			visit(i)
		}
	}
}

// run goes through the graph until no more is found out.
func (t *flow) run(w world) {
	words := (len(t.facts)*(1+len(t.loops)))/64 + 1
	for _, n := range t.order {
		n.in[w], n.seen[w] = make(bits, words), false
	}
	t.nodes[0].seen[w] = true
	dirty := map[*node]bool{t.nodes[0]: true}
	for len(dirty) > 0 {
		for _, n := range t.order {
			if !dirty[n] {
				continue
			}
			delete(dirty, n)
			out := t.through(n, w)
			for _, e := range n.edges {
				if w == stayed && !e.fresh || w == entered && !e.again {
					continue
				}
				if join(e.to.in[w], out) || !e.to.seen[w] {
					e.to.seen[w] = true
					dirty[e.to] = true
				}
			}
		}
	}
}

func join(to, from bits) bool {
	changed := false
	for i := range from {
		if from[i]&^to[i] != 0 {
			to[i] |= from[i]
			changed = true
		}
	}
	return changed
}

// through is what holds behind a node.
func (t *flow) through(n *node, w world) bits {
	if len(n.forget) == 0 && len(n.sets) == 0 && len(n.saved) == 0 && n.ends == nil {
		return n.in[w]
	}
	out := slices.Clone(n.in[w])
	for _, p := range n.forget {
		t.under(p, func(i int) { t.drop(out, i) })
	}
	for _, p := range n.saved {
		t.under(p, func(i int) {
			if t.facts[i].node.loop != nil && t.takenFrom(p, n.moved) {
				t.drop(out, i)
			}
		})
	}
	for _, d := range n.sets {
		if d.strong {
			t.under(d.place, func(i int) { t.drop(out, i) })
		}
		for _, i := range t.ofDef[d] {
			out.set(i)
		}
	}
	if n.ends != nil && t.crosses {
		t.cross(out, n.ends)
	}
	return out
}

// drop takes a fact out, however far it came.
func (t *flow) drop(from bits, i int) {
	for k := range 1 + len(t.loops) {
		from.clear(k*len(t.facts) + i)
	}
}

// cross marks the facts that a move at the end of a stage loses.
func (t *flow) cross(out bits, l *loop) {
	if t.lost[l] == nil {
		t.lost[l] = map[int]bool{}
		for i, f := range t.facts {
			if t.why(f, l) != kept {
				t.lost[l][i] = true
			}
		}
	}
	at := slices.Index(t.loops, l) + 1
	for i := range t.lost[l] {
		if out.has(i) {
			out.clear(i)
			out.set(at*len(t.facts) + i)
		}
	}
}

// before are the facts about a place that hold before a node and have not
// crossed the end of a stage.
func (t *flow) before(n *node, w world, p place) []fact {
	var found []fact
	if n.in[w] != nil {
		t.under(p, func(i int) {
			if n.in[w].has(i) {
				found = append(found, t.facts[i])
			}
		})
	}
	return found
}
