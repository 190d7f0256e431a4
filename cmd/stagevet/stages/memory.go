package stages

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// kind is where an object's memory stands.
type kind int

const (
	local    kind = iota // made by the program, anew on each entry
	moved                // of the state, an area or a caller: it goes along
	shared               // a package variable
	function             // a closure or function
	boxed                // what an interface holds
	stages               // what Proc.Stages gives
)

// object is a piece of memory, named by the instruction that makes it and the
// frame that runs this instruction.
type object struct {
	kind  kind
	site  site
	name  string
	typ   types.Type // of a boxed value
	fn    *ssa.Function
	holds map[string]places // what its parts point to
	outer bool              // made before the root was entered
}

// place is a part of an object: fields are ".name", elements "[]" or, of an
// array at a constant index, "[3]"; "*" follows a reference.
type place struct {
	*object
	path string
}

type places map[place]bool

func (s places) add(other places) bool {
	before := len(s)
	for p := range other {
		s[p] = true
	}
	return len(s) > before
}

// site is an instruction or value in a frame.
type site struct {
	frame *frame
	value any // ssa.Value or ssa.Instruction
}

// frame is a function in the context of one call: each call of a function that
// is followed has a frame of its own.
type frame struct {
	fn      *ssa.Function
	caller  *frame // nil for the root
	call    ssa.CallInstruction
	args    []ssa.Value // of the caller, nil if others than the caller give them
	maker   *frame      // the frame that made the closure
	closure *ssa.MakeClosure
	lazy    bool // run by sync.Once and its like
	inStage bool
	params  []places
	values  map[ssa.Value]places
	callees map[ssa.CallInstruction][]*frame
	foreign map[ssa.CallInstruction]bool // calls whose callees are run by code of other packages
	loops   map[ssa.CallInstruction]bool // calls that are stage loops
	of      *object                      // the function or closure that is run
	depth   int
}

// memory finds out what references may lead to, without regard to order, in
// the root and in all that it calls in the package.
type memory struct {
	*check
	frames  []*frame
	objects map[site]*object
	changed bool
}

const (
	mostFrames = 3000
	mostDepth  = 10
)

func newMemory(c *check, root *ssa.Function) *memory {
	m := &memory{check: c, objects: map[site]*object{}}
	f := m.newFrame(root)
	for i, p := range root.Params {
		if hasReferences(p.Type()) {
			o := m.object(site{f, p}, moved, p.Name())
			if i == 0 && root.Signature.Recv() != nil && !isProc(p.Type()) && m.cannotMove(p.Type()) {
				o.kind, o.outer = local, true
			}
			f.params[i][place{o, ""}] = true
		}
	}
	for _, v := range root.FreeVars {
		m.object(site{f, v}, local, v.Name()).outer = true
	}
	for m.changed = true; m.changed; {
		m.changed = false
		for i := 0; i < len(m.frames); i++ {
			m.scan(m.frames[i])
		}
	}
	return m
}

func (m *memory) newFrame(fn *ssa.Function) *frame {
	f := &frame{fn: fn, params: make([]places, len(fn.Params)), values: map[ssa.Value]places{},
		callees: map[ssa.CallInstruction][]*frame{}, foreign: map[ssa.CallInstruction]bool{}, loops: map[ssa.CallInstruction]bool{}}
	for i := range f.params {
		f.params[i] = places{}
	}
	m.frames = append(m.frames, f)
	m.changed = true
	return f
}

func (m *memory) object(at site, k kind, name string) *object {
	o := m.objects[at]
	if o == nil {
		o = &object{kind: k, site: at, name: name, holds: map[string]places{}}
		m.objects[at] = o
	}
	return o
}

func one(o *object) places { return places{{o, ""}: true} }

// pointees is what v may lead to.
func (m *memory) pointees(f *frame, v ssa.Value) places {
	switch v := v.(type) {
	case *ssa.Global:
		return one(m.object(site{nil, v}, shared, v.Name()))
	case *ssa.Function:
		o := m.object(site{nil, v}, function, v.Name())
		o.fn = v
		return one(o)
	case *ssa.Parameter:
		for i, p := range f.fn.Params {
			if p == v {
				return f.params[i]
			}
		}
	case *ssa.FreeVar:
		if maker, value := f.binding(v); value != nil {
			return m.pointees(maker, value)
		}
		return one(m.objects[site{f, v}])
	}
	return f.values[v]
}

// binding is what a closure's free variable stands for in the frame that made
// the closure, or nil.
func (f *frame) binding(v *ssa.FreeVar) (*frame, ssa.Value) {
	if f.closure != nil {
		for i, free := range f.fn.FreeVars {
			if free == v {
				return f.maker, f.closure.Bindings[i]
			}
		}
	}
	return nil, nil
}

