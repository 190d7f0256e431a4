package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// zeroValue stands for the value of a variable that is declared without one.
var zeroValue ast.Expr = &ast.BadExpr{}

// collectValues records all that the variables of a file are set to.
func (p *program) collectValues(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, target := range n.Lhs {
				p.addValue(target, valueFor(n, i))
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				switch {
				case len(n.Values) == len(n.Names):
					p.addValue(name, n.Values[i])
				case len(n.Values) == 1:
					p.addValue(name, n.Values[0])
				default:
					p.addValue(name, zeroValue)
				}
			}
		case *ast.IncDecStmt:
			p.addValue(n.X, nil)
		case *ast.RangeStmt:
			p.addValue(n.Key, nil)
			p.addValue(n.Value, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				p.addValue(n.X, nil)
			}
		}
		return true
	})
}

// valueFor is what an assignment sets its i-th target to: nil for x op= y.
func valueFor(n *ast.AssignStmt, i int) ast.Expr {
	switch {
	case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
		return nil
	case len(n.Rhs) == len(n.Lhs):
		return n.Rhs[i]
	default:
		return n.Rhs[0]
	}
}

func (p *program) addValue(target, value ast.Expr) {
	v := p.variable(target)
	if v == nil {
		return
	}
	if p.values[v] == nil && p.info.Defs[ast.Unparen(target).(*ast.Ident)] == nil {
		p.values[v] = append(p.values[v], nil) // what a parameter or result has before
	}
	p.values[v] = append(p.values[v], value)
}

// variable is the variable that e names, or nil.
func (p *program) variable(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := p.info.ObjectOf(id).(*types.Var)
	return v
}

// root is the variable at the beginning of a chain of selectors, indices,
// slices and dereferences, or nil.
func (p *program) root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if p.info.Selections[x] == nil {
				v, _ := p.info.Uses[x.Sel].(*types.Var) // of another package
				return v
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		default:
			return p.variable(x)
		}
	}
}

// isShared tells whether v is a variable of a package.
func isShared(v *types.Var) bool {
	return v != nil && !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// ownership is what is known of a variable while others are looked at.
type ownership int

const (
	unknown ownership = iota
	asked             // it is being found out
	isOwned
	isForeign
)

// owned tells whether what v refers to was made by the program in a local
// variable: it is neither the state's nor an area's nor a caller's.
func (p *program) owned(v *types.Var) bool {
	if p.owners[v] == unknown {
		p.owners[v] = isForeign
		if p.ownedBy(v, map[*types.Var]ownership{}) {
			p.owners[v] = isOwned
		}
	}
	return p.owners[v] == isOwned
}

// ownedBy takes a variable that depends on itself to be foreign, as far as
// that goes.
func (p *program) ownedBy(v *types.Var, seen map[*types.Var]ownership) bool {
	if seen[v] == unknown {
		seen[v] = asked
		result := isForeign
		for _, e := range p.values[v] {
			if e != nil && p.makes(e, seen) {
				result = isOwned
				break
			}
		}
		seen[v] = result
	}
	return seen[v] == isOwned
}

// makes tells whether e is memory made here.
func (p *program) makes(e ast.Expr, seen map[*types.Var]ownership) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return !p.refersToOthers(e, seen)
	case *ast.UnaryExpr:
		return e.Op == token.AND && p.makes(e.X, seen)
	case *ast.CallExpr:
		return p.callMakes(e, seen)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
		v := p.root(e)
		return v != nil && !isShared(v) && p.ownedBy(v, seen)
	}
	return false
}

func (p *program) callMakes(call *ast.CallExpr, seen map[*types.Var]ownership) bool {
	if tv := p.info.Types[call.Fun]; tv.IsType() {
		return p.makes(call.Args[0], seen)
	}
	if p.isBuiltin(call, "append") {
		first := call.Args[0]
		v := p.root(first)
		grown := v != nil && seen[v] == asked && slices.Contains(p.values[v], zeroValue)
		return grown || p.isNil(first) || p.makes(first, seen)
	}
	if p.isBuiltin(call, "make") || p.isBuiltin(call, "new") {
		return true
	}
	return !p.refersToOthers(call, seen)
}

// refersToOthers tells whether e mentions references that were not made here,
// so that its result may lead to them.
func (p *program) refersToOthers(e ast.Expr, seen map[*types.Var]ownership) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := p.info.Uses[id].(*types.Var)
		if ok && !v.IsField() && !isProc(v.Type()) && hasReferences(v.Type()) && (isShared(v) || !p.ownedBy(v, seen)) {
			found = true
		}
		return !found
	})
	return found
}

// hasReferences tells whether values of t lead to memory elsewhere.
func hasReferences(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasReferences(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if hasReferences(field.Type()) {
				return true
			}
		}
		return false
	case *types.Signature:
		return false
	}
	return true
}

func (p *program) isBuiltin(call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = p.info.Uses[id].(*types.Builtin)
	return ok
}

func (p *program) isNil(e ast.Expr) bool { return p.info.Types[e].IsNil() }
