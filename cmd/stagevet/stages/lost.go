package stages

import (
	"cmp"
	"fmt"
	constants "go/constant"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// reason is why a value is not there after a move, in the order in which
// findings are preferred.
type reason int

const (
	kept       reason = iota
	setInStage        // and not again before that stage
	setOnFirst        // the first entry only
	ofTheClock        // another value at each entry
	stale             // a copy of a part of the state that stages change
)

// finding is a place that is read after it was lost.
type finding struct {
	fact
	why   reason
	cross *loop
	read  *node
	after bool // the read stands behind the stages
	name  string
	pos   token.Pos
	made  *definition // what is made of the fact, if that is read
}

// findLost reports what is read after a move has lost it.
func (g *graph) findLost() {
	t := newFlow(g)
	t.run(entered)
	t.run(stayed)
	g.findUnreached()
	t.deriveOrigins()
	t.crosses = true
	t.run(stayed)
	found := map[token.Pos]finding{}
	byName := map[string]finding{}
	add := func(n finding) {
		t.complete(&n)
		if n.name == "" {
			return
		}
		if old, ok := byName[n.name]; !ok || n.before(old) {
			byName[n.name] = n
		}
	}
	for _, n := range t.order {
		if n.seen[stayed] {
			t.look(n, add)
		}
	}
	for _, n := range byName {
		if old, ok := found[n.pos]; !ok || n.name < old.name {
			found[n.pos] = n
		}
	}
	sorted := slices.Collect(maps.Values(found))
	slices.SortFunc(sorted, func(a, b finding) int { return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.name, b.name)) })
	for _, n := range sorted {
		g.report(analysis.Diagnostic{Pos: n.pos, Message: t.message(n),
			Related: []analysis.RelatedInformation{{Pos: position(n.read), Message: "read here"}}})
	}
}

func (n finding) before(old finding) bool {
	if c := cmp.Or(cmp.Compare(n.why, old.why), cmp.Compare(n.pos, old.pos)); c != 0 {
		return c < 0
	}
	if n.after != old.after {
		return n.after
	}
	return position(n.read) < position(old.read)
}

// look adds a finding for each lost fact that a node reads.
func (t *flow) look(n *node, add func(finding)) {
	for _, p := range n.reads {
		t.under(p, func(i int) {
			for k, l := range t.loops {
				if n.in[stayed].has((k+1)*len(t.facts)+i) && !t.covered(n, t.facts[i]) {
					add(finding{fact: t.facts[i], why: t.why(t.facts[i], l), cross: l, read: n})
				}
			}
		})
	}
	if n.enters == nil || !n.seen[entered] {
		return
	}
	for _, arg := range t.lengths(n) { // how many stages there are is asked for on each entry
		if f := t.differs(n.frame, arg); f != nil {
			add(finding{fact: fact{f, f.path}, why: t.whyDiffers(f), cross: n.enters, read: n})
		}
	}
}

// lengths are the numbers of stages of a loop.
func (t *flow) lengths(n *node) []ssa.Value {
	var found []ssa.Value
	for p := range t.pointees(n.frame, n.instr.(ssa.CallInstruction).Common().Value) {
		if call, ok := p.site.value.(*ssa.Call); ok && p.kind == stages && p.site.frame == n.frame {
			found = append(found, call.Call.Args[1:]...)
		}
	}
	return found
}

// why is the reason for which a fact is lost by a move at the end of a loop's
// stage, or kept.
func (t *flow) why(f fact, l *loop) reason {
	again := t.before(l.node, entered, place{f.object, f.part})
	again = slices.DeleteFunc(again, func(g fact) bool { return g.part != f.part })
	here := slices.ContainsFunc(again, func(g fact) bool { return g.definition == f.definition })
	switch {
	case !l.node.seen[entered]: // said of the stages
		return kept
	case f.node.loop != nil:
		if f.made || t.isLazy(f.node) || t.isSetAnew(f, again) || t.isAsAtEntry(f, again) {
			return kept
		}
		return setInStage
	case !f.node.seen[entered]:
		if slices.ContainsFunc(again, func(g fact) bool { return !g.node.seen[stayed] || t.fromState(g.definition) }) {
			return kept
		}
		return setOnFirst
	case !here:
		return kept
	case f.origin != nil:
		return f.origin.why
	case f.definition.why != kept:
		return f.definition.why
	case t.stalePath(f.definition, l) != "":
		return stale
	}
	return kept
}

// isSetAnew reports whether an entry sets the place to the same part of the
// state as a stage did.
func (t *flow) isSetAnew(f fact, again []fact) bool {
	return f.value != nil && t.fromState(f.definition) && slices.ContainsFunc(again, func(g fact) bool {
		return g.value != nil && t.key(g.node.frame, g.value) == t.key(f.node.frame, f.value)
	})
}

