package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// graph is what a root does, in order, with all frames in one.
type graph struct {
	*memory
	nodes    []*node
	at       map[site]*node // of an instruction
	loops    []*loop
	parts    map[*object]map[string]bool // those that are read or set
	feasible map[entry]map[*ssa.BasicBlock]bool
	leaving  map[*node][]exit // of stage loops, before they are over
	lazy     map[way]bool     // branches that make what is missing
}

// entry is a frame on the first entry (fresh), or on later ones.
type entry struct {
	frame *frame
	fresh bool
}

// node is one step, and edge where it leads: fresh on the first entry, and
// again on later ones.
type node struct {
	frame  *frame
	instr  ssa.Instruction
	loop   *loop // whose stage has it, or nil
	edges  []edge
	reads  []place
	sets   []*definition
	forget []place // known to be nil from here on
	moved  []place // memory of the state that is set
	shared []*object
	enters *loop // its stages begin
	ends   *loop // a stage of it ends
	saved  []place
	in     [2]bits // what holds before it, by world
	seen   [2]bool
}

type edge struct {
	to           *node
	fresh, again bool
}

func (n *node) to(m *node) { n.edges = append(n.edges, edge{m, true, true}) }

// loop is a stage loop in one frame.
type loop struct {
	frame *frame
	call  ssa.CallInstruction
	body  *ssa.Function
	node  *node
	outer *loop
}

// definition is a place where a part of an object is set.
type definition struct {
	place
	node   *node
	value  ssa.Value // nil if it is no single value
	strong bool      // nothing of what was there remains
	made   bool      // the object begins here
	empty  bool      // it is left as if it began here
	origin *definition
	why    reason
}

func newGraph(m *memory) *graph {
	g := &graph{memory: m, at: map[site]*node{}, parts: map[*object]map[string]bool{}, lazy: map[way]bool{}, leaving: map[*node][]exit{},
		feasible: map[entry]map[*ssa.BasicBlock]bool{}}
	g.build(m.frames[0], nil)
	for _, n := range g.nodes {
		switch i := n.instr.(type) {
		case *ssa.UnOp:
			if i.Op == token.MUL && g.harmless(n.frame, i) {
				n.reads = nil
			}
		case *ssa.Lookup:
			if i.CommaOk && g.remembers(n.frame, i) {
				n.reads = nil
			}
		}
		for _, p := range n.reads {
			g.note(p)
		}
		for _, d := range n.sets {
			g.note(d.place)
		}
	}
	return g
}

func (g *graph) note(p place) {
	if g.parts[p.object] == nil {
		g.parts[p.object] = map[string]bool{}
	}
	g.parts[p.object][p.path] = true
}

func (g *graph) newNode(f *frame, i ssa.Instruction, in *loop) *node {
	n := &node{frame: f, instr: i, loop: in}
	g.nodes = append(g.nodes, n)
	if i != nil && g.at[site{f, i}] == nil {
		g.at[site{f, i}] = n
	}
	return n
}

// exit is a node before a return, and the boolean that this gives: nil if it
// is not known.
type exit struct {
	node *node
	goes *bool
	jump string // says where to go on behind a loop
}

// copied is a block, and whether a pass of its loop came before: loops are
// taken to make a pass.
type copied struct {
	block *ssa.BasicBlock
	again bool
}

// build adds what a frame does.
func (g *graph) build(f *frame, in *loop) (*node, []exit) {
	heads := map[copied]*node{}
	var exits []exit
	var visit func(c copied) *node
	visit = func(c copied) *node {
		if heads[c] != nil {
			return heads[c]
		}
		head := g.newNode(f, nil, in)
		heads[c] = head
		end := head
		for _, i := range c.block.Instrs {
			end = g.step(f, i, end, in)
			if call, ok := i.(ssa.CallInstruction); ok && f.loops[call] {
				for _, e := range g.leaving[end] {
					if to := goal(c.block, e.jump); to != nil {
						e.node.to(visit(copied{to, false}))
					} else {
						e.node.to(end)
					}
				}
			}
		}
		switch last := c.block.Instrs[len(c.block.Instrs)-1].(type) {
		case *ssa.Return:
			exits = append(exits, exit{end, constantResult(last), jumpOf(last)})
		case *ssa.If:
			for i, to := range c.block.Succs {
				if skips(c, to) {
					continue
				}
				out := g.newNode(f, nil, in)
				out.forget = g.nilIf(f, last.Cond, i == 0)
				out.to(visit(copied{to, isHeader(to) && to.Dominates(c.block)}))
				end.edges = append(end.edges, edge{out, g.mayGo(f, c.block, i, true), g.mayGo(f, c.block, i, false)})
			}
		default:
			for _, to := range c.block.Succs {
				end.to(visit(copied{to, isHeader(to) && to.Dominates(c.block)}))
			}
		}
		return head
	}
	return visit(copied{f.fn.Blocks[0], false}), exits
}

