package stages

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// frame is a function in the context of one call.
type frame struct {
	fn     *ssa.Function
	caller *frame // nil for the root
	call   ssa.CallInstruction
	depth  int
}

// loop is a stage loop: the call in a frame that runs its body.
type loop struct {
	*frame
	call ssa.CallInstruction
	body *ssa.Function
}

// reading is an instruction in a frame that reads a location; and, if it matters, the old value read
// there, in a stage of a loop or in none.
type reading struct {
	*frame
	instr ssa.Instruction
	place place
	value value
	in    *loop
}

// walk simulates the execution of a program by processes.
type walk struct {
	check     *check
	entered   bool  // the process has moved here and not ended a stage since
	loop      *loop // whose stage it is in
	frames    map[frame]*frame
	objects   map[made]*object
	loops     map[loop]bool            // whether a later entry comes to them
	found     map[reading]map[any]bool // values that a later entry has set before the stages, at each reading
	readings  map[reading]bool
	effective map[[2]any]bool // blocks of frames that change more than the program's own memory
	visited   map[*frame]*visited
	steps     int
}

// visit is a visited block, and whether the end of a loop leads to it again.
type visit struct {
	block *ssa.BasicBlock
	again bool
}

// visited contains the paths that reached the blocks of a function, and the paths of its returns.
type visited struct {
	at   map[visit]*paths
	back paths
}

// Bounds keep large programs from taking long: fewer paths are kept apart in called
// functions and after some steps, and calls that are too deep are not followed.
const mostDepth, mostPaths, mostSteps = 10, 3, 300

// made names an object: by the instruction that makes it in a frame, or by the instruction
// whose register it is.
type made struct {
	frame    *frame
	by       any
	register bool
}

func (w *walk) object(m made) *object {
	if w.objects[m] == nil {
		v, _ := m.by.(ssa.Value)
		w.objects[m] = &object{frame: m.frame, value: v}
	}
	return w.objects[m]
}

// register returns the location of an instruction's result.
func (w *walk) register(f *frame, by any) place { return place{w.object(made{f, by, true}), ""} }

// keep stores the results of an instruction in its register.
func (w *walk) keep(p path, f *frame, instr any, results ...values) {
	cells := make([]cell, len(results))
	for i, vs := range results {
		cells[i] = cell{strings.Repeat("+", i), vs}
	}
	p[w.object(made{f, instr, true})] = cells
}

// invoke runs a function, and yields the paths on which it returns, with its results in the registers
// of the call.
func (w *walk) invoke(p path, caller *frame, call ssa.CallInstruction, fn *ssa.Function, args, bindings []values) (back paths) {
	key := frame{fn: fn, caller: caller, call: call}
	if caller != nil {
		key.depth = caller.depth + 1
	}
	if w.frames[key] == nil {
		w.frames[key] = &key
	}
	f := w.frames[key]
	p = maps.Clone(p)
	for i, v := range fn.Params {
		w.keep(p, f, v, args[i])
	}
	for i, v := range fn.FreeVars {
		w.keep(p, f, v, bindings[i])
	}
	most, known := mostPaths, &visited{at: map[visit]*paths{}}
	if f.depth > 1 || w.steps > mostSteps { // facts about a call stay known
		if most = 1; w.visited[f] == nil {
			w.visited[f] = known
		}
		known = w.visited[f]
	}
	type arrival struct {
		visit
		path path
	}
	for work := []arrival{{visit{fn.Blocks[0], false}, p}}; len(work) > 0; w.steps++ {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if known.at[at.visit] == nil {
			known.at[at.visit] = &paths{}
		}
		if w.steps > mostSteps {
			most = 1
		}
		if at.path = known.at[at.visit].add(at.path, most); at.path == nil {
			continue
		}
		b := at.block
		for _, e := range (&turn{w, f, maps.Clone(at.path)}).to(b.Instrs) {
			switch last := b.Instrs[len(b.Instrs)-1].(type) {
			case *ssa.Return:
				w.effective[[2]any{f, b}] = true
				var results []values
				for _, r := range last.Results {
					results = append(results, e.of(r))
				}
				w.keep(e.path, caller, call, results...)
				e.path.collect(f.depth)
				known.back.add(e.path, most)
			case *ssa.Jump:
				e.leave(b)
				work = append(work, arrival{visit{b.Succs[0], b.Succs[0].Dominates(b)}, e.path})
			case *ssa.If:
				for i, next := range b.Succs { // loops make at least one pass
					skips := i == 1 && !at.again && isLoopBody(b.Succs[0])
					branch := e
					if i == 0 {
						branch = e.clone()
					}
					if !skips && branch.assume(last.Cond, i == 0) {
						branch.leave(b)
						work = append(work, arrival{visit{next, next.Dominates(b)}, branch.path})
					}
				}
			}
		}
	}
	for _, end := range known.back {
		back = append(back, maps.Clone(end))
	}
	return back
}

func isLoopBody(b *ssa.BasicBlock) bool {
	return slices.Contains([]string{"for.body", "rangeindex.body", "rangeint.body", "rangeiter.body", "rangechan.body"}, b.Comment)
}

