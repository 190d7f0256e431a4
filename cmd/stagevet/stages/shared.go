package stages

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// findShared reports package variables that are set where a process may still
// move: in stages, between them, and before them on the first entry only.
func (c *check) findShared(g *graph) {
	for _, b := range g.blocks {
		for i, n := range b.nodes {
			if when := g.whenShared(b, i); when != "" {
				c.reportShared(n, when)
			}
		}
	}
}

// whenShared says when the i-th node of a block is run, if what it sets in the
// package is lost by a move, and else nothing.
func (g *graph) whenShared(b *block, i int) string {
	behind, ahead := b.behind, b.ahead
	for _, call := range b.calls {
		behind = behind || call < i
		ahead = ahead || call > i
	}
	n := b.nodes[i]
	switch l := g.fn.loopAt(n.Pos()); {
	case !ahead:
		return ""
	case l != nil:
		return fmt.Sprintf("in the stage loop at line %d", l.line)
	case behind:
		return "between stages"
	case b.first && !b.again:
		return "on the first entry only"
	}
	return ""
}

// reportShared reports the package variables that n and the functions it calls
// set.
func (c *check) reportShared(n ast.Node, when string) {
	c.eachShared(n, func(target ast.Expr, v *types.Var) {
		c.report(analysis.Diagnostic{Pos: target.Pos(), Message: fmt.Sprintf(
			"the package variable %s is set %s: a process that moves to another rank finds another value there; make it a field of the state", v.Name(), when)})
	})
	for _, f := range c.helpers(n) {
		c.eachShared(f.body, func(target ast.Expr, v *types.Var) {
			c.report(analysis.Diagnostic{Pos: target.Pos(), Message: fmt.Sprintf(
				"the package variable %s is set in %s, which is called %s: a process that moves to another rank finds another value there; make it a field of the state", v.Name(), f.name, when)})
		})
	}
}

// eachShared visits the places in n that set package variables.
func (c *check) eachShared(n ast.Node, visit func(ast.Expr, *types.Var)) {
	check := func(target ast.Expr) {
		if v := c.root(target); isShared(v) {
			visit(target, v)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f := c.byLiteral[n]
			return f != nil && !f.staged && !isProgram(f.params)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, target := range n.Lhs {
					check(target)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		}
		return true
	})
}

// helpers are the functions of the package that n calls, and those they call,
// as far as they have no stages.
func (c *check) helpers(n ast.Node) []*function {
	var found []*function
	seen := map[*function]bool{}
	var follow func(ast.Node)
	follow = func(n ast.Node) {
		c.eachCall(n, func(call *ast.CallExpr) {
			f := c.callee(call)
			if f == nil || f.staged || seen[f] {
				return
			}
			seen[f] = true
			if _, literal := f.node.(*ast.FuncLit); !literal {
				found = append(found, f)
				follow(f.body)
			}
		})
	}
	follow(n)
	return found
}
