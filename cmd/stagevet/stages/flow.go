package stages

import "go/types"

// fact says that a part of a variable has what a definition gave it, and that
// the process may have moved since then.
type fact struct {
	def   *definition
	part  string
	cross *crossing // the first move that loses the value, nil if there was none
}

func (f fact) location() location { return location{f.def.variable, f.part} }

type facts map[fact]bool

// journey is one way to go through a graph.
type journey struct {
	*graph
	takes func(from *block, e edge) bool
	// cross gives the fact that remains of one when the process may have moved.
	cross func(f fact, x *crossing) fact
	// visit sees each event with what holds before it.
	visit func(e event, before facts)
	// enter sees what holds where a loop's stages begin.
	enter func(x *crossing, at facts)
}

// run finds what holds everywhere, and then shows it to visit and enter.
func (j *journey) run() {
	in := map[*block]facts{j.blocks[0]: {}}
	for work := []*block{j.blocks[0]}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		out := j.through(b, in[b], nil)
		for _, e := range b.edges {
			if !j.takes(b, e) {
				continue
			}
			known := in[e.to]
			if known == nil {
				known = facts{}
				in[e.to] = known
				work = append(work, e.to)
			}
			if before := len(known); j.along(e, out, known) > before {
				work = append(work, e.to)
			}
		}
	}
	for _, b := range j.blocks {
		if in[b] == nil {
			continue
		}
		out := j.through(b, in[b], j.visit)
		for _, e := range b.edges {
			if e.enters != nil && j.enter != nil {
				j.enter(e.enters, out)
			}
		}
	}
}

// along adds what holds behind an edge to known, and returns how much is known.
func (j *journey) along(e edge, out, known facts) int {
	for f := range out {
		if holdsNil(e.isNil, f.def.variable) {
			continue
		}
		if e.cross != nil {
			f = j.crossed(f, e.cross)
		}
		known[f] = true
	}
	return len(known)
}

func holdsNil(list []*types.Var, v *types.Var) bool {
	for _, w := range list {
		if v == w {
			return true
		}
	}
	return false
}

func (j *journey) crossed(f fact, x *crossing) fact {
	if j.cross == nil || f.cross != nil {
		return f
	}
	return j.cross(f, x)
}

// through is what holds behind a block.
func (j *journey) through(b *block, in facts, visit func(event, facts)) facts {
	now := make(facts, len(in))
	for f := range in {
		now[f] = true
	}
	for _, e := range b.events {
		if visit != nil {
			visit(e, now)
		}
		switch e.kind {
		case writes:
			j.set(e.def, now)
		case saves:
			j.save(e, now)
		case moves:
			for f := range now {
				if g := j.crossed(f, e.cross); g != f {
					delete(now, f)
					now[g] = true
				}
			}
		}
	}
	return now
}

// set replaces what holds for what d sets.
func (j *journey) set(d *definition, now facts) {
	if d.certain {
		for f := range now {
			if f.def.variable == d.variable && (d.part == whole || d.part == f.part) {
				delete(now, f)
			}
		}
	}
	if d.part != whole {
		now[fact{def: d, part: d.part}] = true
		return
	}
	now[fact{def: d, part: header}] = true
	for part := range j.parts[d.variable] {
		now[fact{def: d, part: part}] = true
	}
}

// save forgets what stages gave a variable: each entry takes it from the field
// that has it now.
func (j *journey) save(e event, now facts) {
	if !j.takenFrom(e.variable, e.part) {
		return
	}
	for f := range now {
		if f.def.variable == e.variable && f.def.loop != nil {
			delete(now, f)
		}
	}
}

// takenFrom tells whether a variable is set, outside the stages, to a field of
// the state.
func (g *graph) takenFrom(v *types.Var, path string) bool {
	for _, d := range g.writes {
		if d.variable == v && d.loop == nil && d.value != nil && types.ExprString(d.value) == path {
			return true
		}
	}
	return false
}