// constantResult is the boolean that a return gives, or nil.
func constantResult(r *ssa.Return) *bool {
	if len(r.Results) == 1 {
		if c, ok := r.Results[0].(*ssa.Const); ok && c.Value != nil && types.Identical(c.Type().Underlying(), types.Typ[types.Bool]) {
			goes := c.Value.String() == "true"
			return &goes
		}
	}
	return nil
}

// isHeader reports whether a block asks whether a loop makes another pass.
func isHeader(b *ssa.BasicBlock) bool {
	return strings.HasSuffix(b.Comment, ".loop") && b.Comment != "rangeint.loop" && b.Comment != "rangefunc.loop"
}

// skips reports whether an edge leaves a loop before its first pass.
func skips(from copied, to *ssa.BasicBlock) bool {
	b := from.block
	if isHeader(b) {
		return !from.again && !comesBack(to, b)
	}
	first := b.Succs[0]
	return first.Comment == "rangeint.body" && !first.Dominates(b) && to != first
}

// comesBack reports whether b leads to the header of a loop within the loop.
func comesBack(b, header *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var follow func(*ssa.BasicBlock) bool
	follow = func(b *ssa.BasicBlock) bool {
		if b == header {
			return true
		}
		if seen[b] || !header.Dominates(b) {
			return false
		}
		seen[b] = true
		for _, to := range b.Succs {
			if follow(to) {
				return true
			}
		}
		return false
	}
	return follow(b)
}

// step adds what an instruction does, and gives the node behind it.
func (g *graph) step(f *frame, instr ssa.Instruction, before *node, in *loop) *node {
	switch i := instr.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select,
		*ssa.Lookup, *ssa.Range, *ssa.RunDefers, *ssa.Call, *ssa.Go:
	case *ssa.UnOp:
		if i.Op != token.MUL && i.Op != token.ARROW {
			return before
		}
	default:
		return before
	}
	n := g.newNode(f, instr, in)
	before.to(n)
	switch i := instr.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		if o := g.objects[site{f, i}]; o != nil {
			g.define(n, places{{o, ""}: true}, nil, true).made = true
		}
	case *ssa.Store:
		g.store(n, i)
	case *ssa.MapUpdate:
		g.define(n, g.inside(g.pointees(f, i.Map), "[]"), i.Value, false)
	case *ssa.Send:
		g.define(n, g.inside(g.pointees(f, i.Chan), "[]"), i.X, false)
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			g.read(n, g.pointees(f, i.X))
		case token.ARROW:
			g.receive(n, i.X)
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				g.define(n, g.inside(g.pointees(f, s.Chan), "[]"), s.Send, false)
			} else {
				g.receive(n, s.Chan)
			}
		}
	case *ssa.Lookup:
		g.read(n, g.inside(g.pointees(f, i.X), "[]"))
	case *ssa.Range:
		g.read(n, g.inside(g.pointees(f, i.X), "[]"))
	case *ssa.RunDefers:
		return g.runDefers(f, n, in)
	case ssa.CallInstruction:
		return g.call(f, i, n, in)
	}
	return n
}

// receive takes an element out of a channel: what was sent is gone.
func (g *graph) receive(n *node, channel ssa.Value) {
	at := g.inside(g.pointees(n.frame, channel), "[]")
	g.read(n, at)
	g.define(n, at, nil, true).empty = true
}

func (g *graph) read(n *node, what places) {
	for p := range what {
		if tracked(p) {
			n.reads = append(n.reads, p)
		}
	}
}

