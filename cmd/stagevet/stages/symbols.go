package stages

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// eachOperand visits v and all that it is computed from, through parameters to
// arguments and through variables that are set once.
func (g *graph) eachOperand(f *frame, v ssa.Value, visit func(*frame, ssa.Value)) {
	seen := map[site]bool{}
	var follow func(*frame, ssa.Value)
	follow = func(f *frame, v ssa.Value) {
		if v == nil || f == nil || seen[site{f, v}] {
			return
		}
		seen[site{f, v}] = true
		visit(f, v)
		switch v := v.(type) {
		case *ssa.Parameter:
			if caller, arg := f.argument(v); arg != nil {
				follow(caller, arg)
			}
			return
		case *ssa.FreeVar:
			return
		case *ssa.UnOp:
			if v.Op == token.MUL {
				if at := g.singleStore(f, v); at != nil {
					follow(at.frame, at.store.Val)
				}
			}
		}
		if i, ok := v.(ssa.Instruction); ok {
			for _, o := range i.Operands(nil) {
				follow(f, *o)
			}
		}
	}
	follow(f, v)
}

// stored is a store in a frame.
type stored struct {
	frame *frame
	store *ssa.Store
}

// singleStore is what sets the variable that is loaded, if there is one such
// store in the source, or nil.
func (g *graph) singleStore(f *frame, load *ssa.UnOp) *stored {
	f, a := variable(f, load.X)
	if a == nil || a.Referrers() == nil {
		return nil
	}
	var found *ssa.Store
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a || found != nil {
				return nil
			}
			found = r
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if setsBinding(r, a) {
				return nil
			}
		default:
			return nil
		}
	}
	if found == nil {
		return nil
	}
	return &stored{f, found}
}

// setsBinding reports whether a closure does more with a variable than load it.
func setsBinding(c *ssa.MakeClosure, a ssa.Value) bool {
	fn := c.Fn.(*ssa.Function)
	for i, b := range c.Bindings {
		if b != a {
			continue
		}
		for _, r := range *fn.FreeVars[i].Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				if setsBinding(r, fn.FreeVars[i]) {
					return true
				}
			default:
				return true
			}
		}
	}
	return false
}

// variable is the local variable that an address is, or nil.
func variable(f *frame, addr ssa.Value) (*frame, *ssa.Alloc) {
	for {
		switch v := addr.(type) {
		case *ssa.Alloc:
			return f, v
		case *ssa.FreeVar:
			maker, value := f.binding(v)
			if value == nil {
				return nil, nil
			}
			f, addr = maker, value
		default:
			return nil, nil
		}
	}
}

// key is v written out: values with the same key are the same, as far as the
// variables in it are.
func (g *graph) key(f *frame, v ssa.Value) string {
	return g.keyTo(f, v, 12)
}

func (g *graph) keyTo(f *frame, v ssa.Value, depth int) string {
	if depth == 0 || v == nil {
		return fmt.Sprintf("%p.%p", f, v)
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.String()
	case *ssa.Parameter:
		if caller, arg := f.argument(v); arg != nil {
			return g.keyTo(caller, arg, depth-1)
		}
	case *ssa.FreeVar:
		if maker, value := f.binding(v); value != nil {
			return g.keyTo(maker, value, depth-1)
		}
	case *ssa.Global, *ssa.Function, *ssa.Builtin:
		return v.String()
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if at := g.singleStore(f, v); at != nil {
				return g.keyTo(at.frame, at.store.Val, depth-1)
			}
		}
		return v.Op.String() + "(" + g.keyTo(f, v.X, depth-1) + ")"
	case *ssa.FieldAddr:
		return g.keyTo(f, v.X, depth-1) + "." + fieldName(v.X.Type(), v.Field)
	case *ssa.BinOp, *ssa.IndexAddr, *ssa.Slice, *ssa.Convert, *ssa.ChangeType, *ssa.Call, *ssa.Extract, *ssa.MakeSlice:
		i := v.(ssa.Instruction)
		var parts []string
		for _, o := range i.Operands(nil) {
			if *o != nil {
				parts = append(parts, g.keyTo(f, *o, depth-1))
			}
		}
		op := fmt.Sprintf("%T", v)
		switch v := v.(type) {
		case *ssa.BinOp:
			op = v.Op.String()
		case *ssa.Extract:
			op += fmt.Sprint(v.Index)
		}
		return op + "(" + strings.Join(parts, ",") + ")"
	}
	return fmt.Sprintf("%p.%p", f, v)
}

// isEmpty reports whether a definition leaves a zero, or nothing in it.
func (g *graph) isEmpty(d *definition) bool {
	if d.made || d.empty {
		return true
	}
	switch v := d.value.(type) {
	case *ssa.Const:
		return v.Value == nil || v.Value.ExactString() == "0" || v.Value.ExactString() == "false" || v.Value.ExactString() == `""`
	case *ssa.Slice:
		return isZero(v.High)
	case *ssa.MakeMap:
		return true
	case *ssa.MakeSlice:
		return isZero(v.Len)
	}
	return false
}

