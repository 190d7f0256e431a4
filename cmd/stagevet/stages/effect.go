package stages

import (
	"go/ast"
	"go/token"
	"go/types"
)

// effect is what a function does to the memory that a parameter leads to.
type effect int

const (
	onlyReads effect = iota
	changes          // reads some of it, and sets that then
	sets             // sets some of it without a look at what was there
)

// effect is what f does to what param leads to, in the order of the text:
// conditions are taken to hold. Functions of the package that get param itself
// are followed.
func (p *program) effect(f *function, param *types.Var) effect {
	if param == nil || !hasReferences(param.Type()) {
		return onlyReads
	}
	if known, ok := p.effects[param]; ok {
		return known
	}
	s := &effectScan{program: p, read: map[string]bool{}, written: map[string]bool{}, seen: map[*types.Var]bool{}}
	s.scan(f, param)
	found := onlyReads
	switch {
	case s.changes:
		found = changes
	case len(s.written) > 0:
		found = sets
	}
	p.effects[param] = found
	return found
}

// effectScan notes for the fields of what a parameter leads to (or its
// elements, or all of it) what happens to them first.
type effectScan struct {
	*program
	param         *types.Var
	read, written map[string]bool
	changes       bool
	seen          map[*types.Var]bool // parameters that were followed
}

func (s *effectScan) scan(f *function, param *types.Var) {
	if param == nil || s.seen[param] {
		return
	}
	s.seen[param] = true
	outer := s.param
	s.param = param
	ast.Inspect(f.body, s.visit)
	s.param = outer
}

func (s *effectScan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		s.assign(n)
		return false
	case *ast.IncDecStmt:
		s.reads(n.X)
		s.writes(n.X)
		return false
	case *ast.RangeStmt:
		if n.Value == nil && s.root(n.X) == s.param {
			ast.Inspect(n.Body, s.visit)
			return false
		}
	case *ast.BinaryExpr:
		return !s.isNil(n.Y)
	case *ast.CallExpr:
		return s.call(n)
	case *ast.SliceExpr:
		return !isZero(n.High)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.Ident:
		s.reads(n.(ast.Expr))
	}
	return true
}

func (s *effectScan) assign(n *ast.AssignStmt) {
	for _, value := range n.Rhs {
		ast.Inspect(value, s.visit)
	}
	for _, target := range n.Lhs {
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			s.reads(target)
		}
		if s.variable(target) != s.param {
			s.writes(target)
		}
	}
}

// call follows the parameter into functions of the package.
func (s *effectScan) call(n *ast.CallExpr) bool {
	switch {
	case s.isBuiltin(n, "len"), s.isBuiltin(n, "cap"):
		return s.root(n.Args[0]) != s.param
	case s.isBuiltin(n, "copy"):
		ast.Inspect(n.Args[1], s.visit)
		s.writes(n.Args[0])
		return false
	case s.isBuiltin(n, "clear"):
		s.writes(n.Args[0])
		return false
	}
	f := s.callee(n)
	if f == nil {
		return true
	}
	if selector, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && s.variable(selector.X) == s.param {
		s.scan(f, f.params.Recv())
	}
	for i, arg := range n.Args {
		if s.variable(arg) == s.param && i < f.params.Params().Len() {
			s.scan(f, f.params.Params().At(i))
		} else {
			ast.Inspect(arg, s.visit)
		}
	}
	return false
}

// part is the first step from the parameter to e: a field, an element, or all
// of what it leads to. It is empty if e is not the parameter's, or is the
// parameter as a pointer or struct, of which others say what is used.
func (s *effectScan) part(e ast.Expr) string {
	e = ast.Unparen(e)
	if s.variable(e) == s.param {
		if _, slice := s.param.Type().Underlying().(*types.Slice); slice {
			return elements
		}
		return ""
	}
	if s.root(e) != s.param {
		return ""
	}
	for {
		var base ast.Expr
		step := ""
		switch x := e.(type) {
		case *ast.SelectorExpr:
			base, step = x.X, x.Sel.Name
		case *ast.IndexExpr:
			base, step = x.X, elements
		case *ast.SliceExpr:
			base, step = x.X, elements
		case *ast.StarExpr:
			base, step = x.X, whole
		default:
			return ""
		}
		if s.variable(base) == s.param {
			return step
		}
		e = ast.Unparen(base)
	}
}

func (s *effectScan) reads(e ast.Expr) {
	if part := s.part(e); part != "" && !s.written[part] && !s.written[whole] {
		s.read[part] = true
	}
}

func (s *effectScan) writes(e ast.Expr) {
	part := s.part(e)
	if part == "" {
		return
	}
	s.changes = s.changes || s.read[part] || part == whole && len(s.read) > 0 || s.read[whole]
	s.written[part] = true
}
