//go:build mpi && cgo

package mpi

import (
	"testing"

	"github.com/migbsp/migbsp/mpi/rounds"
)

func TestRoundCost(t *testing.T) {
	for _, c := range []struct {
		what  string
		lines []lineCost
		want  int
	}{
		{"nothing is known", nil, rounds.UsualCost},
		{"the loopback", []lineCost{{5000, 4500}, {4000, 4000}}, 1},
		{"a fast network", []lineCost{{400, 1700}, {390, 1760}}, 4},
		{"TCP", []lineCost{{6000, 27_000}}, 4},
		{"lines of a millisecond", []lineCost{{30_000, 1_040_000}, {28_000, 1_000_000}}, 32},
		{"one long line", []lineCost{{6000, 27_000}, {6000, 500_000}}, 64},
		{"a slow look at a short line", []lineCost{{500, 40_000}}, rounds.LongCost},
	} {
		if got := roundCost(c.lines); got != c.want {
			t.Errorf("%s: a round costs %d messages, want %d", c.what, got, c.want)
		}
	}
}

func TestRadixAboveTheNumberOfNodes(t *testing.T) {
	for _, nodes := range []int{2, 3, 9} {
		if p := (radixRule{radix: 5}).plan(nodes); p.Radix != min(5, nodes) {
			t.Errorf("%d nodes have radix %d", nodes, p.Radix)
		}
	}
}

// TestChoiceOfPlan holds which plan the rounds follow, from what is known of the machines, of
// what a round over their lines costs, and of the number of nodes.
func TestChoiceOfPlan(t *testing.T) {
	for _, c := range []struct {
		what                string
		radix               int
		crowded, oneMachine bool
		cost                int // measured, 0 if it is not
		nodes               int
		tree                bool
		want                int // radix
	}{
		{"the loopback", 0, false, true, 1, 16, false, 2},
		{"a fast network, few nodes", 0, false, false, 4, 8, false, 8},
		{"a fast network", 0, false, false, 4, 16, false, 4},
		{"a fast network, many nodes", 0, false, false, 4, 1024, false, 4},
		{"lines of a millisecond", 0, false, false, 32, 16, false, 16},
		{"cores of several machines are shared", 0, true, false, 0, 16, false, 4},
		{"the cores of one machine are shared", 0, true, true, 0, 16, true, 0},
		{"by few nodes", 0, true, true, 0, choiceFrom, true, 0},
		{"by nodes that have no choice", 0, true, true, 0, choiceFrom - 1, false, 3},
		{"by many nodes", 0, true, true, 0, rounds.MostTree, true, 0},
		{"by more than a tree has slots for", 0, true, true, 0, rounds.MostTree + 1, false, 3},
		{"MIGBSP_RADIX", 3, true, true, 0, 16, false, 3},
		{"MIGBSP_RADIX, above the number of nodes", 30, false, false, 0, 16, false, 16},
	} {
		rule, measure := ruleOf(c.radix, c.crowded, c.oneMachine)
		if measure != (c.cost > 0) {
			t.Errorf("%s: lines are measured: %v", c.what, measure)
		}
		if measure {
			rule.cost = c.cost
		}
		tree, plan := rule.tree(c.nodes), rule.plan(c.nodes)
		if (tree != nil) != c.tree || !c.tree && plan.Radix != c.want {
			t.Errorf("%s, %d nodes: tree %v, radix %d, want tree %v, radix %d", c.what, c.nodes, tree != nil, plan.Radix, c.tree, c.want)
		}
	}
}
