package stages

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// harmless reports whether nothing depends on what a load finds: its memory is
// used again, or what is missing is made anew.
func (g *graph) harmless(f *frame, load *ssa.UnOp) bool {
	for _, r := range *load.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Slice:
			if isZero(r.High) || r.Low == nil && cutsItself(r, load) {
				continue
			}
			return false
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "cap" {
				continue
			}
			if !g.onlyAsks(f, r) {
				return false
			}
		case ssa.Value:
			if !g.onlyAsks(f, r) {
				return false
			}
		case *ssa.If:
			if !g.makesAnew(f, r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// cutsItself reports whether x = x[:n] is all that comes of a slice.
func cutsItself(s *ssa.Slice, load *ssa.UnOp) bool {
	for _, r := range *s.Referrers() {
		if store, ok := r.(*ssa.Store); !ok || store.Addr != load.X {
			return false
		}
	}
	return true
}

// onlyAsks reports whether a value serves to ask whether something is missing.
func (g *graph) onlyAsks(f *frame, v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		if !types.Identical(v.Type().Underlying(), types.Typ[types.Bool]) && !types.Identical(v.Type(), types.Typ[types.UntypedBool]) {
			return false
		}
	case *ssa.UnOp:
		if v.Op != token.NOT {
			return false
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
			return false
		}
	default:
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			if !g.makesAnew(f, r) {
				return false
			}
		case *ssa.DebugRef:
		case ssa.Value:
			if !g.onlyAsks(f, r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// makesAnew reports whether a branch asks for something that is missing and
// makes it: each entry begins without, and makes the same again.
func (g *graph) makesAnew(f *frame, test *ssa.If) bool {
	known, ok := g.lazy[site{f, test}]
	if !ok {
		for i := range test.Block().Succs {
			known = known || g.makesWhere(f, test, i)
		}
		g.lazy[site{f, test}] = known
	}
	return known
}

// lazyBlock is the block of a branch that makes what is missing, or nil.
func (g *graph) makesWhere(f *frame, test *ssa.If, i int) bool {
	to := test.Block().Succs[i]
	if len(to.Preds) != 1 {
		return false
	}
	missing, how := g.missing(f, test.Cond, i == 0)
	if how == notAsked {
		return false
	}
	inside := func(n *node) bool { return blockIn(n, f, to) }
	made, others := false, 0
	for _, n := range g.nodes {
		if !inside(n) {
			continue
		}
		for _, d := range n.sets {
			_, constant := d.value.(*ssa.Const)
			switch {
			case missing[d.place] && (how != aMemo || !constant):
				made = true
			case !d.made:
				others++
			}
		}
	}
	for p := range missing {
		made = made || p.kind == shared && slices.ContainsFunc(g.nodes, func(n *node) bool { return inside(n) && slices.Contains(n.shared, p.object) })
	}
	return made && (how != aFlag || others > 0) && g.sameEachTime(inside, how == aMemo)
}

// blockIn reports whether a node is run in a block of a frame, or in those that
// only this leads to.
func blockIn(n *node, f *frame, block *ssa.BasicBlock) bool {
	at, instr := n.frame, n.instr
	for at != f {
		if at.caller == nil {
			return false
		}
		at, instr = at.caller, at.call
	}
	return instr != nil && block.Dominates(instr.Block())
}

// sameEachTime reports whether what some nodes do depends neither on the stage
// nor on what stages change, and is seen by none but the program.
func (g *graph) sameEachTime(inside func(*node) bool, memo bool) bool {
	for _, n := range g.nodes {
		if !inside(n) {
			continue
		}
		if len(n.moved) > 0 || g.isSeen(n) {
			return false
		}
		if store, ok := n.instr.(*ssa.Store); ok && !memo && g.ofTheStage(n, store.Val) {
			return false
		}
	}
	return true
}

// isSeen reports whether a node calls the library for more than it tells.
func (g *graph) isSeen(n *node) bool {
	call, ok := n.instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := call.Common().StaticCallee()
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return false
	}
	switch fn.Object().Pkg().Path() {
	case libraryPath:
		return !slices.Contains([]string{"Pid", "NProcs", "Rank", "NRanks", "Slice", "Len", "Fresh", "Engine"}, fn.Object().Name())
	case "fmt":
		return hasPrefix(fn.Name(), "Print", "Fprint")
	}
	return false
}

// ofTheStage reports whether a value depends on which stage it is, or on a part
// of the state that stages set.
func (g *graph) ofTheStage(n *node, v ssa.Value) bool {
	found := false
	g.eachOperand(n.frame, v, func(f *frame, v ssa.Value) {
		if p, ok := v.(*ssa.Parameter); ok && n.loop != nil && p.Parent() == n.loop.body {
			found = true
		}
		if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL && n.loop != nil {
			for p := range g.pointees(f, load.X) {
				found = found || p.kind == moved && p.path != "" && g.setsMoved(n.loop, p)
			}
		}
	})
	return found
}

// question is what a condition asks for.
type question int

const (
	notAsked question = iota
	aValue            // that is zero or nil, or has too few elements
	aFlag             // that something has been made
	aMemo             // an entry of a map
)

// missing is what is not there if a condition has a value.
func (g *graph) missing(f *frame, cond ssa.Value, value bool) (places, question) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return g.missing(f, c.X, !value)
		}
		if c.Op != token.MUL {
			return nil, notAsked
		}
		if at := g.singleStore(f, c); at != nil {
			if e, ok := at.store.Val.(*ssa.Extract); ok {
				return g.missing(at.frame, e, value)
			}
		}
		return g.pointees(f, c.X), aFlag
	case *ssa.Extract:
		if lookup, ok := c.Tuple.(*ssa.Lookup); ok && c.Index == 1 && !value {
			return g.inside(g.pointees(f, lookup.X), "[]"), aMemo
		}
	case *ssa.BinOp:
		for _, side := range []ssa.Value{c.X, c.Y} {
			if call, ok := side.(*ssa.Call); ok {
				if b, ok := call.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
					if load, ok := call.Call.Args[0].(*ssa.UnOp); ok && load.Op == token.MUL {
						return g.pointees(f, load.X), aValue
					}
				}
			}
		}
		zero, ok := c.Y.(*ssa.Const)
		load, loads := c.X.(*ssa.UnOp)
		if ok && loads && load.Op == token.MUL && (zero.Value == nil || isZero(zero)) && (c.Op == token.EQL) == value && (c.Op == token.EQL || c.Op == token.NEQ) {
			return g.pointees(f, load.X), aValue
		}
	}
	return nil, notAsked
}