// turn is a block of a frame that is run on a path.
type turn struct {
	walk *walk
	*frame
	path path
}

func (r *turn) clone() *turn { return &turn{r.walk, r.frame, maps.Clone(r.path)} }

// to runs instructions of a block, and returns the turns that reach its end.
func (r *turn) to(instrs []ssa.Instruction) (ends []*turn) {
	for i, instr := range instrs {
		if call, ok := instr.(ssa.CallInstruction); ok {
			for _, p := range r.calls(call) {
				ends = append(ends, (&turn{r.walk, r.frame, p}).to(instrs[i+1:])...)
			}
			return ends
		}
		r.instruction(instr)
	}
	return []*turn{r}
}

// leave drops the registers that only the block uses.
func (r *turn) leave(b *ssa.BasicBlock) {
	for _, instr := range b.Instrs {
		if v, ok := instr.(ssa.Value); ok && !slices.ContainsFunc(*v.Referrers(), func(user ssa.Instruction) bool { return user.Block() != b }) {
			delete(r.path, r.walk.object(made{r.frame, v, true}))
		}
	}
}

// of returns the possible values of an SSA value.
func (r *turn) of(v ssa.Value) values {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || slices.Contains([]string{"0", "false", `""`}, v.Value.ExactString()) {
			return values{{key: zero}}
		}
		return values{{key: "=" + v.Value.ExactString()}}
	case *ssa.Global:
		o := r.walk.object(made{nil, v, false})
		o.outer, o.blank = true, !r.walk.check.initialized[v.Object()]
		return values{{ref: place{o, ""}}}
	case *ssa.Function:
		o := r.walk.object(made{nil, v, false})
		o.fn = v
		return values{{ref: place{o, ""}}}
	case *ssa.Alloc:
		return values{{ref: place{r.walk.object(made{r.frame, v, false}), ""}}}
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return values{{key: filled, ref: place{r.walk.object(made{r.frame, v, false}), ""}}}
	}
	if vs := r.path.at(r.walk.register(r.frame, v)); len(vs) > 0 {
		return vs
	}
	return values{{}}
}

// instruction runs an instruction other than a call.
func (r *turn) instruction(instr ssa.Instruction) {
	var got, second, third values
	v, _ := instr.(ssa.Value)
	switch i := instr.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		r.path.write(place{r.walk.object(made{r.frame, v, false}), ""}, values{{key: zero, at: instr, loop: r.walk.loop}}, false)
	case *ssa.MakeClosure:
		o := r.walk.object(made{r.frame, i, false})
		o.fn, o.bindings = i.Fn.(*ssa.Function), nil
		for _, b := range i.Bindings {
			o.bindings = append(o.bindings, r.of(b))
		}
		got = values{{ref: place{o, ""}}}
	case *ssa.FieldAddr:
		t := types.Unalias(i.X.Type()).Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		got = r.of(i.X).inside("."+t.Field(i.Field).Name(), 0)
	case *ssa.IndexAddr:
		got = r.element(i.X, i.Index)
	case *ssa.Lookup:
		if got = r.load(instr, r.element(i.X, i.Index)); i.CommaOk {
			second = values{{taint: got.taint()}}
		}
	case *ssa.Next:
		got = r.load(instr, r.of(i.Iter.(*ssa.Range).X).inside("[]", 0))
		got, second, third = values{{taint: got.taint()}}, got, got
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			got = r.load(instr, r.of(i.X))
		case token.ARROW: // leaves the channel empty
			got = r.load(instr, r.of(i.X).inside("[]", 0))
			r.store(instr, r.of(i.X).inside("[]", 0), values{{key: zero}}, false)
		case token.NOT:
			got = compare(token.EQL, r.of(i.X), values{{key: zero}})
		}
	case *ssa.BinOp:
		got = compare(i.Op, r.of(i.X), r.of(i.Y))
	case *ssa.Slice:
		got = r.of(i.X).each(func(v value) value {
			v = value{ref: v.ref, taint: v.taint}
			if i.High != nil && r.of(i.High).key() == zero { // x[:0] is empty
				v.key, v.taint = zero, 0
			} else if i.Low != nil {
				v.taint |= r.of(i.Low).taint()
			}
			return v
		})
	case *ssa.Extract:
		got = r.path.at(place{r.walk.object(made{r.frame, i.Tuple, true}), strings.Repeat("+", i.Index)})
	case *ssa.Phi:
		for _, v := range i.Edges {
			got = got.with(r.of(v)...)
		}
	case *ssa.TypeAssert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Convert, *ssa.MultiConvert, *ssa.Range:
		if got = r.of(*instr.Operands(nil)[0]); is[*types.Tuple](v.Type()) {
			second = values{{taint: got.taint()}}
		}
	case *ssa.Store:
		at := r.of(i.Addr)
		r.store(instr, at, r.of(i.Val), at.taint()&ofStage != 0 && !isLoopBody(i.Block()))
	case *ssa.MapUpdate:
		r.store(instr, r.element(i.Map, i.Key), r.of(i.Value).with(r.of(i.Key)...), true)
	case *ssa.Send:
		r.store(instr, r.of(i.Chan).inside("[]", 0), r.of(i.X), true)
	}
	if v != nil {
		r.walk.keep(r.path, r.frame, v, got, second, third)
	}
}