// argument is what the caller gives for a parameter, or nil.
func (f *frame) argument(v *ssa.Parameter) (*frame, ssa.Value) {
	for i, p := range f.fn.Params {
		if p == v && i < len(f.args) {
			return f.caller, f.args[i]
		}
	}
	return nil, nil
}

func (m *memory) flow(f *frame, v ssa.Value, from places) {
	if len(from) == 0 || !hasReferences(v.Type()) {
		return
	}
	if f.values[v] == nil {
		f.values[v] = places{}
	}
	m.changed = f.values[v].add(from) || m.changed
}

// scan lets the instructions of a frame have their effect on what is known.
func (m *memory) scan(f *frame) {
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			m.instruction(f, instr)
		}
	}
}

func (m *memory) instruction(f *frame, instr ssa.Instruction) {
	of := func(v ssa.Value) places { return m.pointees(f, v) }
	switch i := instr.(type) {
	case *ssa.Alloc:
		m.flow(f, i, one(m.object(site{f, i}, local, i.Comment)))
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		v := i.(ssa.Value)
		m.flow(f, v, one(m.object(site{f, v}, local, "")))
	case *ssa.MakeClosure:
		o := m.object(site{f, i}, function, "")
		o.fn = i.Fn.(*ssa.Function)
		m.flow(f, i, one(o))
	case *ssa.MakeInterface:
		o := m.object(site{f, i}, boxed, "")
		o.typ = i.X.Type()
		m.hold(place{o, ""}, of(i.X))
		m.flow(f, i, one(o))
	case *ssa.FieldAddr:
		m.flow(f, i, m.inside(of(i.X), "."+fieldName(i.X.Type(), i.Field)))
	case *ssa.IndexAddr:
		m.flow(f, i, m.inside(of(i.X), indexPath(i)))
	case *ssa.UnOp:
		m.flow(f, i, m.load(f, i))
	case *ssa.Lookup:
		m.flow(f, i, m.contents(m.inside(of(i.X), "[]"), i.Type()))
	case *ssa.Next:
		m.flow(f, i, m.contents(m.inside(of(i.Iter.(*ssa.Range).X), "[]"), i.Type()))
	case *ssa.Store:
		m.holdAll(of(i.Addr), of(i.Val))
		if load, ok := i.Val.(*ssa.UnOp); ok && load.Op == token.MUL {
			m.copyParts(of(i.Addr), of(load.X))
		}
	case *ssa.MapUpdate:
		m.holdAll(m.inside(of(i.Map), "[]"), of(i.Value))
		m.holdAll(m.inside(of(i.Map), "[]"), of(i.Key))
	case *ssa.Send:
		m.holdAll(m.inside(of(i.Chan), "[]"), of(i.X))
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				m.holdAll(m.inside(of(s.Chan), "[]"), of(s.Send))
			} else {
				m.flow(f, i, m.contents(m.inside(of(s.Chan), "[]"), i.Type()))
			}
		}
	case *ssa.TypeAssert:
		m.flow(f, i, m.unbox(of(i.X), i.AssertedType))
	case ssa.CallInstruction:
		m.callFrom(f, i)
	case ssa.Value: // the same references in another form
		for _, v := range instr.Operands(nil) {
			if *v != nil {
				m.flow(f, i, of(*v))
			}
		}
	}
}

func (m *memory) load(f *frame, i *ssa.UnOp) places {
	switch i.Op.String() {
	case "*":
		return m.contents(m.pointees(f, i.X), i.Type())
	case "<-":
		return m.contents(m.inside(m.pointees(f, i.X), "[]"), i.Type())
	}
	return nil
}

func (m *memory) inside(of places, step string) places {
	in := places{}
	for p := range of {
		if p.kind != function && p.kind != boxed && p.kind != stages {
			in[place{p.object, p.path + step}] = true
		}
	}
	return in
}

func fieldName(t types.Type, i int) string {
	return types.Unalias(t).Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(i).Name()
}

// indexPath is the part that an element is: constant indices count in arrays,
// whose beginning does not shift.
func indexPath(i *ssa.IndexAddr) string {
	if _, array := i.X.Type().Underlying().(*types.Pointer); array {
		if c, ok := i.Index.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
			return "[" + c.Value.ExactString() + "]"
		}
	}
	return "[]"
}

func (m *memory) holdAll(at, what places) {
	for p := range at {
		m.hold(p, what)
	}
}