// isLazy reports whether a node makes what is missing, and later entries would
// make the same.
func (g *graph) isLazy(n *node) bool {
	for f, instr := n.frame, n.instr; f != nil && instr != nil; f, instr = f.caller, ssa.Instruction(f.call) {
		for _, c := range conditions(instr.Block()) {
			i := 1
			if c.value {
				i = 0
			}
			if g.makesAnew(f, c.test) && g.makesWhere(f, c.test, i) {
				return true
			}
		}
		if f.lazy && (f.caller == nil || !f.caller.lazy) {
			return g.sameEachTime(func(m *node) bool { return m.frame == f }, false)
		}
		if f.caller == nil {
			break
		}
	}
	return false
}

// remembers reports whether a look into a map asks for an entry that is made if
// it is missing.
func (g *graph) remembers(f *frame, look *ssa.Lookup) bool {
	if !look.CommaOk {
		return false
	}
	for _, r := range *look.Referrers() {
		e, ok := r.(*ssa.Extract)
		if !ok || e.Index != 1 {
			continue
		}
		for _, r := range *e.Referrers() {
			store, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			for _, r := range *store.Addr.Referrers() {
				load, ok := r.(*ssa.UnOp)
				if ok && len(*load.Referrers()) > 0 && g.onlyAsks(f, load) {
					return true
				}
			}
		}
	}
	return false
}
