package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// walk records the events of a statement or expression in the order in which
// it is run. Literals are taken to be run where they are called or passed on.
func (w *walker) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			return w.expression(e)
		}
		return w.statement(n)
	})
}

// statement records the events of a statement, and tells whether its parts
// are still to be walked.
func (w *walker) statement(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		w.assign(n)
	case *ast.IncDecStmt:
		start := len(w.block.events)
		w.walk(n.X)
		w.store(n.X, source{reads: w.readSince(start), end: n.End()})
	case *ast.ValueSpec:
		w.declare(n)
	case *ast.DeferStmt:
		for _, arg := range n.Call.Args {
			w.walk(arg)
		}
	case *ast.ReturnStmt:
		w.results(n)
		return true
	case *ast.RangeStmt:
		w.walk(n.X)
		w.rangeTargets(n)
		w.walk(n.Body)
	default:
		return true
	}
	return false
}

// results reads the named results where a return names none.
func (w *walker) results(n *ast.ReturnStmt) {
	if len(n.Results) > 0 || len(w.running) > 0 {
		return
	}
	for v := range w.fn.params.Results().Variables() {
		if w.follows(v) && v.Name() != "" {
			w.add(event{kind: reads, location: location{v, whole}, at: n.Pos(), pos: n.Pos()})
		}
	}
}

func (w *walker) assign(n *ast.AssignStmt) {
	start := len(w.block.events)
	single := len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE)
	for i, value := range n.Rhs {
		switch {
		case !single:
			w.walk(value)
		case w.cutsItself(n.Lhs[i], value):
			w.walkBounds(ast.Unparen(value).(*ast.SliceExpr))
		default:
			w.assigned(n.Lhs[i], value)
		}
	}
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		w.walk(n.Lhs[0])
	}
	from := source{reads: w.readSince(start), end: n.End()}
	for i, target := range n.Lhs {
		from.value = valueFor(n, i)
		if !single || !w.cutsItself(target, from.value) {
			w.store(target, from)
		}
	}
	if single {
		for i, target := range n.Lhs {
			w.save(target, n.Rhs[i])
		}
	}
}

// assigned walks a value that is assigned to target. A literal is run where it
// is called.
func (w *walker) assigned(target, value ast.Expr) {
	if _, ok := ast.Unparen(value).(*ast.FuncLit); !ok || w.literal(target) == nil {
		w.walk(value)
	}
}

// cutsItself tells whether a slice is given another length, but not none: what
// it holds stays.
func (w *walker) cutsItself(target, value ast.Expr) bool {
	cut, ok := ast.Unparen(value).(*ast.SliceExpr)
	if !ok || cut.Low != nil || isZero(cut.High) {
		return false
	}
	v := w.variable(cut.X)
	return v != nil && v == w.variable(target)
}

// save records that a field of the state gets a local variable's value.
func (w *walker) save(target, value ast.Expr) {
	path, v := w.statePath(target), w.variable(value)
	if path == "" || !w.follows(v) {
		return
	}
	w.saved[v] = append(w.saved[v], path)
	w.add(event{kind: saves, location: location{v, path}})
}

func (w *walker) declare(n *ast.ValueSpec) {
	for i, name := range n.Names {
		start := len(w.block.events)
		from := source{value: zeroValue, end: n.End()}
		switch {
		case len(n.Values) == len(n.Names):
			w.assigned(name, n.Values[i])
			from.value = n.Values[i]
		case len(n.Values) > 0:
			from.value = nil
			if i == 0 {
				w.walk(n.Values[0])
			}
		}
		from.reads = w.readSince(start)
		w.store(name, from)
	}
}

// readSince are the locations read by the events from start on.
func (w *walker) readSince(start int) []location {
	var l []location
	for _, e := range w.block.events[start:] {
		if e.kind == reads {
			l = append(l, e.location)
		}
	}
	return l
}

// expression records the events of an expression, and tells whether its parts
// are still to be walked.
func (w *walker) expression(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		part := whole
		if w.indices[e] {
			part = header
		}
		return !w.read(e, part)
	case *ast.SliceExpr:
		if isZero(e.High) {
			w.walkIndices(e)
			return false
		}
		return !w.read(e, whole)
	case *ast.BinaryExpr:
		if w.isNil(e.Y) {
			w.readHeader(e.X)
			return false
		}
	case *ast.FuncLit:
		w.runLiteral(e, token.NoPos)
		return false
	case *ast.CallExpr:
		w.call(e)
		return false
	}
	return true
}

func isZero(e ast.Expr) bool {
	basic, ok := e.(*ast.BasicLit)
	return ok && basic.Value == "0"
}

// runLiteral walks what a literal does, as done at place. Programs within the
// function are looked at by themselves.
func (w *walker) runLiteral(lit *ast.FuncLit, place token.Pos) {
	f := w.byLiteral[lit]
	if slices.Contains(w.running, lit) || f == nil || f.staged || isProgram(f.params) {
		return
	}
	outer := w.place
	if place.IsValid() && !outer.IsValid() {
		w.place = place
	}
	w.running = append(w.running, lit)
	w.walk(lit.Body)
	w.running = w.running[:len(w.running)-1]
	w.place = outer
}

// isProgram tells whether a function gets the process.
func isProgram(signature *types.Signature) bool {
	for v := range signature.Params().Variables() {
		if isProc(v.Type()) {
			return true
		}
	}
	return false
}