// name is what the source calls a place: by the variable that it is part of, or
// that leads to it, in fn as far as one does.
func (m *memory) name(p place, fn *ssa.Function) string {
	seen := map[*object]bool{}
	for at := []place{p}; len(at) > 0; at = at[1:] {
		o := at[0].object
		if seen[o] {
			continue
		}
		seen[o] = true
		if name := o.named(); name != "" {
			return name + fields(at[0].path)
		}
		var holders []place
		for _, h := range m.objects {
			for path, held := range h.holds {
				for q := range held {
					if q.object == o {
						holders = append(holders, place{h, path + fields(at[0].path)})
					}
				}
			}
		}
		slices.SortFunc(holders, func(a, b place) int {
			return cmp.Or(a.foreignTo(fn)-b.foreignTo(fn), cmp.Compare(a.pos(), b.pos()), cmp.Compare(len(b.path), len(a.path)), strings.Compare(a.path, b.path))
		})
		at = append(at, holders...)
	}
	return ""
}

// foreignTo orders objects: variables of a function first, then other
// variables, then what has no name.
func (o *object) foreignTo(fn *ssa.Function) int {
	switch {
	case o.named() == "":
		return 2
	case o.site.frame != nil && outermost(o.site.frame.fn) == outermost(fn):
		return 0
	}
	return 1
}

func (o *object) pos() token.Pos {
	if v, ok := o.site.value.(ssa.Value); ok {
		return v.Pos()
	}
	return token.NoPos
}

// named is the source's name of a variable, or empty.
func (o *object) named() string {
	switch v := o.site.value.(type) {
	case *ssa.Alloc:
		return allocName(v)
	case *ssa.FreeVar, *ssa.Parameter:
		return o.name
	}
	return ""
}

// fields is a path without elements and references.
func fields(path string) string {
	var found string
	for ; path != ""; path = path[len(step(path)):] {
		if path[0] == '.' {
			found += step(path)
		}
	}
	return found
}

// allocName is the source's name of a variable, or empty.
func allocName(a *ssa.Alloc) string {
	switch a.Comment {
	case "complit", "slicelit", "varargs", "makeslice", "new", "append", "rangeindex", "rangeint.iter":
		return ""
	}
	if !token.IsIdentifier(a.Comment) {
		return ""
	}
	return a.Comment
}

// mayBe reports whether a condition can have a value on the first entry
// (fresh), or on a later one.
func (g *graph) mayBe(f *frame, v ssa.Value, value, fresh bool) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil || (v.Value.String() == "true") == value
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return g.mayBe(f, v.X, !value, fresh)
		}
		if v.Op == token.MUL {
			if s := g.singleStore(f, v); s != nil {
				return g.mayBe(s.frame, s.store.Val, value, fresh)
			}
		}
	case *ssa.Parameter:
		if caller, arg := f.argument(v); arg != nil {
			return g.mayBe(caller, arg, value, fresh)
		}
	case *ssa.Call:
		if isMethodOf(v.Call.StaticCallee(), "Proc", "Fresh") {
			return value == fresh
		}
	case *ssa.Phi:
		for i, e := range v.Edges {
			if g.reached(f, fresh)[v.Block().Preds[i]] && g.mayBe(f, e, value, fresh) {
				return true
			}
		}
		return false
	}
	return true
}

// reached are the blocks of a frame that the first entry, or a later one, may
// come to.
func (g *graph) reached(f *frame, fresh bool) map[*ssa.BasicBlock]bool {
	at := g.feasible[entry{f, fresh}]
	if at != nil {
		return at
	}
	at = map[*ssa.BasicBlock]bool{f.fn.Blocks[0]: true}
	g.feasible[entry{f, fresh}] = at
	for changed := true; changed; {
		changed = false
		for _, b := range f.fn.Blocks {
			if !at[b] {
				continue
			}
			test, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			for i, to := range b.Succs {
				if !at[to] && (test == nil || g.mayBe(f, test.Cond, i == 0, fresh)) {
					at[to], changed = true, true
				}
			}
		}
	}
	return at
}

// mayGo reports whether the first entry, or a later one, may take the i-th edge
// out of a block.
func (g *graph) mayGo(f *frame, b *ssa.BasicBlock, i int, fresh bool) bool {
	return g.reached(f, fresh)[b] && g.mayBe(f, b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond, i == 0, fresh)
}

// nilIf are the variables that are nil if a condition has a value.
func (g *graph) nilIf(f *frame, cond ssa.Value, value bool) []place {
	test, ok := cond.(*ssa.BinOp)
	if !ok || !(test.Op == token.EQL && value || test.Op == token.NEQ && !value) {
		return nil
	}
	load, ok := test.X.(*ssa.UnOp)
	zero, isConst := test.Y.(*ssa.Const)
	if !ok || !isConst || zero.Value != nil || load.Op != token.MUL {
		return nil
	}
	var found []place
	for p := range g.pointees(f, load.X) {
		found = append(found, p)
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// condition is a test that must have come out one way for a block to be run.
type condition struct {
	test  *ssa.If
	value bool
}

// conditions are the tests that a block depends on, innermost first, but for
// those of loops.
func conditions(b *ssa.BasicBlock) []condition {
	var found []condition
	for at := b; at != nil; at = at.Idom() {
		p := at.Idom()
		if p == nil || isHeader(p) || strings.HasPrefix(p.Comment, "rangeint") {
			continue
		}
		test, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok || p.Succs[0].Comment == "rangeint.body" {
			continue
		}
		for i, s := range p.Succs {
			if s.Dominates(b) && len(s.Preds) == 1 {
				found = append(found, condition{test, i == 0})
			}
		}
	}
	return found
}
