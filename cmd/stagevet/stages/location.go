package stages

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Parts of a variable that are followed each for itself. Fields are ".name".
const (
	whole    = "*"
	header   = ""   // length and place of a slice, and all that is no named part
	elements = "[]" // of a slice, array or map
)

// location is a part of a local variable.
type location struct {
	variable *types.Var
	part     string
}

// String is how findings name the location.
func (l location) String() string {
	if len(l.part) > 1 && l.part[0] == '.' {
		return l.variable.Name() + l.part
	}
	return l.variable.Name()
}

// access is what an expression reads or writes of a local variable.
type access struct {
	location
	beyond bool // through a reference that the variable holds
	table  bool // an element of a map
	index  ast.Expr
}

// accessOf finds the local variable that e is a part of.
func (g *graph) accessOf(e ast.Expr) (access, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := g.variable(e)
		return access{location: location{v, whole}}, g.follows(v)
	case *ast.SelectorExpr:
		if s := g.info.Selections[e]; s == nil || s.Kind() != types.FieldVal {
			return access{}, false
		}
		return g.partOf(e.X, "."+e.Sel.Name, nil)
	case *ast.IndexExpr:
		return g.partOf(e.X, elements, e.Index)
	case *ast.SliceExpr:
		a, ok := g.accessOf(e.X)
		return a, ok
	case *ast.StarExpr:
		return g.partOf(e.X, whole, nil)
	}
	return access{}, false
}

func (g *graph) partOf(base ast.Expr, part string, index ast.Expr) (access, bool) {
	a, ok := g.accessOf(base)
	if !ok {
		return a, false
	}
	switch g.info.TypeOf(base).Underlying().(type) {
	case *types.Map:
		a.beyond, a.table = true, true
	case *types.Pointer, *types.Slice:
		a.beyond = true
	}
	if a.part == whole {
		a.part = part
	}
	if index != nil {
		a.index = index
	}
	return a, true
}

// follows tells whether v can carry a value between stages: a variable of the
// function or of one around it, declared outside its stage loops, that is
// neither the process nor the state.
func (g *graph) follows(v *types.Var) bool {
	switch {
	case v == nil || v.IsField() || v.Name() == "_" || isShared(v) || v.Pkg() != g.pkg:
		return false
	case isProc(v.Type()) || g.isState(v):
		return false
	}
	return g.fn.loopAt(v.Pos()) == nil && !g.declaredDeeper(v)
}

// declaredDeeper tells whether v is a stage loop's own variable, or belongs to
// a literal within the function.
func (g *graph) declaredDeeper(v *types.Var) bool {
	for _, l := range g.fn.loops {
		if l.stmt.Tok == token.DEFINE && (g.variable(l.stmt.Key) == v) {
			return true
		}
	}
	for _, lit := range g.literals {
		if lit.Pos() <= v.Pos() && v.Pos() < lit.End() {
			return true
		}
	}
	return false
}

// isState tells whether v is the function's state: a receiver or parameter
// that is a pointer to a struct. What other pointers of callers lead to is not
// followed either.
func (g *graph) isState(v *types.Var) bool {
	isPointer := func(t types.Type) bool {
		_, ok := t.Underlying().(*types.Pointer)
		return ok && !isProc(t)
	}
	if v == g.fn.params.Recv() {
		return isPointer(v.Type())
	}
	for param := range g.fn.params.Params().Variables() {
		if v == param {
			return isPointer(v.Type())
		}
	}
	return false
}

// statePath is e written out if it is a field of the state, however deep, and
// else empty.
func (g *graph) statePath(e ast.Expr) string {
	chain, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	for {
		if s := g.info.Selections[chain]; s == nil || s.Kind() != types.FieldVal {
			return ""
		}
		switch x := ast.Unparen(chain.X).(type) {
		case *ast.SelectorExpr:
			chain = x
		case *ast.Ident:
			if v := g.variable(x); v != nil && g.isState(v) {
				return types.ExprString(ast.Unparen(e))
			}
			return ""
		default:
			return ""
		}
	}
}

// statePaths are the fields of the state that e reads, the longest of each
// chain; what only an address is taken of does not count.
func (g *graph) statePaths(e ast.Expr) []string {
	var paths []string
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.SelectorExpr:
			if path := g.statePath(n); path != "" {
				paths = append(paths, path)
				return false
			}
		}
		return true
	})
	return paths
}

// readsState tells whether e depends on the state.
func (g *graph) readsState(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := g.variable(id)
			found = found || v != nil && g.isState(v)
		}
		return !found
	})
	return found
}