// tracked reports whether a place may carry a value. What a stage makes is
// carried by what leads to it, and variables of the compiler carry none.
func tracked(p place) bool {
	return p.kind == local && !strings.Contains(p.name, "$") && (p.site.frame == nil || !p.site.frame.inStage)
}

// define adds that some places are set, and gives the last of these: one place
// of the program alone is set for certain.
func (g *graph) define(n *node, at places, value ssa.Value, strong bool) *definition {
	d := &definition{node: n, value: value}
	own := 0
	for p := range at {
		_, isCall := n.instr.(ssa.CallInstruction)
		switch {
		case tracked(p):
			own++
			d = &definition{place: p, node: n, value: value}
			n.sets = append(n.sets, d)
		case p.kind == moved:
			n.moved = append(n.moved, p)
		case p.kind == shared && !isCall:
			n.shared = append(n.shared, p.object)
		}
	}
	d.strong = strong && own == 1
	return d
}

// empty adds that all elements in some places are gone.
func (g *graph) empty(n *node, at places) {
	for p := range at {
		if tracked(p) {
			n.sets = append(n.sets, &definition{place: p, node: n, strong: true, empty: true})
		}
	}
}

func (g *graph) store(n *node, i *ssa.Store) {
	at := g.pointees(n.frame, i.Addr)
	if isEmptySlice(i.Val) {
		g.empty(n, g.inside(g.pointees(n.frame, i.Val), "[]"))
	}
	g.define(n, at, i.Val, !g.ownElement(n, i.Addr))
	if load, ok := i.Val.(*ssa.UnOp); ok && load.Op == token.MUL && anyMoved(at) {
		for p := range g.pointees(n.frame, load.X) {
			n.saved = append(n.saved, p)
		}
	}
}

// ownElement reports whether an address is that of an element of the stage's
// own: others are taken to stand for all elements.
func (g *graph) ownElement(n *node, addr ssa.Value) bool {
	i, ok := addr.(*ssa.IndexAddr)
	if !ok || n.loop == nil {
		return false
	}
	own, inner := false, false
	g.eachOperand(n.frame, i.Index, func(f *frame, v ssa.Value) {
		if p, ok := v.(*ssa.Parameter); ok && p.Parent().Synthetic == n.loop.body.Synthetic && f.call == n.loop.call {
			own = true
		}
		if a, ok := v.(*ssa.UnOp); ok && a.Op == token.MUL && f.depth >= n.loop.frame.depth+1 && g.singleStore(f, a) == nil {
			inner = true
		}
	})
	return own && !inner
}

// call adds what a call does: the callees' nodes, and what is known of others.
func (g *graph) call(f *frame, call ssa.CallInstruction, n *node, in *loop) *node {
	if f.loops[call] {
		return g.stageLoop(f, call, n, in)
	}
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		g.builtin(n, b.Name(), common.Args)
		return n
	}
	callees := f.callees[call]
	if len(callees) == 0 || f.foreign[call] {
		g.effects(n, call)
	}
	if len(callees) == 0 {
		return n
	}
	out := g.newNode(f, nil, in)
	for _, callee := range callees {
		begin, exits := g.build(callee, in)
		n.to(begin)
		for _, e := range exits {
			e.node.to(out)
			if f.foreign[call] && !callee.lazy {
				e.node.to(begin)
			}
		}
	}
	return out
}

func (g *graph) runDefers(f *frame, n *node, in *loop) *node {
	for _, b := range f.fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				start := g.newNode(f, i, in)
				n.to(start)
				end := g.call(f, d, start, in)
				out := g.newNode(f, nil, in)
				end.to(out)
				n.to(out)
				n = out
			}
		}
	}
	return n
}

// stageLoop adds a stage loop: on later entries a finished one yields nothing.
func (g *graph) stageLoop(f *frame, call ssa.CallInstruction, n *node, in *loop) *node {
	out := g.newNode(f, nil, in)
	n.edges = append(n.edges, edge{out, len(f.callees[call]) == 0, true})
	for _, callee := range f.callees[call] {
		l := &loop{frame: f, call: call, body: callee.fn, node: n, outer: in}
		g.loops = append(g.loops, l)
		n.enters = l
		if in != nil {
			g.reportNested(l, in)
		}
		begin, exits := g.build(callee, l)
		end := g.newNode(f, nil, in)
		end.ends = l
		n.edges = append(n.edges, edge{begin, true, false})
		end.to(begin)
		end.to(out)
		for _, e := range exits {
			if e.goes == nil || *e.goes {
				e.node.to(end)
			}
			if e.goes == nil || !*e.goes {
				g.leaving[out] = append(g.leaving[out], e)
			}
		}
	}
	return out
}

