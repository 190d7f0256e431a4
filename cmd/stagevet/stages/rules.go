package stages

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// reportNested reports a stage loop that begins within a stage of another.
func (g *graph) reportNested(l, outer *loop) {
	f, pos, what := l.frame, l.pos(), "a stage loop"
	for f.caller != nil && outermost(f.fn) != outermost(outer.body) {
		pos, what = position(&node{instr: f.call}), calledName(f.call)+" runs stages"
		f = f.caller
	}
	g.report(analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(
		"%s within the stage loop at line %d: stage loops follow one another; make the inner one an ordinary loop with Sync", what, g.line(outer.pos()))})
}

// findUnreached reports stages that only the first entry comes to.
func (g *graph) findUnreached() {
	for _, l := range g.loops {
		if !l.node.seen[stayed] || l.node.seen[entered] || l.outer != nil {
			continue
		}
		pos := l.pos()
		for f := l.frame; f.caller != nil; f = f.caller {
			if !g.reached(f.caller, false)[f.call.Block()] {
				pos = position(&node{instr: f.call})
			}
		}
		g.report(analysis.Diagnostic{Pos: pos, Message: "these stages are run on the first entry only: a process that moved in them does not come back to them; take them out of the branch where Fresh is true"})
	}
}

// findShared reports package variables that are set where a process may still
// move: in stages, between them, and before them on the first entry only.
func (g *graph) findShared() {
	ahead, behind := g.spread(true), g.spread(false)
	for _, n := range g.nodes {
		for _, o := range n.shared {
			when := ""
			switch {
			case !ahead[n] || g.isLazy(n):
			case n.loop != nil:
				when = fmt.Sprintf("in the stage loop at line %d", g.line(n.loop.pos()))
			case behind[n]:
				when = "between stages"
			case g.firstOnly(n):
				when = "on the first entry only"
			}
			if when == "" {
				continue
			}
			if root := g.frames[0]; outermost(n.frame.fn) != outermost(root.fn) && (n.loop == nil || outermost(n.frame.fn) != outermost(n.loop.body)) {
				when = fmt.Sprintf("in %s, which is called %s", generic(outermost(n.frame.fn)).Name(), when)
			}
			g.report(analysis.Diagnostic{Pos: position(n), Message: fmt.Sprintf(
				"the package variable %s is set %s: a process that moves to another rank finds another value there; make it a field of the state", o.name, when)})
		}
	}
}

// spread are the nodes from which a stage's end may come (ahead), or that one
// may lead to.
func (g *graph) spread(ahead bool) map[*node]bool {
	next := map[*node][]*node{}
	for _, n := range g.nodes {
		for _, e := range n.edges {
			if !e.fresh {
				continue
			}
			if ahead {
				next[e.to] = append(next[e.to], n)
			} else {
				next[n] = append(next[n], e.to)
			}
		}
	}
	found := map[*node]bool{}
	var visit func(*node)
	visit = func(n *node) {
		for _, m := range next[n] {
			if !found[m] {
				found[m] = true
				visit(m)
			}
		}
	}
	for _, n := range g.nodes {
		if n.ends != nil {
			visit(n)
		}
	}
	return found
}

// firstOnly reports whether a node is run on the first entry only.
func (g *graph) firstOnly(n *node) bool {
	for f, i := n.frame, n.instr; i != nil; f, i = f.caller, ssa.Instruction(f.call) {
		if !g.reached(f, false)[i.Block()] {
			return true
		}
		if f.caller == nil {
			break
		}
	}
	return false
}
