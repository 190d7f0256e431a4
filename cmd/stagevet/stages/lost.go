package stages

import (
	"golang.org/x/tools/go/analysis"
)

// reason is why a value is not there after a move, in the order in which
// findings are preferred.
type reason int

const (
	kept       reason = iota
	setInStage        // and not again before that stage
	setOnFirst        // the first entry only
	madeOfThat        // of what is set on the first entry only
	ofTheClock        // another value at each entry
	stale             // a copy of a field that stages change
)

// tracker follows the values of one function across moves.
type tracker struct {
	*graph
	again    map[*crossing]facts // what holds before the stages, on later entries
	atWrite  map[*definition]facts
	findings map[location]finding
}

// findLost reports the variables of a function that lose their value.
func (c *check) findLost(g *graph) {
	t := &tracker{graph: g, again: map[*crossing]facts{}, atWrite: map[*definition]facts{}, findings: map[location]finding{}}
	t.enterAgain()
	t.findUnreached()
	t.deriveFromFirst()
	travel := &journey{graph: g, takes: t.takesFirst(), cross: t.afterMove, visit: t.look}
	travel.run()
	t.reportFindings()
}

// enterAgain finds out what holds on later entries, up to the stages.
func (t *tracker) enterAgain() {
	j := &journey{graph: t.graph,
		takes: func(_ *block, e edge) bool { return e.onAgain && e.enters == nil },
		enter: func(x *crossing, at facts) { t.again[x] = at },
		visit: func(e event, before facts) {
			switch e.kind {
			case moves:
				t.again[e.cross] = before.clone()
			case writes:
				t.atWrite[e.def] = before.clone()
			}
		}}
	j.run()
}

func (f facts) clone() facts {
	c := make(facts, len(f))
	for x := range f {
		c[x] = true
	}
	return c
}

// takesFirst leaves out, before the first stage, what is run on later entries
// only.
func (t *tracker) takesFirst() func(*block, edge) bool {
	return func(from *block, e edge) bool { return e.onFirst || from.behind }
}

// findUnreached reports stages that only the first entry comes to.
func (t *tracker) findUnreached() {
	for _, b := range t.blocks {
		for _, e := range b.edges {
			if e.enters != nil && b.first && !b.again {
				t.report(analysis.Diagnostic{Pos: e.enters.loop.stmt.Pos(), Message: unreached})
			}
		}
		for _, n := range b.calls {
			if b.first && !b.again {
				t.report(analysis.Diagnostic{Pos: b.nodes[n].Pos(), Message: unreached})
			}
		}
	}
}

const unreached = "these stages are run on the first entry only: a process that moved in them does not come back to them; take them out of the branch where Fresh is true"

// deriveFromFirst marks values that depend on what is set on the first entry
// only.
func (t *tracker) deriveFromFirst() {
	for changed := true; changed; {
		changed = false
		j := &journey{graph: t.graph, takes: t.takesFirst(), visit: func(e event, before facts) {
			if e.kind != writes || e.def.madeOf != nil || e.def.loop != nil || !e.def.block.again {
				return
			}
			if from := t.firstOnly(e.def, before); from != nil {
				e.def.madeOf, changed = from, true
			}
		}}
		j.run()
	}
}

// firstOnly is a definition from the first entry that d reads, or nil.
func (t *tracker) firstOnly(d *definition, before facts) *definition {
	var found *definition
	for _, l := range d.reads {
		for f := range before {
			if !matches(l, f) || l.variable == d.variable {
				continue
			}
			from := f.def.madeOf
			if from == nil && f.def.loop == nil && !f.def.block.again && !t.restored(f, t.atWrite[d]) {
				from = f.def
			}
			if from != nil && (found == nil || from.pos < found.pos) {
				found = from
			}
		}
	}
	return found
}

// matches tells whether who reads l reads what f is about.
func matches(l location, f fact) bool {
	return l.variable == f.def.variable &&
		(l.part == whole || l.part == f.part || l.part == elements && f.part == header)
}

// restored tells whether later entries set what f is about from the state, or
// in code of their own.
func (t *tracker) restored(f fact, again facts) bool {
	for g := range again {
		if g.location() == f.location() && (!g.def.block.first || t.fromState(g.def)) {
			return true
		}
	}
	return false
}

func (t *tracker) fromState(d *definition) bool { return d.value != nil && t.readsState(d.value) }

// lost is why a value is not there after a move at x.
func (t *tracker) lost(f fact, x *crossing) reason {
	d, again := f.def, t.again[x]
	switch {
	case d.loop != nil:
		if t.setAnew(f, again) || t.asAtEntry(f, again) || t.madeOnDemand(d) {
			return kept
		}
		return setInStage
	case !d.block.again:
		if t.restored(f, again) {
			return kept
		}
		return setOnFirst
	case !again[fact{def: d, part: f.part}]:
		return kept
	case d.madeOf != nil:
		return madeOfThat
	case t.clock(d) != "":
		return ofTheClock
	case t.staleField(d, x) != "":
		return stale
	}
	return kept
}

// afterMove is what remains of a fact at a move.
func (t *tracker) afterMove(f fact, x *crossing) fact {
	if t.lost(f, x) != kept {
		f.cross = x
	}
	return f
}