// isAsAtEntry reports whether a stage leaves the place as each entry makes it:
// with the same constant, or empty.
func (t *flow) isAsAtEntry(f fact, again []fact) bool {
	same := func(g fact) bool {
		a, ok := f.value.(*ssa.Const)
		b, too := g.value.(*ssa.Const)
		_, slice := f.value.(*ssa.MakeSlice)
		return t.isEmpty(f.definition) && t.isEmpty(g.definition) || ok && too && a.String() == b.String() ||
			slice && g.value != nil && t.key(f.node.frame, f.value) == t.key(g.node.frame, g.value)
	}
	return len(again) > 0 && !slices.ContainsFunc(again, func(g fact) bool { return !same(g) })
}

// fromState reports whether a definition's value depends on the state.
func (t *flow) fromState(d *definition) bool {
	found := false
	if d.value != nil {
		t.eachOperand(d.node.frame, d.value, func(f *frame, v ssa.Value) {
			for p := range t.pointees(f, v) {
				found = found || p.kind == moved && !isProc(v.Type())
			}
			if load, ok := v.(*ssa.UnOp); ok {
				found = found || anyMoved(t.pointees(f, load.X)) && !isProc(load.Type())
			}
		})
	}
	return found
}

// stalePath is what the source calls the part of the state that d copies and
// the loop sets, or empty.
func (t *flow) stalePath(d *definition, l *loop) string {
	found := ""
	if d.value == nil {
		return ""
	}
	t.eachOperand(d.node.frame, d.value, func(f *frame, v ssa.Value) {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return
		}
		for p := range t.pointees(f, load.X) {
			if p.kind == moved && p.path != "" && t.setsMoved(l, p) && !t.savedTo(d.place, p) && found == "" {
				found = p.name + fields(p.path)
			}
		}
	})
	return found
}

// setsMoved reports whether the stages of a loop set a part of the state.
func (g *graph) setsMoved(l *loop, p place) bool {
	return slices.ContainsFunc(g.nodes, func(n *node) bool {
		return n.within(l) && slices.ContainsFunc(n.moved, func(q place) bool {
			return q.object == p.object && (covers(q.path, p.path) && !strings.Contains(p.path[len(q.path):], "*") ||
				covers(p.path, q.path) && !strings.Contains(q.path[len(p.path):], "*"))
		})
	})
}

func (n *node) within(l *loop) bool {
	for in := n.loop; in != nil; in = in.outer {
		if in == l {
			return true
		}
	}
	return false
}

// savedTo reports whether a stage sets a part of the state to a variable.
func (t *flow) savedTo(v, part place) bool {
	return slices.ContainsFunc(t.nodes, func(n *node) bool {
		return n.loop != nil && slices.Contains(n.saved, v) && slices.Contains(n.moved, part)
	})
}

// takenFrom reports whether each entry sets a variable to a part of the state.
func (t *flow) takenFrom(v place, parts []place) bool {
	return slices.ContainsFunc(t.nodes, func(n *node) bool {
		if n.loop != nil || !slices.ContainsFunc(n.sets, func(d *definition) bool { return d.place == v }) {
			return false
		}
		store, ok := n.instr.(*ssa.Store)
		if !ok {
			return false
		}
		load, ok := store.Val.(*ssa.UnOp)
		return ok && slices.ContainsFunc(parts, func(p place) bool { return t.pointees(n.frame, load.X)[p] })
	})
}

// deriveOrigins marks the definitions whose values differ on later entries
// because what they are made of does.
func (t *flow) deriveOrigins() {
	outside := func(visit func(*definition)) {
		for _, n := range t.order {
			if n.loop == nil && n.seen[entered] && n.seen[stayed] {
				for _, d := range n.sets {
					visit(d)
				}
			}
		}
	}
	outside(func(d *definition) {
		if d.value != nil && t.clockOf(d) != "" {
			d.why = ofTheClock
		}
	})
	for changed := true; changed; {
		changed = false
		outside(func(d *definition) {
			if d.value == nil || d.origin != nil || d.why != kept {
				return
			}
			if from := t.differs(d.node.frame, d.value); from != nil && from != d {
				from.why = t.whyDiffers(from)
				d.origin, changed = from, true
			}
		})
	}
}

func (t *flow) whyDiffers(d *definition) reason {
	if d.why != kept {
		return d.why
	}
	return setOnFirst
}

