package stages

import (
	"go/ast"
	"go/token"
	"go/types"
)

type eventKind int

const (
	reads  eventKind = iota
	writes           // a definition
	saves            // the state gets what a variable holds
	moves            // the process may move
)

// event is something that happens to a local variable, or to all.
type event struct {
	kind eventKind
	location
	at, pos  token.Pos // its place in the order of the program, and where findings show it
	index    string    // of the element read
	entering *crossing // what is read here is read again on each entry before these stages
	def      *definition
	cross    *crossing
}

// definition is a place where a location is set.
type definition struct {
	location
	from, at token.Pos // its statement in the order of the program
	pos      token.Pos // where findings show it
	block    *block
	loop     *loop    // the stage loop that has it
	value    ast.Expr // nil if it is no single expression
	index    string   // of the element that is set
	certain  bool     // nothing of what was there remains
	reads    []location
	madeOf   *definition // set on the first entry only, and this value depends on it
}

// walker turns the nodes of a block into events.
type walker struct {
	*graph
	block    *block
	entering *crossing
	place    token.Pos      // of a call, while the literal that it runs is walked
	running  []*ast.FuncLit // literals that are being walked
}

// at is where pos stands in the order of the program.
func (w *walker) at(pos token.Pos) token.Pos {
	if w.place.IsValid() {
		return w.place
	}
	return pos
}

func (w *walker) add(e event) { w.block.events = append(w.block.events, e) }

func (w *walker) note(l location) {
	if l.part == whole || l.part == header {
		return
	}
	if w.parts[l.variable] == nil {
		w.parts[l.variable] = map[string]bool{}
	}
	w.parts[l.variable][l.part] = true
}

// read records that e is read, if it is part of a local variable.
func (w *walker) read(e ast.Expr, part string) bool {
	a, ok := w.accessOf(e)
	if !ok {
		return false
	}
	if a.part == whole {
		a.part = part
	}
	w.note(a.location)
	w.add(event{kind: reads, location: a.location, at: w.at(e.Pos()), pos: e.Pos(), index: indexText(a.index), entering: w.entering})
	w.walkIndices(e)
	return true
}

// readHeader records that of e only length or place are read.
func (w *walker) readHeader(e ast.Expr) {
	part := header
	if _, table := w.info.TypeOf(e).Underlying().(*types.Map); table {
		part = whole
	}
	if !w.read(e, part) {
		w.walk(e)
	}
}

func indexText(index ast.Expr) string {
	if index == nil {
		return ""
	}
	return types.ExprString(index)
}

// walkIndices walks the indices in a chain of selectors, indices and slices.
func (w *walker) walkIndices(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		w.walkIndices(e.X)
	case *ast.StarExpr:
		w.walkIndices(e.X)
	case *ast.IndexExpr:
		w.walkIndices(e.X)
		w.walk(e.Index)
	case *ast.SliceExpr:
		w.walkIndices(e.X)
		w.walkBounds(e)
	}
}

func (w *walker) walkBounds(e *ast.SliceExpr) {
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			w.walk(bound)
		}
	}
}

// source is what a store comes from.
type source struct {
	value ast.Expr
	reads []location
	end   token.Pos // of the statement
}

// store records that target is set.
func (w *walker) store(target ast.Expr, from source) {
	a, ok := w.accessOf(target)
	if !ok {
		w.walk(target)
		return
	}
	w.walkIndices(target)
	if a.beyond {
		w.add(event{kind: reads, location: location{a.variable, header}, at: w.at(target.Pos()), pos: target.Pos(), entering: w.entering})
		if !w.owned(a.variable) {
			return
		}
	}
	w.define(a, target.Pos(), from, !a.table && w.coversAll(a.index, w.at(from.end)))
}

// define records a definition.
func (w *walker) define(a access, pos token.Pos, from source, certain bool) {
	w.note(a.location)
	d := &definition{
		location: a.location, from: w.at(pos), at: w.at(from.end), pos: pos, block: w.block,
		index: indexText(a.index), certain: certain, reads: from.reads,
	}
	if a.part == whole || from.value == zeroValue {
		d.value = from.value
	}
	d.loop = w.fn.loopAt(d.at)
	w.writes = append(w.writes, d)
	w.add(event{kind: writes, location: d.location, at: d.at, pos: pos, def: d})
}

// coversAll tells whether elements with that index may be all that a pass
// reads: not if each pass sets one of its own.
func (w *walker) coversAll(index ast.Expr, at token.Pos) bool {
	l := w.fn.loopAt(at)
	if index == nil || l == nil || l.stmt.Key == nil {
		return true
	}
	stage, own, inner := w.variable(l.stmt.Key), false, false
	ast.Inspect(index, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := w.variable(id)
			own = own || v != nil && v == stage
			inner = inner || v != nil && l.has(v.Pos()) && v.Pos() > l.stmt.Body.Pos()
		}
		return true
	})
	return !own || inner
}

// fill records that the elements of target are set: to zeroValue, or to what
// is not known, nil.
func (w *walker) fill(target, value ast.Expr, call *ast.CallExpr) {
	a, ok := w.accessOf(target)
	if !ok {
		w.walk(target)
		return
	}
	w.read(target, header)
	if a.part == whole {
		a.part = elements
	}
	if w.owned(a.variable) {
		w.define(a, target.Pos(), source{value: value, end: call.End()}, true)
	}
}

// rangeTargets sets the variables of a range statement at the start of its
// body.
func (w *walker) rangeTargets(s *ast.RangeStmt) {
	for _, target := range []ast.Expr{s.Key, s.Value} {
		if target != nil {
			w.store(target, source{end: s.Body.Pos()})
		}
	}
}
