package stages

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// calls runs the functions that an instruction may call.
func (r *turn) calls(call ssa.CallInstruction) (after paths) {
	common := call.Common()
	var args []values
	for _, a := range common.Args {
		args = append(args, r.of(a))
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		r.walk.keep(r.path, r.frame, call, r.builtin(call, b.Name(), args))
		return paths{r.path}
	}
	callees := r.of(common.Value)
	for i, v := range callees {
		o, in, r := v.ref.object, args, r
		if i < len(callees)-1 {
			r = r.clone()
		}
		if common.IsInvoke() {
			o, in = r.walk.method(o, common.Method), append([]values{{v}}, args...)
		}
		var ends paths
		switch {
		case o != nil && o.stages && args[0][0].ref.object != nil && args[0][0].ref.object.fn != nil:
			ends = r.runStages(call, args[0][0].ref.object)
		case o != nil && o.fn != nil && r.follows(o.fn):
			ends = r.walk.invoke(r.path, r.frame, call, o.fn, in, o.bindings)
		case o != nil && o.fn != nil:
			ends = r.foreign(call, o.fn, in)
		default:
			ends = r.foreign(call, nil, in)
		}
		for _, end := range ends {
			after.add(end, mostPaths)
		}
	}
	return after
}

// method returns the method of the value in an interface, or nil.
func (w *walk) method(o *object, m *types.Func) *object {
	if o == nil || o.value == nil || types.IsInterface(o.value.Type()) {
		return nil
	}
	selection := w.check.ssa.Prog.MethodSets.MethodSet(o.value.Type()).Lookup(m.Pkg(), m.Name())
	if selection == nil {
		return nil
	}
	fn := w.check.ssa.Prog.MethodValue(selection)
	found := w.object(made{nil, fn, false})
	found.fn = fn
	return found
}

// follows reports whether a function is gone into: recursion is not, nor are calls
// that are too deep.
func (r *turn) follows(fn *ssa.Function) bool {
	for f := r.frame; f != nil; f = f.caller {
		if f.fn == fn {
			return false
		}
	}
	return len(fn.Blocks) > 0 && r.depth < mostDepth
}

// runStages runs a stage loop: values set in a stage are old in the next one. A process
// that has moved enters a loop at any stage, and finds finished loops empty.
func (r *turn) runStages(call ssa.CallInstruction, body *object) (after paths) {
	outer := r.walk.loop
	r.walk.loop = &loop{r.frame, call, body.fn}
	defer func() { r.walk.loop = outer }()
	r.walk.check.ran[call.Parent()] = true
	r.walk.loops[*r.walk.loop] = r.walk.loops[*r.walk.loop] || r.walk.entered
	more := r.walk.register(r.frame, call)
	var ended paths
	for work := (paths{r.path}); len(work) > 0; work = work[1:] {
		for _, end := range r.walk.invoke(work[0], r.frame, call, body.fn, []values{{{taint: ofStage}}}, body.bindings) {
			if end.at(more).key() == zero { // the loop is left
				after.add(end, mostPaths)
				continue
			}
			for o := range end {
				end.change(place{o, ""}, func(v value) value { v.old = v.at != nil; return v })
			}
			if next := ended.add(end, mostPaths); next != nil && !r.walk.entered {
				work = append(work, maps.Clone(next))
			}
		}
	}
	if r.walk.entered {
		ended = paths{r.path}
	}
	return append(after, ended...)
}

// builtin returns the result of a function of the language.
func (r *turn) builtin(call ssa.CallInstruction, name string, args []values) (got values) {
	elements := func(i int) values { return args[i].inside("[]", 0) }
	switch name {
	case "append":
		all := values{{ref: place{r.walk.object(made{r.frame, call, false}), ""}}}.with(args[0]...)
		what := r.define(call, r.load(call, elements(1)))
		for _, v := range all {
			if v.ref.isState() {
				r.effect(call)
			} else if v.ref.object != nil {
				r.path.write(place{v.ref.object, v.ref.path + "[]"}, what, v.key != zero)
			}
			if v.ref.object != nil {
				got = got.with(value{ref: v.ref, taint: args[0].taint() | args[1].taint()})
			}
		}
	case "copy":
		r.store(call, elements(0), r.load(call, elements(1)), false)
	case "clear":
		r.store(call, args[0].inside("", 0), values{{key: zero}}, false)
	case "delete":
		r.store(call, elements(0), values{{taint: ofState}}, true)
	case "len":
		if got = (values{{taint: args[0].taint()}}); args[0].key() == zero {
			got[0].key = zero
		}
		if !is[*types.Slice](call.Common().Args[0].Type()) {
			got = got.with(value{taint: r.load(call, elements(0)).taint()})
		}
	default:
		for _, a := range args {
			got = got.with(value{taint: a.taint()})
		}
	}
	return got
}