// copyParts lets each part of some places hold what this part of others does.
func (m *memory) copyParts(to, from places) {
	for p := range from {
		for path, held := range p.holds {
			if path != p.path && covers(p.path, path) {
				for q := range to {
					m.hold(place{q.object, q.path + path[len(p.path):]}, held)
				}
			}
		}
	}
}

func (m *memory) hold(at place, what places) {
	if at.kind != local && at.kind != boxed || len(what) == 0 {
		return
	}
	if at.holds[at.path] == nil {
		at.holds[at.path] = places{}
	}
	m.changed = at.holds[at.path].add(what) || m.changed
}

// contents is what is held at some places. Memory that moves, or that was there
// before the program, leads to more of its kind.
func (m *memory) contents(at places, t types.Type) places {
	all := places{}
	for p := range at {
		for path, held := range p.holds {
			if covers(path, p.path) || covers(p.path, path) {
				all.add(held)
			}
		}
		if p.kind == moved || p.kind == shared || p.outer {
			all[m.beyond(p, t)] = true
		}
	}
	return all
}

const longestPath = 60

func (m *memory) beyond(p place, t types.Type) place {
	if p.kind == local {
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Chan:
		default: // what a pointer leads to may be the state
			return place{m.object(site{p.site.frame, p.object}, moved, p.name), ""}
		}
	}
	if len(p.path) < longestPath {
		p.path += "*"
	}
	return p
}

// covers reports whether a part has another part within.
func covers(part, other string) bool {
	for len(part) > 0 && len(other) > 0 {
		a, b := step(part), step(other)
		if a != b && !(a == "[]" && b[0] == '[') {
			return false
		}
		part, other = part[len(a):], other[len(b):]
	}
	return part == ""
}

// step is the first step of a path.
func step(path string) string {
	if i := strings.IndexAny(path[1:], ".[*"); i >= 0 {
		return path[:i+1]
	}
	return path
}

// unbox is what an interface gives when it is asserted to be t.
func (m *memory) unbox(from places, t types.Type) places {
	got := places{}
	for p := range from {
		switch {
		case p.kind != boxed || types.IsInterface(t):
			got[p] = true
		case types.Identical(p.typ, t):
			got.add(p.holds[""])
		}
	}
	return got
}

// reach is all that can be come to from some places, without functions.
func (m *memory) reach(from places) places {
	all := places{}
	var follow func(places)
	follow = func(next places) {
		for p := range next {
			if p.kind == function || p.kind == stages || all[p] {
				continue
			}
			all[p] = true
			for path, held := range p.holds {
				if covers(p.path, path) || covers(path, p.path) {
					follow(held)
				}
			}
		}
	}
	follow(from)
	return all
}

// callFrom finds out who is called, and what comes back.
func (m *memory) callFrom(f *frame, call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		m.callBuiltin(f, call, b.Name())
		return
	}
	for _, t := range m.targets(f, call) {
		switch {
		case t.kind == stages:
			f.loops[call] = true
			for p := range m.pointees(f, common.Args[0]) {
				if p.kind == function {
					m.enter(f, call, p.object, nil, nil)
				}
			}
		case m.followed(f, t.object, t.args, call):
			callee := m.enter(f, call, t.object, t.values, t.args)
			if v := call.Value(); v != nil {
				m.flow(f, v, callee.results(m))
			}
		default:
			m.callForeign(f, call, t)
		}
	}
}

// target is a function that a call may run.
type target struct {
	*object
	values []ssa.Value // arguments, nil for a receiver that stands in an interface
	args   []places
}

func (m *memory) targets(f *frame, call ssa.CallInstruction) []target {
	common := call.Common()
	var args []places
	for _, v := range common.Args {
		args = append(args, m.pointees(f, v))
	}
	var found []target
	for p := range m.pointees(f, common.Value) {
		switch {
		case common.IsInvoke() && p.kind == boxed:
			if fn := m.ssa.Prog.LookupMethod(p.typ, common.Method.Pkg(), common.Method.Name()); fn != nil {
				o := m.object(site{nil, fn}, function, fn.Name())
				o.fn = fn
				found = append(found, target{o, append([]ssa.Value{nil}, common.Args...), append([]places{p.holds[""]}, args...)})
			}
		case !common.IsInvoke() && (p.kind == function || p.kind == stages):
			found = append(found, target{p.object, common.Args, args})
		}
	}
	return found
}

