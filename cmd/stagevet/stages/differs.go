package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// clock is what d takes that has another value at each entry, or empty.
func (t *tracker) clock(d *definition) string {
	if d.value == nil {
		return ""
	}
	name := ""
	t.eachCall(d.value, func(call *ast.CallExpr) {
		f := typeutil.StaticCallee(t.info, call)
		if f == nil || f.Pkg() == nil {
			return
		}
		method := f.Signature().Recv() != nil
		switch path := f.Pkg().Path(); {
		case receiverName(f) == "Proc" && (f.Name() == "Time" || f.Name() == "Superstep"),
			path == "time" && (f.Name() == "Now" || f.Name() == "Since"),
			strings.HasPrefix(path, "math/rand") && !method && !strings.HasPrefix(f.Name(), "New"):
			name = types.ExprString(call)
		}
	})
	return name
}

// staleField is the field of the state that d copies and the loop of x sets,
// or empty.
func (t *tracker) staleField(d *definition, x *crossing) string {
	if d.value == nil || x.loop == nil {
		return ""
	}
	for _, path := range t.statePaths(d.value) {
		if !slices.Contains(t.saved[d.variable], path) && t.setsField(x.loop.stmt.Body, path) {
			return path
		}
	}
	return ""
}

// setsField tells whether a loop's body sets a field of the state, or a struct
// that has it.
func (t *tracker) setsField(body *ast.BlockStmt, path string) bool {
	found := false
	check := func(target ast.Expr) {
		set := t.statePath(target)
		found = found || set != "" && (set == path || strings.HasPrefix(path, set+"."))
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, target := range n.Lhs {
					check(target)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		}
		return !found
	})
	return found
}
