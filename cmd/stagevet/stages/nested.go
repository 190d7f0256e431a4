package stages

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// findNested reports stages that begin within a stage.
func (c *check) findNested(f *function) {
	for _, l := range f.loops {
		c.findWithin(l)
	}
}

func (c *check) findWithin(l *loop) {
	report := func(pos token.Pos, what string) {
		c.report(analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(
			"%s within the stage loop at line %d: stage loops follow one another; make the inner one an ordinary loop with Sync", what, l.line)})
	}
	ast.Inspect(l.stmt.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f := c.byLiteral[n]
			return f != nil && !isProgram(f.params)
		case *ast.RangeStmt:
			if c.yieldsStages(n.X) {
				report(n.Pos(), "a stage loop")
			}
		case *ast.CallExpr:
			if f := c.callee(n); f != nil && f.staged && c.literal(n.Fun) == nil {
				report(n.Pos(), f.name+" runs stages")
			}
		}
		return true
	})
}