// followed reports whether a call has a frame: the function is of this package,
// and what it does may matter.
func (m *memory) followed(f *frame, o *object, args []places, call ssa.CallInstruction) bool {
	if f.callee(call, o) != nil {
		return true
	}
	if len(o.fn.Blocks) == 0 || f.depth >= mostDepth || len(m.frames) >= mostFrames {
		return false
	}
	for g := f; g != nil; g = g.caller {
		if g.fn == o.fn {
			return false
		}
	}
	if fn := generic(o.fn); m.staged[fn] || m.mentionsShared[fn] || len(o.fn.FreeVars) > 0 {
		return true
	}
	for _, arg := range args {
		for p := range m.reach(arg) {
			if p.kind == local || p.kind == boxed {
				return true
			}
		}
		for p := range arg {
			if p.kind == function || p.kind == stages {
				return true
			}
		}
	}
	for r := range o.fn.Signature.Results().Variables() {
		if hasReferences(r.Type()) && !types.Identical(r.Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

// enter gives the frame of a call, and passes what the arguments lead to.
func (m *memory) enter(f *frame, call ssa.CallInstruction, o *object, values []ssa.Value, args []places) *frame {
	callee := f.callee(call, o)
	if callee == nil {
		callee = m.newFrame(o.fn)
		callee.of, callee.caller, callee.call, callee.args, callee.depth = o, f, call, values, f.depth+1
		callee.lazy, callee.inStage = f.lazy, f.inStage || f.loops[call]
		if c, ok := o.site.value.(*ssa.MakeClosure); ok {
			callee.maker, callee.closure = o.site.frame, c
		}
		f.callees[call] = append(f.callees[call], callee)
	}
	for i, arg := range args {
		if i < len(callee.params) {
			m.give(callee, i, arg)
		}
	}
	return callee
}

// callee is the frame of a call that runs o, or nil.
func (f *frame) callee(call ssa.CallInstruction, o *object) *frame {
	for _, callee := range f.callees[call] {
		if callee.of == o {
			return callee
		}
	}
	return nil
}

// results is what a frame's returns may give.
func (f *frame) results(m *memory) places {
	all := places{}
	for _, b := range f.fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			for _, v := range r.Results {
				all.add(m.pointees(f, v))
			}
		}
	}
	return all
}

func (m *memory) callBuiltin(f *frame, call ssa.CallInstruction, name string) {
	args := call.Common().Args
	switch name {
	case "append":
		v := call.Value()
		grown := one(m.object(site{f, v}, local, ""))
		grown.add(m.pointees(f, args[0]))
		m.flow(f, v, grown)
		m.holdAll(m.inside(grown, "[]"), m.contents(m.inside(m.pointees(f, args[1]), "[]"), args[1].Type()))
		m.holdAll(m.inside(grown, "[]"), m.contents(m.inside(m.pointees(f, args[0]), "[]"), args[0].Type()))
	case "copy":
		m.holdAll(m.inside(m.pointees(f, args[0]), "[]"), m.contents(m.inside(m.pointees(f, args[1]), "[]"), args[1].Type()))
	}
}

// callForeign takes functions that are given to another package to be run
// there, but for programs, and the result to be made of the arguments: memory
// that moves if one of them is, and otherwise the program's.
func (m *memory) callForeign(f *frame, call ssa.CallInstruction, t target) {
	reached, result := places{}, places{}
	for _, arg := range t.args {
		reached.add(m.reach(arg))
	}
	for _, arg := range t.args {
		for p := range arg {
			if p.kind == function && len(p.fn.Blocks) > 0 && !isProgram(p.fn.Signature) && f.depth < mostDepth && len(m.frames) < mostFrames {
				callee := m.enter(f, call, p.object, nil, nil)
				callee.lazy = callee.lazy || isOnce(t.fn)
				f.foreign[call] = true
				for i := range callee.params {
					m.give(callee, i, reached)
				}
			}
		}
	}
	v := call.Value()
	if v == nil || !hasReferences(v.Type()) {
		return
	}
	switch {
	case isMethodOf(t.fn, "Proc", "Stages"):
		result = one(m.object(site{f, v}, stages, ""))
	case anyMoved(reached):
		result = one(m.object(site{f, v}, moved, ""))
	default:
		o := m.object(site{f, v}, local, "")
		m.hold(place{o, ""}, reached)
		result = one(o)
		for p := range reached {
			if p.kind == local {
				result[p] = true
			}
		}
	}
	if isOnce(t.fn) { // sync.OnceValue gives back what the function gives
		for _, arg := range t.args {
			for p := range arg {
				if p.kind == function {
					result[p] = true
				}
			}
		}
	}
	m.flow(f, v, result)
}

// give adds to what a parameter may lead to.
func (m *memory) give(callee *frame, i int, what places) {
	if hasReferences(callee.fn.Params[i].Type()) {
		m.changed = callee.params[i].add(what) || m.changed
	}
}

func anyMoved(s places) bool {
	for p := range s {
		if p.kind == moved || p.kind == shared {
			return true
		}
	}
	return false
}
