package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// call records what a call does to local variables.
func (w *walker) call(call *ast.CallExpr) {
	if w.callBuiltin(call) || w.callLibrary(call) {
		return
	}
	f := w.callee(call)
	if f != nil && f.staged && len(w.running) == 0 && w.fn.loopAt(call.Pos()) == nil {
		w.callStaged(call, f)
		return
	}
	w.callReceiver(call, f)
	for i, arg := range call.Args {
		w.argument(call, f, i, arg)
	}
	if lit := w.literal(call.Fun); lit != nil {
		place := call.Pos()
		if lit == ast.Unparen(call.Fun) {
			place = token.NoPos
		}
		w.runLiteral(lit, place)
	}
}

func (w *walker) callBuiltin(call *ast.CallExpr) bool {
	switch {
	case w.isBuiltin(call, "len"):
		w.readHeader(call.Args[0])
	case w.isBuiltin(call, "cap"): // decides about memory, not about values
	case w.isBuiltin(call, "copy"):
		w.walk(call.Args[1])
		w.fill(call.Args[0], nil, call)
	case w.isBuiltin(call, "clear"):
		w.fill(call.Args[0], zeroValue, call)
	case w.isBuiltin(call, "delete"):
		w.change(call.Args[0], nil, call, false)
		w.walk(call.Args[1])
	default:
		return false
	}
	return true
}

// callLibrary knows which of the library's calls write into slices.
func (w *walker) callLibrary(call *ast.CallExpr) bool {
	f := typeutil.StaticCallee(w.info, call)
	if f == nil {
		return false
	}
	at := -1
	switch name := receiverName(f) + "." + f.Name(); name {
	case "Area.Get", "Area.HPGet":
		at = 2
	case "Queue.Receive":
		at = 0
	default:
		return false
	}
	w.walk(call.Fun)
	for i, arg := range call.Args {
		if i == at {
			w.fill(arg, nil, call)
		} else {
			w.walk(arg)
		}
	}
	return true
}

// callStaged records a call of a function with stages: what it gets is read
// again on each entry, and the process may move in it.
func (w *walker) callStaged(call *ast.CallExpr, f *function) {
	x := &crossing{call: call, name: f.name}
	outer := w.entering
	w.entering = x
	w.walk(call.Fun)
	for _, arg := range call.Args {
		w.walk(arg)
	}
	w.entering = outer
	w.add(event{kind: moves, at: call.Pos(), pos: call.Pos(), cross: x})
	w.block.calls = append(w.block.calls, len(w.block.nodes)-1)
}

// callReceiver records what a method does to the variable it is called on.
func (w *walker) callReceiver(call *ast.CallExpr, f *function) {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	method := typeutil.StaticCallee(w.info, call)
	if !ok || method == nil || method.Signature().Recv() == nil {
		if w.literal(call.Fun) == nil {
			w.walk(call.Fun)
		}
		return
	}
	_, byPointer := method.Signature().Recv().Type().Underlying().(*types.Pointer)
	effect := onlyReads
	switch {
	case f != nil:
		effect = w.effect(f, f.params.Recv())
	case byPointer:
		effect = foreignEffect(method, w.holdsPointer(selector.X))
	}
	w.apply(effect, selector.X, call, byPointer)
}

func (w *walker) holdsPointer(e ast.Expr) bool {
	_, ok := w.info.TypeOf(e).Underlying().(*types.Pointer)
	return ok
}

// argument records what a call does to its i-th argument.
func (w *walker) argument(call *ast.CallExpr, f *function, i int, arg ast.Expr) {
	address, isAddress := ast.Unparen(arg).(*ast.UnaryExpr)
	isAddress = isAddress && address.Op == token.AND
	effect := onlyReads
	switch {
	case f != nil && i < f.params.Params().Len():
		effect = w.effect(f, f.params.Params().At(i))
	case isAddress:
		effect = sets
	}
	if isAddress {
		w.apply(effect, address.X, call, true)
		return
	}
	w.apply(effect, arg, call, false)
}

// apply records an effect on what e is, or on what it leads to.
func (w *walker) apply(effect effect, e ast.Expr, call *ast.CallExpr, direct bool) {
	if _, ok := w.accessOf(e); !ok || effect == onlyReads {
		w.walk(e)
		return
	}
	if effect == changes {
		w.walk(e)
	}
	var value ast.Expr
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && selector.Sel.Name == "Reset" && selector.X == e {
		value = zeroValue
	}
	w.change(e, value, call, direct)
}

// change records that e, or what it leads to, is set, to zeroValue or to what
// is not known, nil.
func (w *walker) change(e, value ast.Expr, call *ast.CallExpr, direct bool) {
	a, ok := w.accessOf(e)
	if !ok {
		w.walk(e)
		return
	}
	w.walkIndices(e)
	if direct && w.holdsPointer(e) {
		direct = false
	}
	if (a.beyond || !direct) && !w.owned(a.variable) {
		return
	}
	if a.part == whole && !direct {
		a.part = elements
	}
	w.define(a, e.Pos(), source{value: value, end: call.End()}, !a.table && !w.isBuiltin(call, "delete"))
}

// foreignEffect is what a method of another package does to its receiver, by
// its name and package. Pointers are taken to be shared with others, unless
// they belong to a type of which each user makes its own.
func foreignEffect(method *types.Func, pointer bool) effect {
	path := ""
	if method.Pkg() != nil {
		path = method.Pkg().Path()
	}
	values := []string{"bytes", "strings", "math/rand", "math/rand/v2", "math/big", "container/list", "container/ring"}
	shared := []string{libraryPath, "sync", "sync/atomic", "log", "log/slog", "flag", "testing", "os", "context"}
	if pointer && !slices.Contains(values, path) || slices.Contains(shared, path) {
		return onlyReads
	}
	if path == "math/big" {
		return bigEffect(method.Name())
	}
	for _, prefix := range []string{"Reset", "Init", "Clear", "Seed", "Truncate", "Set", "Unmarshal", "Decode"} {
		if strings.HasPrefix(method.Name(), prefix) {
			return sets
		}
	}
	return changes
}

// bigEffect is that of a method of a big number: those that give other things
// than numbers only read.
func bigEffect(name string) effect {
	for _, prefix := range []string{"Append", "Bit", "Bytes", "Cmp", "Float", "Format", "Int64", "Is", "Len", "Sign", "String", "Text", "Uint64"} {
		if strings.HasPrefix(name, prefix) {
			return onlyReads
		}
	}
	return sets
}