// jumpOf is the constant with which the body of a range-over-func loop says
// where to go on, or empty.
func jumpOf(r *ssa.Return) string {
	jump := ""
	for _, i := range r.Block().Instrs {
		if s, ok := i.(*ssa.Store); ok && strings.HasPrefix(s.Addr.Name(), "jump$") {
			if c, ok := s.Val.(*ssa.Const); ok {
				jump = c.Value.ExactString()
			}
		}
	}
	return jump
}

// goal is the block to which a jump goes behind a loop that stands in a
// block, or nil.
func goal(b *ssa.BasicBlock, jump string) *ssa.BasicBlock {
	for {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			return nil
		}
		equal, ok := test.Cond.(*ssa.BinOp)
		if !ok || equal.Op != token.EQL {
			return nil
		}
		if c, ok := equal.Y.(*ssa.Const); !ok || c.Value == nil {
			return nil
		} else if c.Value.ExactString() == jump {
			return b.Succs[0]
		}
		b = b.Succs[1]
	}
}

// pos is where a loop stands.
func (l *loop) pos() token.Pos {
	if s, ok := l.body.Syntax().(*ast.RangeStmt); ok {
		return s.Pos()
	}
	return l.call.Pos()
}

func (g *graph) builtin(n *node, name string, args []ssa.Value) {
	of := func(i int) places { return g.inside(g.pointees(n.frame, args[i]), "[]") }
	switch name {
	case "append":
		g.read(n, of(1))
		if v, ok := n.instr.(ssa.Value); ok {
			at := g.inside(g.pointees(n.frame, v), "[]")
			if isEmptySlice(args[0]) {
				g.empty(n, at)
			}
			g.define(n, at, nil, false)
		}
	case "copy":
		g.read(n, of(1))
		g.define(n, of(0), nil, true)
	case "clear":
		g.define(n, of(0), nil, true).empty = true
	case "delete":
		g.define(n, of(0), nil, false)
	case "close":
		g.define(n, of(0), nil, false)
	case "len":
		switch args[0].Type().Underlying().(type) {
		case *types.Map, *types.Chan:
			g.read(n, of(0))
		}
	}
}

// isEmptySlice reports whether v is x[:0].
func isEmptySlice(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	return ok && isZero(s.High)
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == "0"
}

// effects adds what a function of another package does with its arguments.
func (g *graph) effects(n *node, call ssa.CallInstruction) {
	common := call.Common()
	fn := common.StaticCallee()
	for i, arg := range common.Args {
		direct := g.pointees(n.frame, arg)
		at := direct
		switch arg.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			at = g.inside(direct, "[]")
		case *types.Interface:
			at = places{}
			for p := range direct {
				if p.kind == boxed {
					at.add(p.holds[""])
				}
			}
			if _, slice := boxedType(direct).(*types.Slice); slice {
				at = g.inside(at, "[]")
			}
		}
		e := argumentEffect(fn, i, arg)
		if _, name := origin(fn); e == sets && hasPrefix(name, "Scan", "Sscan", "Fscan") && len(direct) > 0 && !isPointer(arg) {
			for p := range g.reach(direct) {
				if p.kind != boxed && p.name != "varargs" {
					g.define(n, places{p: true}, nil, true)
				}
			}
			continue
		}
		if e == reads || e == changes {
			g.read(n, g.reach(at))
		}
		if e >= adds {
			d := g.define(n, at, nil, e >= sets)
			d.empty = e == empties
		}
	}
}

func isPointer(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Pointer)
	return ok
}

// boxedType is the type of what an interface holds, as far as it is one.
func boxedType(s places) types.Type {
	for p := range s {
		if p.kind == boxed {
			return p.typ.Underlying()
		}
	}
	return nil
}
