package stages

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// setAnew tells whether an entry sets the variable to the same field of the
// state as a stage did.
func (t *tracker) setAnew(f fact, again facts) bool {
	if len(f.def.reads) > 0 || !t.fromState(f.def) {
		return false
	}
	for g := range again {
		if g.location() == f.location() && g.def.value != nil &&
			types.ExprString(g.def.value) == types.ExprString(f.def.value) {
			return true
		}
	}
	return false
}

// asAtEntry tells whether a stage leaves the variable as each entry makes it:
// with the same constant, or empty.
func (t *tracker) asAtEntry(f fact, again facts) bool {
	found := false
	for g := range again {
		if g.location() != f.location() {
			continue
		}
		same := t.isEmpty(f) && t.isEmpty(g) || t.constant(f) != "" && t.constant(f) == t.constant(g)
		if !same {
			return false
		}
		found = true
	}
	return found
}

// constant is the constant that a fact's value is, written out, or empty.
func (t *tracker) constant(f fact) string {
	if f.def.value == nil {
		return ""
	}
	if v := t.info.Types[f.def.value].Value; v != nil {
		return v.ExactString()
	}
	return ""
}

// isEmpty tells whether a fact's value is zero, or has no elements.
func (t *tracker) isEmpty(f fact) bool {
	switch e := f.def.value.(type) {
	case nil:
		return false
	case *ast.SliceExpr:
		return isZero(e.High)
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		if t.isBuiltin(e, "make") {
			_, table := t.info.TypeOf(e).Underlying().(*types.Map)
			return table || f.part == elements || isZero(e.Args[1])
		}
	}
	if f.def.value == zeroValue || t.isNil(f.def.value) {
		return true
	}
	v := t.info.Types[f.def.value].Value
	if v == nil {
		return false
	}
	switch v.Kind() {
	case constant.Bool:
		return !constant.BoolVal(v)
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	}
	return false
}

// madeOnDemand tells whether d makes a slice or pointer that is not there or
// too short: then a process that moved makes it again.
func (t *tracker) madeOnDemand(d *definition) bool {
	branches := t.branchesAt(d.from, d.loop.stmt.Body.Pos())
	if d.part != whole || len(branches) == 0 {
		return false
	}
	call, _ := d.value.(*ast.CallExpr)
	last := branches[len(branches)-1]
	if last.test == nil || last.otherwise || call != nil && t.isBuiltin(call, "append") {
		return false
	}
	name := d.variable.Name()
	for _, test := range []string{name + " == nil", "len(" + name + ")", "cap(" + name + ")"} {
		if strings.Contains(last.condition, test) {
			return true
		}
	}
	return false
}
