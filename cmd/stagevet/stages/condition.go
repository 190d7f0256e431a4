package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

func isBoolean(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// mayBe tells whether a condition can have a value while Fresh is fresh.
func (p *program) mayBe(condition ast.Expr, value, fresh bool) bool {
	switch e := p.settled(condition).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return p.mayBe(e.X, !value, fresh)
		}
	case *ast.BinaryExpr:
		x, y := p.mayBe(e.X, value, fresh), p.mayBe(e.Y, value, fresh)
		switch {
		case e.Op == token.LAND && value, e.Op == token.LOR && !value:
			return x && y
		case e.Op == token.LAND, e.Op == token.LOR:
			return x || y
		}
	case *ast.CallExpr:
		if p.isMethod(e, "Fresh") {
			return value == fresh
		}
	}
	return true
}

// nilIf are the variables that are nil if a condition has a value.
func (p *program) nilIf(condition ast.Expr, value bool) []*types.Var {
	e, ok := ast.Unparen(condition).(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	switch {
	case e.Op == token.LAND && value, e.Op == token.LOR && !value:
		return append(p.nilIf(e.X, value), p.nilIf(e.Y, value)...)
	case e.Op == token.EQL && value, e.Op == token.NEQ && !value:
		if v := p.variable(e.X); v != nil && p.isNil(e.Y) {
			return []*types.Var{v}
		}
	}
	return nil
}

// branch is code that is run under a condition only.
type branch struct {
	from, to  token.Pos
	condition string
	test      ast.Expr // nil for cases
	otherwise bool
}

func (g *graph) collectBranches() {
	ast.Inspect(g.fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			text := types.ExprString(n.Cond)
			g.branches = append(g.branches, branch{n.Body.Pos(), n.Body.End(), text, n.Cond, false})
			if n.Else != nil {
				g.branches = append(g.branches, branch{n.Else.Pos(), n.Else.End(), "not " + text, n.Cond, true})
			}
		case *ast.SwitchStmt:
			g.addCases(n.Tag, n.Body)
		case *ast.TypeSwitchStmt:
			g.addCases(nil, n.Body)
		case *ast.SelectStmt:
			g.addCases(nil, n.Body)
		}
		return true
	})
}

func (g *graph) addCases(tag ast.Expr, body *ast.BlockStmt) {
	for _, clause := range body.List {
		b := branch{from: clause.Pos(), to: clause.End(), condition: "one of several cases"}
		if c, ok := clause.(*ast.CaseClause); ok && len(c.List) == 1 {
			b.condition = types.ExprString(c.List[0])
			if tag != nil {
				b.condition = types.ExprString(tag) + " == " + b.condition
			}
		}
		g.branches = append(g.branches, b)
	}
}

// branchesAt are the branches that have pos, outermost first, from a place on.
func (g *graph) branchesAt(pos, from token.Pos) []branch {
	var at []branch
	for _, b := range g.branches {
		if from <= b.from && b.from <= pos && pos < b.to {
			at = append(at, b)
		}
	}
	slices.SortFunc(at, func(a, b branch) int { return int(a.from - b.from) })
	return at
}

// implies tells whether the conditions of some branches include those of
// others.
func implies(some, others []branch) bool {
	for _, b := range others {
		same := func(a branch) bool {
			return a.condition == b.condition && a.condition != "one of several cases" || a.from == b.from
		}
		if !slices.ContainsFunc(some, same) {
			return false
		}
	}
	return true
}
