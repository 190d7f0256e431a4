package stages

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/cfg"
)

// graph is a staged function's flow of control, with what happens to its local
// variables on the way.
type graph struct {
	*check
	fn       *function
	literals []*ast.FuncLit // within the function
	branches []branch
	blocks   []*block
	parts    map[*types.Var]map[string]bool // that are read or written each for itself
	indices  map[ast.Expr]bool              // range expressions of which only indices are taken
	writes   []*definition
	saved    map[*types.Var][]string // fields of the state that variables are written back to
}

// block is code without branches.
type block struct {
	events []event
	nodes  []ast.Node
	calls  []int // nodes that call functions with stages
	edges  []edge

	first  bool // reached on a first entry
	again  bool // reached on a later entry, before its first stage
	behind bool // reached after stages have begun
	ahead  bool // stages may end or begin behind it
}

// edge leads to another block.
type edge struct {
	to      *block
	cross   *crossing    // the end of a stage
	isNil   []*types.Var // variables that are nil if it is taken
	onFirst bool         // it can be taken while Fresh is true
	onAgain bool         // it can be taken while Fresh is false
	enters  *crossing    // into a stage of that loop
}

// crossing is a place where the process may move: the end of a loop's stages,
// or a call of a function with stages.
type crossing struct {
	loop *loop // nil for a call
	call *ast.CallExpr
	name string // of the function called
}

// end is where the code behind the crossing begins.
func (x *crossing) end() token.Pos {
	if x.loop != nil {
		return x.loop.stmt.End()
	}
	return x.call.End()
}

// newGraph builds the graph of a staged function.
func (c *check) newGraph(f *function) *graph {
	g := &graph{check: c, fn: f, parts: map[*types.Var]map[string]bool{}, indices: map[ast.Expr]bool{}, saved: map[*types.Var][]string{}}
	g.collectLiterals()
	g.collectBranches()
	flow := cfg.New(f.body, c.mayReturn)
	blocks := make(map[*cfg.Block]*block, len(flow.Blocks))
	for _, from := range flow.Blocks {
		if from.Live {
			blocks[from] = &block{}
			g.blocks = append(g.blocks, blocks[from])
		}
	}
	loops := g.loopCrossings()
	targets := g.rangeExpressions()
	for _, from := range flow.Blocks {
		b := blocks[from]
		if b == nil {
			continue
		}
		w := &walker{graph: g, block: b}
		if s, ok := from.Stmt.(*ast.RangeStmt); ok && from.Kind == cfg.KindRangeBody {
			w.rangeTargets(s)
		}
		for _, n := range from.Nodes {
			if x, ok := n.(ast.Expr); ok && targets[x] {
				continue
			}
			w.entering = entered(loops, n)
			b.nodes = append(b.nodes, n)
			w.walk(n)
		}
		for i, to := range from.Succs {
			b.edges = append(b.edges, g.edge(loops, from, i, blocks[to]))
		}
	}
	g.reach()
	return g
}

func (g *graph) collectLiterals() {
	ast.Inspect(g.fn.body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			g.literals = append(g.literals, lit)
		}
		return true
	})
}

// loopCrossings are the crossings of the function's own loops.
func (g *graph) loopCrossings() map[*ast.RangeStmt]*crossing {
	crossings := map[*ast.RangeStmt]*crossing{}
	for _, l := range g.fn.loops {
		crossings[l.stmt] = &crossing{loop: l}
	}
	return crossings
}

// entered is the crossing of the loop that n gives the stages of, or nil.
func entered(loops map[*ast.RangeStmt]*crossing, n ast.Node) *crossing {
	for s, x := range loops {
		if s.X == n {
			return x
		}
	}
	return nil
}

// rangeExpressions notes which range expressions only give indices, and returns
// the variables of range statements, which the flow graph has beside them.
func (g *graph) rangeExpressions() map[ast.Expr]bool {
	targets := map[ast.Expr]bool{}
	ast.Inspect(g.fn.body, func(n ast.Node) bool {
		if s, ok := n.(*ast.RangeStmt); ok {
			targets[s.Key], targets[s.Value] = true, true
			if _, table := g.info.TypeOf(s.X).Underlying().(*types.Map); !table && s.Value == nil {
				g.indices[s.X] = true
			}
		}
		return true
	})
	return targets
}

// edge describes the way from a block to its i-th successor.
func (g *graph) edge(loops map[*ast.RangeStmt]*crossing, from *cfg.Block, i int, to *block) edge {
	e := edge{to: to, onFirst: true, onAgain: true}
	target := from.Succs[i]
	if s, ok := target.Stmt.(*ast.RangeStmt); ok && loops[s] != nil {
		switch {
		case target.Kind == cfg.KindRangeBody:
			e.enters = loops[s]
		case target.Kind == cfg.KindRangeLoop && !hasNode(from, s.X):
			e.cross = loops[s]
		}
	}
	if len(from.Succs) != 2 || len(from.Nodes) == 0 {
		return e
	}
	condition, ok := from.Nodes[len(from.Nodes)-1].(ast.Expr)
	if !ok || !isBoolean(g.info.TypeOf(condition)) {
		return e
	}
	e.onFirst = g.mayBe(condition, i == 0, true)
	e.onAgain = g.mayBe(condition, i == 0, false)
	e.isNil = g.nilIf(condition, i == 0)
	return e
}

func hasNode(b *cfg.Block, n ast.Node) bool {
	for _, m := range b.Nodes {
		if m == n {
			return true
		}
	}
	return false
}

// reach finds out when blocks are run.
func (g *graph) reach() {
	entry := g.blocks[0]
	entry.spread(func(b *block) *bool { return &b.first }, func(e edge) bool { return e.onFirst })
	entry.spread(func(b *block) *bool { return &b.again }, func(e edge) bool { return e.onAgain && e.enters == nil })
	all := func(edge) bool { return true }
	behind := func(b *block) *bool { return &b.behind }
	for _, b := range g.blocks {
		for _, e := range b.edges {
			if e.enters != nil || len(b.calls) > 0 {
				e.to.spread(behind, all)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range g.blocks {
			for _, e := range b.edges {
				if !b.ahead && (e.to.ahead || e.enters != nil || len(e.to.calls) > 0) {
					b.ahead, changed = true, true
				}
			}
		}
	}
}

// spread marks all blocks that can be reached.
func (b *block) spread(mark func(*block) *bool, takes func(edge) bool) {
	if *mark(b) {
		return
	}
	*mark(b) = true
	for _, e := range b.edges {
		if takes(e) {
			e.to.spread(mark, takes)
		}
	}
}

// mayReturn is false for calls that end the program or the function.
func (c *check) mayReturn(call *ast.CallExpr) bool {
	if c.isBuiltin(call, "panic") || c.isMethod(call, "Abort") {
		return false
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	f, ok := c.info.Uses[selector.Sel].(*types.Func)
	return !ok || f.FullName() != "os.Exit" && f.FullName() != "log.Fatal" && f.FullName() != "log.Fatalf"
}
