package docs_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A cast by unsafe.Pointer from a package's type to another package's type holds two declarations
// to one layout, and no compiler checks that. The test refuses such casts between packages of the module.
// It follows unsafe.Pointer and uintptr through conversions, local variables, arithmetic and the
// arguments of calls, but not into parameters of functions.

// casts returns the refused casts of a tree with their lines.
func (s *source) casts() (wrong []string) {
	for _, p := range s.packages {
		c := &caster{source: s, p: p, assigned: make(map[types.Object][]ast.Expr)}
		for _, file := range p.Syntax {
			ast.Inspect(file, c.assign)
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, c.cast)
		}
		wrong = append(wrong, c.wrong...)
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// caster finds the casts of a package.
type caster struct {
	source   *source
	p        *packages.Package
	assigned map[types.Object][]ast.Expr // to variables that hold addresses
	wrong    []string
}

// assign notes the values that a node assigns to variables that hold addresses.
func (c *caster) assign(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok {
					c.note(id, n.Rhs[i])
				}
			}
		}
	case *ast.ValueSpec:
		for i, value := range n.Values {
			if len(n.Values) == len(n.Names) {
				c.note(n.Names[i], value)
			}
		}
	}
	return true
}

func (c *caster) note(id *ast.Ident, value ast.Expr) {
	if object := c.p.TypesInfo.ObjectOf(id); object != nil && isAddress(object.Type()) {
		c.assigned[object] = append(c.assigned[object], value)
	}
}

// cast checks a node that converts an address to a type.
func (c *caster) cast(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || !c.converts(call) || isAddress(c.typeOf(call)) || !isAddress(c.typeOf(call.Args[0])) {
		return true
	}
	sources, targets := c.names(c.origins(call.Args[0], make(map[types.Object]bool))...), c.names(c.typeOf(call))
	for from := range sources {
		for to := range targets {
			if from.pkg != to.pkg && !sources[to] && !targets[from] {
				at := c.p.Fset.Position(call.Pos())
				c.wrong = append(c.wrong, fmt.Sprintf("%s/%s:%d: unsafe.Pointer casts %v to %v: embed one type in the other, or keep a pointer to it in a field",
					c.source.path(c.p.PkgPath), filepath.Base(at.Filename), at.Line, from, to))
			}
		}
	}
	return true
}

func (c *caster) typeOf(e ast.Expr) types.Type { return c.p.TypesInfo.TypeOf(e) }

// converts reports whether a call is a conversion.
func (c *caster) converts(call *ast.CallExpr) bool {
	return c.p.TypesInfo.Types[call.Fun].IsType() && len(call.Args) == 1
}

// origins returns the types whose values an address may point to.
func (c *caster) origins(e ast.Expr, seen map[types.Object]bool) (all []types.Type) {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return c.origins(e.X, seen)
	case *ast.BinaryExpr:
		return append(c.origins(e.X, seen), c.origins(e.Y, seen)...)
	case *ast.Ident:
		object := c.p.TypesInfo.ObjectOf(e)
		if seen[object] {
			return nil
		}
		seen[object] = true
		for _, value := range c.assigned[object] {
			all = append(all, c.origins(value, seen)...)
		}
	case *ast.CallExpr:
		for _, arg := range e.Args {
			switch t := c.typeOf(arg); {
			case isAddress(t):
				all = append(all, c.origins(arg, seen)...)
			case c.converts(e):
				all = append(all, t)
			}
		}
	}
	return all
}

// isAddress reports whether a type is unsafe.Pointer or uintptr.
func isAddress(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && (basic.Kind() == types.UnsafePointer || basic.Kind() == types.Uintptr)
}

// typeName is a struct type of the module.
type typeName struct{ pkg, name string }

func (n typeName) String() string { return n.pkg + "." + n.name }

// names returns the struct types of the module that types are composed of. A named struct represents
// its fields.
func (c *caster) names(next ...types.Type) map[typeName]bool {
	found, seen := make(map[typeName]bool), make(map[types.Type]bool)
	for len(next) > 0 {
		t := types.Unalias(next[0])
		if next = next[1:]; seen[t] {
			continue
		}
		seen[t] = true
		next = append(next, parts(t)...)
		named, ok := t.(*types.Named)
		if !ok || !c.source.has(named.Obj()) {
			continue
		}
		if _, ok := named.Underlying().(*types.Struct); ok {
			found[typeName{c.source.path(named.Obj().Pkg().Path()), named.Obj().Name()}] = true
		} else {
			next = append(next, named.Underlying())
		}
	}
	return found
}

// parts returns the types that a type is composed of.
func parts(t types.Type) (all []types.Type) {
	switch t := t.(type) {
	case *types.Map:
		all = append(all, t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		all = append(all, t.Elem())
	case *types.Signature:
		all = append(append(all, t.Params()), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			all = append(all, v.Type())
		}
	case *types.Struct:
		for field := range t.Fields() {
			all = append(all, field.Type())
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			all = append(all, arg)
		}
	}
	return all
}
