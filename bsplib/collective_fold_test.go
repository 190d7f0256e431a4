package bsplib_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/mpi"
)

// upTree is oneRank whose exchanges fold.
type upTree struct {
	*oneRank
	all *foldsOfAll
}

// foldsOfAll is where ranks meet before an exchange on lane 0, to fold what they give.
type foldsOfAll struct {
	sync.Mutex
	changed sync.Cond
	given   [][]byte // by rank
	here    int      // ranks that have come
	turn    int      // exchanges that have folded
	count   int      // of results that are more than a verdict
	made    []byte
	over    bool
}

const mostGiven = 3000

func newUpTree(c *oneRank, all *foldsOfAll) *upTree {
	c.Lane(0).Fold = &mpi.Fold{Most: mostGiven}
	return &upTree{c, all}
}

// The rank that folds is the first that takes part.
func (c *upTree) Attend(present []bool, note []byte) ([]byte, error) {
	c.Lane(0).Fold.At = max(0, slices.Index(present, true))
	from, err := c.oneRank.Attend(present, note)
	if present != nil && !present[c.Rank()] {
		c.Lane(0).Fold.At = 0
	}
	return from, err
}

func (c *upTree) Exchange(l *mpi.Lane, flags mpi.Flags) (mpi.Flags, error) {
	if l == c.Lane(0) {
		c.meet()
	}
	return c.oneRank.Exchange(l, flags)
}

func (c *upTree) meet() {
	a, f, present := c.all, c.Lane(0).Fold, 0
	for r := range c.Size() {
		if mpi.Present(c, r) {
			present++
		}
	}
	a.Lock()
	defer a.Unlock()
	turn := a.turn
	a.given[c.Rank()] = nil
	if f.Head != nil {
		a.given[c.Rank()] = slices.Concat(f.Head, f.Body)
	}
	f.Head, f.Body = nil, nil
	a.here++
	a.changed.Broadcast()
	if f.At == c.Rank() {
		for a.here < present && !a.over {
			a.changed.Wait()
		}
		a.made = nil
		if slices.ContainsFunc(a.given, func(b []byte) bool { return b != nil }) && !a.over {
			a.made = bytes.Clone(f.By(a.given))
			if len(a.made) > mostGiven {
				panic(fmt.Sprintf("%d bytes are folded", len(a.made)))
			}
			if len(a.made) > 8 {
				a.count++
			}
		}
		clear(a.given)
		a.here = 0
		a.turn++
		a.changed.Broadcast()
	}
	for a.turn == turn && !a.over {
		a.changed.Wait()
	}
	f.Made = a.made
}

func (c *upTree) Abort(code int) {
	c.oneRank.Abort(code)
	c.all.Lock()
	defer c.all.Unlock()
	c.all.over = true
	c.all.changed.Broadcast()
}

// runUpTree runs a program on nodes between which exchanges fold, and runs go. It returns how
// many results were folded, and how many runs there were.
func runUpTree[S any](procs int, node []int, program func(*bsplib.Proc, *S) error) (folded, runs int, err error) {
	all, its := &foldsOfAll{given: make([][]byte, len(node))}, newRunsOfAll()
	all.changed.L = all
	err = runOn(procs, node, func(c onNodes) mpi.Comm {
		return newUpTree(&oneRank{byRuns: byRuns{c, its}}, all)
	}, program)
	return all.count, its.count, err
}

func byTree(procs int, node []int, program func(*bsplib.Proc, *none) error) error {
	_, _, err := runUpTree(procs, node, program)
	return err
}

// A tree has one run for each node that something comes to, and one for each subtree that
// comes from another node than the one beside it. Members of nodes have a tree each.
func TestRunsOfTrees(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		what string
		node []int
		call func(b *bsplib.Proc, x []float64)
		runs int
	}{
		{"Broadcast", []int{0, 1, 2, 3, 4, 5, 6}, func(b *bsplib.Proc, x []float64) { bsplib.Broadcast(b, 3, x) }, 6},
		{"SumSlice", []int{0, 1, 2, 3, 4, 5, 6}, func(b *bsplib.Proc, x []float64) { bsplib.SumSlice(b, x) }, 12},
		{"Broadcast to nodes of ranks", []int{0, 0, 1, 1, 1, 2, 2}, func(b *bsplib.Proc, x []float64) { bsplib.Broadcast(b, 3, x) }, 2},
		{"SumSlice of nodes of ranks", []int{0, 0, 1, 1, 2, 2, 3, 3}, func(b *bsplib.Proc, x []float64) { bsplib.SumSlice(b, x) }, 12},
		{"SumSlice of nodes that share subtrees", []int{0, 0, 1, 1, 1, 2, 2}, func(b *bsplib.Proc, x []float64) { bsplib.SumSlice(b, x) }, 12},
	} {
		_, runs, err := runUpTree(len(c.node), c.node, func(b *bsplib.Proc, _ *none) error {
			c.call(b, make([]float64, 30_000))
			return nil
		})
		if err != nil || runs != c.runs {
			t.Errorf("%s takes %d runs, want %d; error %v", c.what, runs, c.runs, err)
		}
	}
}
