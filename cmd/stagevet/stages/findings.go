package stages

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// find runs a program twice, as a process that has moved and as a process that stays, and reports the
// values missing in the first.
func (c *check) find(root *ssa.Function) {
	w := &walk{check: c, frames: map[frame]*frame{}, objects: map[made]*object{}, loops: map[loop]bool{},
		found: map[reading]map[any]bool{}, readings: map[reading]bool{}, effective: map[[2]any]bool{}}
	outer := func(v ssa.Value, moves bool) values {
		o := w.object(made{nil, v, false})
		o.outer, o.moves = true, moves
		return values{{ref: place{o, ""}}}
	}
	var args, bindings []values
	for i, p := range root.Params {
		vs := values{{}}
		if !is[*types.Basic](p.Type()) && !isProc(p.Type()) {
			vs = outer(p, i > 0 || root.Signature.Recv() == nil || !holdsProc(p.Type()))
		}
		args = append(args, vs)
	}
	for _, v := range root.FreeVars {
		bindings = append(bindings, outer(v, false))
	}
	for _, w.entered = range []bool{true, false} {
		w.visited, w.steps = map[*frame]*visited{}, 0
		w.invoke(path{}, nil, nil, root, args, bindings)
	}
	var all []analysis.Diagnostic
	for r := range w.readings {
		if d := w.judge(r); d.Message != "" {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b analysis.Diagnostic) int { // "after it" comes before "in a later stage"
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Related[0].Pos, b.Related[0].Pos))
	})
	for _, d := range all {
		c.report(d)
	}
	for l, entered := range w.loops {
		if !entered {
			c.report(analysis.Diagnostic{Pos: l.body.Pos(), Message: "these stages are run on the first entry only: a process that moved in them does not come back to them; take them out of the branch where Fresh is true"})
		}
	}
}

// judge is the finding that a reading is, or one without a message.
func (w *walk) judge(r reading) (none analysis.Diagnostic) {
	v, found := r.value, w.found[reading{frame: r.frame, instr: r.instr, place: r.place}]
	name := r.place.name()
	if _, shared := r.place.object.value.(*ssa.Global); shared {
		name = "the package variable " + name
	}
	text := ""
	switch {
	case name == "" || v.at == nil:
		return none
	case v.loop == nil && found[v.same()] && v.taint&ofClock != 0:
		text = "%s is taken from a clock on each entry and read %s: a process that moved has a later value; make it a field of the state, set under Fresh"
	case found[v.same()] || v.back != "" && found[v.back] || w.isHarmless(r):
		return none
	case v.loop == nil && found != nil:
		text = "%s is set on the first entry only and read %s: a process that moved does not have it; make it a field of the state, or set it on every entry"
	case v.loop != nil && (len(found) > 0 || v.taint != 0):
		text = "%s is set in " + w.check.name(v.loop) + " and read %s: a process that moved in between has lost it; make it a field of the state"
	default:
		return none
	}
	when := "after the stages"
	switch {
	case v.loop != nil && r.in != nil && *r.in == *v.loop:
		when = "in a later stage"
	case v.loop != nil:
		when = "after it"
	case r.in != nil:
		when = "in " + w.check.name(r.in)
	}
	return analysis.Diagnostic{Pos: v.at.Pos(), Message: fmt.Sprintf(text, name, when), Related: []analysis.RelatedInformation{{Pos: r.instr.Pos(), Message: "read here"}}}
}

// isHarmless reports whether a reading is for the memory of a slice only, or for a test
// that only decides whether the program's own memory is set, to the value that every entry
// sets.
func (w *walk) isHarmless(r reading) bool {
	switch read := r.instr.(type) {
	case *ssa.Lookup: // a value put into a map because it was missing
		for _, user := range *read.Referrers() {
			if found, ok := user.(*ssa.Extract); ok && found.Index == 1 {
				return w.decidesNothing(r.frame, found)
			}
		}
	case *ssa.UnOp:
		return r.value.taint == 0 && w.decidesNothing(r.frame, read) || !slices.ContainsFunc(*read.Referrers(), func(user ssa.Instruction) bool {
			s, slices := user.(*ssa.Slice)
			return !(slices && s.Low == nil) && !isBuiltin(user, "cap")
		})
	}
	return false
}

// decidesNothing reports whether a value is used only in tests that decide over
// no more than the program's own memory.
func (w *walk) decidesNothing(f *frame, v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(user ssa.Instruction) bool {
		switch i := user.(type) {
		case *ssa.If:
			return slices.ContainsFunc(f.fn.Blocks, func(b *ssa.BasicBlock) bool {
				return w.effective[[2]any{f, b}] && slices.ContainsFunc(i.Block().Succs, func(side *ssa.BasicBlock) bool {
					return len(side.Preds) == 1 && side.Dominates(b)
				})
			})
		case *ssa.Store: // a variable for the outcome
			a, ok := i.Addr.(*ssa.Alloc)
			return !ok || a.Heap || slices.ContainsFunc(*a.Referrers(), func(load ssa.Instruction) bool {
				l, ok := load.(*ssa.UnOp)
				return ok && !w.decidesNothing(f, l)
			})
		case *ssa.UnOp:
			return i.Op != token.NOT || !w.decidesNothing(f, i)
		case *ssa.BinOp:
			return !w.decidesNothing(f, i)
		}
		return !isBuiltin(user, "len") || !w.decidesNothing(f, user.(ssa.Value))
	})
}

// name returns the name of a loop in findings.
func (c *check) name(l *loop) string {
	return fmt.Sprintf("the stage loop at line %d", c.line(l.body.Pos()))
}