// foreign runs a function of another package, or an unknown one: it runs its function
// arguments, and may change the memory that its arguments lead to.
func (r *turn) foreign(call ssa.CallInstruction, fn *ssa.Function, args []values) (after paths) {
	name := nameOf(fn)
	library, got := strings.HasPrefix(name, "bsplib."), value{}
	if slices.Contains(exits, name) {
		r.walk.check.report(analysis.Diagnostic{Pos: call.Pos(), Message: name + " ends all processes at once, and the run has no result: return an error, or call Abort"})
	}
	after = paths{r.path}
	for i, vs := range args {
		got.taint |= vs.taint()
		for _, v := range vs {
			if o := v.ref.object; v.ref.isState() {
				got.ref = v.ref
			} else if o != nil && o.fn != nil && r.follows(o.fn) && !isProgram(o.fn.Signature) {
				after = r.walk.invoke(r.path, r.frame, call, o.fn, make([]values, len(o.fn.Params)), o.bindings)
			}
		}
		for _, r.path = range after {
			r.argument(call, effectOf(fn, name, i), vs, map[place]bool{})
		}
	}
	if library && !slices.Contains(queries, name) {
		r.effect(call)
	}
	v := call.Value()
	if v == nil {
		return after
	}
	o := r.walk.object(made{r.frame, call, false})
	switch {
	case name == "bsplib.Fresh":
		got.key = map[bool]string{true: zero, false: yes}[r.walk.entered]
	case name == "bsplib.Pid", name == "bsplib.NProcs":
		got.key = "?" + name
	case name == "bsplib.Stages":
		o.stages, got.ref = true, place{o, ""}
	case slices.Contains(clocks, name):
		got.taint |= ofClock
	case library && got.ref.object != nil && len(args) == 1:
		got.key = name + " of " + got.ref.name()
	case library:
		o.outer, o.moves = true, true
		got.ref, got.taint = place{o, ""}, ofState
	case got.ref.object == nil && !is[*types.Basic](v.Type()):
		got.ref = place{o, ""}
	}
	for _, p := range after {
		if got.ref.object == o && !library {
			p.write(got.ref, values{{taint: got.taint, at: call, loop: r.walk.loop}}, false)
		}
		r.walk.keep(p, r.frame, call, slices.Repeat([]values{{got}}, max(1, call.Common().Signature().Results().Len()))...)
	}
	return after
}

// argument applies an effect to the memory that an argument leads to.
func (r *turn) argument(call ssa.CallInstruction, how effect, arg values, seen map[place]bool) {
	for _, v := range arg {
		at := values{{ref: v.ref}}
		if v.ref.isState() && how > reads {
			r.effect(call)
		}
		if !v.ref.isLocal() || seen[v.ref] {
			continue
		}
		seen[v.ref] = true
		if how == reads || how == changes {
			r.observe(call, v.ref)
		}
		r.argument(call, how, r.path.read(v.ref), seen)
		switch how {
		case empties:
			r.store(call, at, values{{key: zero}}, false)
		case changes, sets:
			r.store(call, at, values{{taint: ofState}}, false)
		}
	}
}

// effect is the effect of another package's function on the memory that an argument leads
// to.
type effect int

const (
	nothing effect = iota
	reads
	changes // reads and sets it
	sets    // sets it without reading it
	empties // leaves it as it was made
)

// Functions that change their first argument, and that set their second or last; packages
// whose types carry values; the library's functions without effects; and functions whose
// results differ from entry to entry.
var (
	changers = []string{"sort.Ints", "sort.Float64s", "sort.Strings", "sort.Slice", "sort.SliceStable", "sort.Sort", "sort.Stable",
		"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Reverse", "slices.Compact", "slices.CompactFunc",
		"slices.Delete", "slices.DeleteFunc", "slices.Insert", "maps.Copy", "heap.Push", "heap.Pop", "heap.Fix", "heap.Init"}
	setters  = []string{"io.ReadFull", "binary.PutUint16", "binary.PutUint32", "binary.PutUint64", "bsplib.Receive", "bsplib.Broadcast"}
	carriers = []string{"bufio", "bytes", "strings", "rand", "big", "list", "ring"}
	queries  = []string{"bsplib.Fresh", "bsplib.Pid", "bsplib.NProcs", "bsplib.Superstep", "bsplib.Time", "bsplib.Slice", "bsplib.Len", "bsplib.Load", "bsplib.Aside", "bsplib.Runtime"}
	clocks   = []string{"bsplib.Time", "bsplib.Superstep", "time.Now", "rand.Int", "rand.Intn", "rand.Float64"}
)

// effectOf returns the effect of a function on its i-th argument, by the function's name.
func effectOf(fn *ssa.Function, full string, i int) effect {
	pkg, name, _ := strings.Cut(full, ".")
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	receiver := i == 0 && fn != nil && fn.Signature.Recv() != nil
	switch {
	case receiver && !slices.Contains(carriers, pkg):
		return nothing
	case receiver && name == "Reset":
		return empties
	case receiver && has("String", "Len", "Cap", "Bytes", "Cmp", "Int64", "Is", "Sign", "Text", "Uint64", "Append"):
		return reads
	case receiver && (pkg == "big" || has("Init", "Clear", "Seed", "Truncate", "Set")), !receiver && has("Scan", "Sscan", "Fscan", "Unmarshal", "Decode"),
		i == 1 && slices.Contains(setters, full), i == 3 && (full == "bsplib.Get" || full == "bsplib.HPGet"):
		return sets
	case receiver, i == 0 && (slices.Contains(changers, full) || has("Fprint")):
		return changes
	}
	return reads
}

// exits are functions that end the Go program.
var exits = []string{"os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln"}

// nameOf is the package and name of a function, as in sort.Ints, or empty.
func nameOf(fn *ssa.Function) string {
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return ""
	}
	return fn.Object().Pkg().Name() + "." + fn.Object().Name()
}
