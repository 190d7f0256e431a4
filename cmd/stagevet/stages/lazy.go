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
		case *ssa.Slice: // x[:0], or x = x[:n]
			cut := r.Low == nil && !slices.ContainsFunc(*r.Referrers(), func(i ssa.Instruction) bool {
				store, ok := i.(*ssa.Store)
				return !ok || g.key(f, store.Addr) != g.key(f, load.X)
			})
			if !isZero(r.High) && !cut {
				return false
			}
		default:
			if !g.asks(f, r) {
				return false
			}
		}
	}
	return true
}

// asks reports whether an instruction serves only to ask whether something is
// missing, which is made then.
func (g *graph) asks(f *frame, i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.If:
		return g.makes(f, i, 0) || g.makes(f, i, 1)
	case *ssa.Store: // into a variable that asks
		if _, variable := i.Addr.(*ssa.Alloc); !variable || !isBoolean(i.Val) {
			return false
		}
		return !slices.ContainsFunc(*i.Addr.Referrers(), func(r ssa.Instruction) bool {
			load, ok := r.(*ssa.UnOp)
			return r != i && !(ok && g.asksWith(f, load))
		})
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "cap" || b.Name() == "len" && g.asksWith(f, i))
	case *ssa.BinOp:
		return isBoolean(i) && g.asksWith(f, i)
	case *ssa.UnOp:
		return i.Op == token.NOT && g.asksWith(f, i)
	}
	return false
}

// asksWith reports whether a value serves only to ask.
func (g *graph) asksWith(f *frame, v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool { return !g.asks(f, i) })
}

// remembers reports whether a look into a map asks for an entry that is made if
// it is missing.
func (g *graph) remembers(f *frame, look *ssa.Lookup) bool {
	return slices.ContainsFunc(*look.Referrers(), func(i ssa.Instruction) bool {
		found, ok := i.(*ssa.Extract)
		return ok && found.Index == 1 && len(*found.Referrers()) > 0 && g.asksWith(f, found)
	})
}

func isBoolean(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

type way struct {
	frame *frame
	test  *ssa.If
	i     int
}

// makes reports whether a branch takes one way where something is missing, and
// makes it there: it sets what the condition asks for, to the same each time,
// and more than a constant.
func (g *graph) makes(f *frame, test *ssa.If, i int) bool {
	w := way{f, test, i}
	known, ok := g.lazy[w]
	if to := test.Block().Succs[i]; !ok && len(to.Preds) == 1 {
		asked, memo := g.askedFor(f, test.Cond)
		made, more := false, false
		inside := func(n *node) bool { return blockIn(n, f, to) }
		for _, n := range g.nodes {
			if len(n.sets)+len(n.shared) == 0 || !inside(n) {
				continue
			}
			for _, d := range n.sets {
				_, constant := d.value.(*ssa.Const)
				made = made || asked[d.place] && (!memo || !constant)
				more = more || !constant && !d.made
			}
			for _, o := range n.shared {
				made, more = made || asked[place{o, ""}], true
			}
		}
		known = made && more && g.sameEachTime(inside, asked, memo)
	}
	g.lazy[w] = known
	return known
}

// askedFor is what a condition depends on, and whether that is an entry of a
// map.
func (g *graph) askedFor(f *frame, cond ssa.Value) (asked places, memo bool) {
	asked = places{}
	g.eachOperand(f, cond, func(f *frame, v ssa.Value) {
		switch v := v.(type) {
		case *ssa.UnOp:
			if v.Op == token.MUL {
				asked.add(g.pointees(f, v.X))
			}
		case *ssa.Lookup:
			asked.add(g.inside(g.pointees(f, v.X), "[]"))
			memo = v.CommaOk
		}
	})
	return asked, memo
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

// sameEachTime reports whether what some nodes do is seen by none but the
// program, and depends neither on the stage, nor on what stages change, nor on
// what was there. What a map remembers goes by its key.
func (g *graph) sameEachTime(inside func(*node) bool, asked places, memo bool) bool {
	return !slices.ContainsFunc(g.nodes, func(n *node) bool {
		if n.instr == nil || !inside(n) {
			return false
		}
		store, ok := n.instr.(*ssa.Store)
		return len(n.moved) > 0 || isSeen(n) || ok && !memo && g.ofTheStage(n, store.Val, asked)
	})
}

// isSeen reports whether a node calls the library for more than it tells, or
// prints.
func isSeen(n *node) bool {
	call, ok := n.instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	switch path, name := origin(call.Common().StaticCallee()); path {
	case libraryPath:
		return !slices.Contains([]string{"Pid", "NProcs", "Rank", "NRanks", "Slice", "Len", "Fresh", "Engine"}, name)
	case "fmt":
		return hasPrefix(name, "Print", "Fprint")
	}
	return false
}

// ofTheStage reports whether a value depends on which stage it is, on a part of
// the state that stages set, or on some places.
func (g *graph) ofTheStage(n *node, v ssa.Value, on places) bool {
	found := false
	g.eachOperand(n.frame, v, func(f *frame, v ssa.Value) {
		switch v := v.(type) {
		case *ssa.Parameter:
			found = found || n.loop != nil && v.Parent() == n.loop.body
		case *ssa.UnOp:
			if v.Op == token.MUL {
				for p := range g.pointees(f, v.X) {
					found = found || on[p] || p.kind == moved && p.path != "" && n.loop != nil && g.setsMoved(n.loop, p)
				}
			}
		}
	})
	return found
}

// isLazy reports whether a node makes what is missing, and later entries make
// the same.
func (g *graph) isLazy(n *node) bool {
	for f, instr := n.frame, n.instr; f != nil && instr != nil; f, instr = f.caller, ssa.Instruction(f.call) {
		for _, c := range conditions(instr.Block()) {
			if c.value && g.makes(f, c.test, 0) || !c.value && g.makes(f, c.test, 1) {
				return true
			}
		}
		if f.caller == nil {
			break
		}
		if f.lazy && !f.caller.lazy {
			return g.sameEachTime(func(m *node) bool { return m.frame == f }, nil, false)
		}
	}
	return false
}