// differs is a definition that a value depends on and that later entries do not
// have, or nil.
func (t *flow) differs(f *frame, v ssa.Value) *definition {
	var found *definition
	t.eachOperand(f, v, func(f *frame, v ssa.Value) {
		load, ok := v.(*ssa.UnOp)
		n := t.at[site{f, v}]
		if !ok || load.Op != token.MUL || n == nil || n.loop != nil {
			return
		}
		for p := range t.pointees(f, load.X) {
			if !tracked(p) {
				continue
			}
			for _, x := range t.before(n, stayed, p) {
				from := x.origin
				if from == nil && (x.definition.why == ofTheClock || !x.made && x.node.loop == nil && !x.node.seen[entered] && !t.restored(x, n)) {
					from = x.definition
				}
				if from != nil && (found == nil || position(from.node) < position(found.node)) {
					found = from
				}
			}
		}
	})
	return found
}

// restored reports whether later entries have the fact from the state, or from
// code of their own.
func (t *flow) restored(f fact, n *node) bool {
	return slices.ContainsFunc(t.before(n, entered, place{f.object, f.part}), func(g fact) bool {
		return !g.node.seen[stayed] || t.fromState(g.definition)
	})
}

// clockOf is what d takes that has another value at each entry, or empty.
func (t *flow) clockOf(d *definition) string {
	name := ""
	t.eachOperand(d.node.frame, d.value, func(f *frame, v ssa.Value) {
		if call, ok := v.(*ssa.Call); ok && f == d.node.frame && name == "" {
			name = clock(call.Call.StaticCallee())
		}
	})
	return name
}

// covered reports whether the stage that reads has set the place before, under
// conditions that the read implies, or whenever it sets the flag that the read
// depends on.
func (t *flow) covered(read *node, f fact) bool {
	if read.loop == nil || read.instr == nil {
		return false
	}
	for _, d := range t.defsOf(place{f.object, f.part}) {
		n := d.node
		if !d.strong || n.loop != read.loop || n.frame != read.frame || !precedes(n.instr, read.instr) {
			continue
		}
		if t.implied(conditions(n.instr.Block()), conditions(read.instr.Block()), n.frame) {
			return true
		}
	}
	for _, c := range conditions(read.instr.Block()) {
		if load, with := asked(c.test.Cond); load != nil && t.coveredByFlag(read, load, f, func(v *ssa.Const) bool { return with(v) == c.value }) {
			return true
		}
	}
	return false
}

// precedes reports whether an instruction stands before another.
func precedes(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		list := a.Block().Instrs
		return slices.Index(list, a) < slices.Index(list, b)
	}
	return a.Pos() < b.Pos()
}

func (t *flow) defsOf(p place) []*definition {
	var found []*definition
	for _, i := range t.ofObj[p.object] {
		if f := t.facts[i]; f.part == p.path {
			found = append(found, f.definition)
		}
	}
	return found
}

// implied reports whether some conditions are among others.
func (t *flow) implied(some, others []condition, f *frame) bool {
	for _, c := range some {
		if !slices.ContainsFunc(others, func(o condition) bool {
			return c == o || c.value == o.value && t.key(f, c.test.Cond) == t.key(f, o.test.Cond)
		}) {
			return false
		}
	}
	return true
}

// asked is the variable that a condition compares with a constant, and how this
// comes out for a constant in it.
func asked(cond ssa.Value) (*ssa.UnOp, func(*ssa.Const) bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.MUL {
			return c, func(v *ssa.Const) bool { return v.Value != nil && v.Value.String() == "true" }
		}
	case *ssa.BinOp:
		load, ok := c.X.(*ssa.UnOp)
		with, constant := c.Y.(*ssa.Const)
		if ok && constant && load.Op == token.MUL && with.Value != nil {
			return load, func(v *ssa.Const) bool { return v.Value == nil || constants.Compare(v.Value, c.Op, with.Value) }
		}
	}
	return nil, nil
}

// coveredByFlag reports whether the flag that load reads is one of this stage,
// and is raised only where the place is set too.
func (t *flow) coveredByFlag(read *node, load *ssa.UnOp, f fact, raises func(*ssa.Const) bool) bool {
	test := t.at[site{read.frame, load}]
	at := t.pointees(read.frame, load.X)
	if test == nil || len(at) != 1 {
		return false
	}
	for flag := range at {
		raised := false
		for _, d := range t.defsOf(flag) {
			if c, ok := d.value.(*ssa.Const); d.made || ok && !raises(c) {
				continue
			}
			if d.node.loop != read.loop || d.node.frame != read.frame {
				return false
			}
			raised = true
			if !slices.ContainsFunc(t.defsOf(place{f.object, f.part}), func(e *definition) bool {
				return e.strong && e.node.frame == read.frame && t.implied(conditions(e.node.instr.Block()), conditions(d.node.instr.Block()), read.frame)
			}) {
				return false
			}
		}
		crossed := false
		t.under(flag, func(i int) {
			for k := range t.loops {
				crossed = crossed || test.in[stayed].has((k+1)*len(t.facts)+i)
			}
		})
		return raised && !crossed
	}
	return false
}