// element returns the addresses of elements; a single address represents all.
func (r *turn) element(x, index ssa.Value) values {
	return r.of(x).inside("[]", r.of(index).taint())
}

// load returns the possible values at addresses.
func (r *turn) load(instr ssa.Instruction, at values) (got values) {
	for _, a := range at {
		if a.ref.object == nil {
			got = got.with(value{taint: a.taint})
			continue
		}
		for _, v := range r.observe(instr, a.ref) {
			v = value{key: v.key, ref: v.ref, taint: v.taint, from: a.ref, at: v.at}
			if a.ref.isState() {
				v.taint |= a.taint
			}
			got = got.with(v)
		}
	}
	return got
}

// observe notes a reading.
func (r *turn) observe(instr ssa.Instruction, at place) values {
	point := reading{frame: r.frame, instr: instr, place: at}
	if r.walk.entered && r.walk.found[point] == nil {
		r.walk.found[point] = map[any]bool{}
	}
	found := r.path.read(at)
	for _, v := range found {
		if r.walk.entered && v.loop == nil {
			r.walk.found[point][v.same()] = true
		}
		if !r.walk.entered && v.old {
			r.walk.readings[reading{r.frame, instr, at, v, r.walk.loop}] = true
		}
	}
	return found
}

// store sets memory at addresses, or adds to its possible values.
func (r *turn) store(instr ssa.Instruction, at, what values, weak bool) {
	for _, a := range at {
		switch {
		case a.ref.isState():
			r.effect(instr)
			for _, v := range what {
				r.path.change(v.from, func(v value) value { v.back = a.ref.name(); return v })
			}
		case a.ref.object != nil:
			r.path.write(a.ref, r.define(instr, what), weak)
			for _, v := range what { // structs and arrays part by part
				for _, c := range r.path[v.from.object] {
					if part, ok := strings.CutPrefix(c.part, v.from.path); ok && part != "" && v.from.object != a.ref.object {
						r.path.put(place{a.ref.object, a.ref.path + part}, r.define(instr, c.values))
					}
				}
			}
		}
	}
}

// define returns the values, marked as set by an instruction. An instruction without a position,
// which passes a value to a parameter, does not replace the mark.
func (r *turn) define(instr ssa.Instruction, what values) values {
	return what.each(func(v value) value {
		if instr.Pos().IsValid() || v.at == nil {
			v.at = instr
		}
		return value{key: v.key, ref: v.ref, taint: v.taint, at: v.at, loop: r.walk.loop}
	})
}

// effect notes that an instruction changes memory that is not the program's own.
func (r *turn) effect(instr ssa.Instruction) {
	b := instr.Block()
	for f := r.frame; ; f = f.caller {
		if r.walk.effective[[2]any{f, b}] = true; f.caller == nil {
			return
		}
		b = f.call.Block()
	}
}

// compare is the result of a binary operation.
func compare(op token.Token, x, y values) values {
	got := value{taint: x.taint() | y.taint()}
	if a, b := x.key(), y.key(); (op == token.EQL || op == token.NEQ) && a != "" && b != "" && strings.Contains("=?", a[:1]) && b[0] == '=' {
		switch {
		case a[0] == '?':
			got.key = a + op.String() + b
		case (a == b) == (op == token.EQL):
			got.key = yes
		default:
			got.key = zero
		}
	}
	return values{got}
}

// assume restricts the path to a result of a condition, and reports whether that is
// possible.
func (r *turn) assume(cond ssa.Value, want bool) bool {
	key, truth := r.of(cond).key(), map[bool]string{true: yes, false: zero}
	if key == yes || key == zero {
		return key == truth[want]
	}
	if strings.HasPrefix(key, "?") { // comes out alike elsewhere
		fact := place{facts, key}
		if known := r.path.at(fact).key(); known != "" && known != truth[want] {
			return false
		}
		r.path.put(fact, values{{key: truth[want]}})
	}
	key, equal := truth[want], true
	if test, ok := cond.(*ssa.BinOp); ok {
		if key = r.of(test.Y).key(); !strings.HasPrefix(key, "=") || test.Op != token.EQL && test.Op != token.NEQ {
			return true
		}
		cond, equal = test.X, want == (test.Op == token.EQL)
		if isBuiltin(cond, "len") && key == zero {
			cond = cond.(*ssa.Call).Call.Args[0]
		}
	}
	at := r.of(cond)[0].from
	if at.object == nil || r.path.at(at) == nil {
		return true
	}
	var left values
	for _, v := range r.path.at(at) {
		if known := strings.HasPrefix(v.key, "="); known && equal != (v.key == key) {
			continue
		} else if !known && equal && v.loop != nil {
			v.key, v.ref, v.taint = key, place{}, 0
		}
		left = left.with(v)
	}
	r.path.put(at, left)
	return len(left) > 0
}

var facts = &object{}

func isBuiltin(v any, name string) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}