// complete gives a finding its place and name: where the source of the stage,
// or of the function that has the variable, sets it.
func (t *flow) complete(n *finding) {
	if n.origin != nil && n.why == n.origin.why {
		n.made = n.definition
		n.fact = fact{n.origin, n.origin.path}
		if store, ok := n.made.node.instr.(*ssa.Store); ok {
			if _, param := store.Val.(*ssa.Parameter); param {
				n.made = nil
			}
		}
	}
	at := n.node
	if n.made != nil {
		at = n.made.node
	}
	p := n.place
	if n.made != nil {
		p = n.made.place
	}
	f, instr := at.frame, at.instr
	for g, i := f, instr; g != nil && (at.loop == nil || g != at.loop.frame); g, i = g.caller, ssa.Instruction(g.call) {
		if maker := p.site.frame; maker != nil && outermost(g.fn) == outermost(maker.fn) {
			f, instr = g, i
			break
		}
	}
	n.pos = position(&node{instr: instr})
	n.name = t.name(p, f.fn)
	n.after = n.read.loop != n.cross && n.read.enters == nil
	if n.why == setInStage {
		n.after = n.read.loop != n.node.loop
	}
}

// position is where the source has what a node does.
func position(n *node) token.Pos {
	if n.instr == nil {
		return token.NoPos
	}
	if c, ok := n.instr.(ssa.CallInstruction); ok {
		for _, arg := range c.Common().Args {
			if body, ok := arg.(*ssa.MakeClosure); ok && body.Fn.(*ssa.Function).Synthetic != "" && !c.Pos().IsValid() {
				return body.Fn.Pos()
			}
		}
	}
	if n.instr.Pos().IsValid() {
		return n.instr.Pos()
	}
	return n.instr.Parent().Pos()
}

// message is a finding in words: what has become of a value, where it is read,
// and what to do.
func (t *flow) message(n finding) string {
	stages, where := t.stagesName(n.cross, n.pos), "in"
	if n.after {
		where = "after"
	}
	becomes, harm := "", ""
	switch n.why {
	case setInStage:
		stages, where = t.stagesName(n.node.loop, n.pos), "in a later stage"
		if n.after {
			where = "after " + pronoun(stages)
		}
		return fmt.Sprintf("%s is set in %s and read %s: a process that moved in between has lost it; make it a field of the state", n.name, stages, where)
	case stale:
		path := t.stalePath(n.definition, n.cross)
		return fmt.Sprintf("%s is made of %s, which %s changes, and read %s %s: a process that moved has the new value, others have the old; read %s where it is needed", n.name, path, stages, where, pronoun(stages), path)
	case setOnFirst:
		becomes, harm = "set on the first entry only", "does not have it; make it a field of the state, or set it on every entry"
	case ofTheClock:
		becomes, harm = fmt.Sprintf("taken from %s on each entry", t.clockOf(n.definition)), "has a later value; make it a field of the state, set under Fresh"
	}
	if n.made != nil {
		becomes = fmt.Sprintf("made of %s, which is %s,", t.name(n.place, n.node.frame.fn), becomes)
		if n.why == setOnFirst {
			harm = "has another value; make it a field of the state"
		}
	}
	return fmt.Sprintf("%s is %s and read %s %s: a process that moved %s", n.name, becomes, where, stages, harm)
}

// pronoun stands for a loop, or for the stages of a call.
func pronoun(stages string) string {
	if strings.HasPrefix(stages, "the stage loop") {
		return "it"
	}
	return "them"
}

// stagesName is what a finding at pos calls the stages of a loop: the loop, if
// it stands in the same function, and else the call that runs it.
func (t *flow) stagesName(l *loop, pos token.Pos) string {
	for f, call := l.frame, ssa.CallInstruction(nil); f != nil; f, call = f.caller, f.call {
		top := outermost(f.fn)
		if syntax := top.Syntax(); syntax != nil && syntax.Pos() <= pos && pos < syntax.End() && f.fn.Synthetic == "" || f.caller == nil {
			if call == nil || f.caller == nil && call == nil {
				return fmt.Sprintf("the stage loop at line %d", t.line(l.pos()))
			}
			return fmt.Sprintf("the stages of %s (called at line %d)", calledName(call), t.line(position(&node{instr: call})))
		}
	}
	return ""
}

// calledName is what the source calls the function of a call.
func calledName(call ssa.CallInstruction) string {
	common := call.Common()
	if common.IsInvoke() {
		return common.Method.Name()
	}
	if made, ok := common.Value.(*ssa.Call); ok { // the iterator of a range
		return calledName(made)
	}
	if f := generic(common.StaticCallee()); f != nil && f.Parent() == nil {
		return f.Name()
	}
	return "the function literal"
}
