package bsplib_test

import (
	"bytes"
	"cmp"
	"errors"
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

// foldsOfAll is the meeting point of ranks before an exchange on lane 0, to fold their data.
type foldsOfAll struct {
	sync.Mutex
	changed sync.Cond
	given   [][]byte // by rank
	here    int      // ranks that have come
	turn    int      // exchanges that have folded
	count   int      // of results
	made    []byte
	over    bool
}

const mostGiven = 3000

func newUpTree(c *oneRank, all *foldsOfAll) *upTree {
	c.Lane(0).Fold = &mpi.Fold{Most: mostGiven}
	return &upTree{c, all}
}

// Attend chooses the first rank that takes part as the rank that folds.
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
			if len(a.made) > 0 {
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

// runUpTree runs a program on nodes with exchanges that fold, and with runs. It returns the
// number of folded results and of runs.
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

// A tree has one run for each node that receives data, and one for each subtree that comes from
// another node than the neighbouring subtree. Members of nodes have a tree each.
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

// byRuns is onNodes with runs between ranks of different nodes.
type byRuns struct {
	onNodes
	runs *runsOfAll
}

type runsOfAll struct {
	sync.Mutex
	changed      sync.Cond
	given, taken map[runKey][]*oneRun // ends without a partner
	count        int
	failed       error
}

type runKey struct {
	src, dst int
	on       mpi.Channel
	bytes    int
}

// oneRun is one end of a run.
type oneRun struct {
	data []byte
	done bool
}

func newRunsOfAll() *runsOfAll {
	a := &runsOfAll{given: make(map[runKey][]*oneRun), taken: make(map[runKey][]*oneRun)}
	a.changed.L = a
	return a
}

// match pairs the two ends of a run.
func (a *runsOfAll) match(key runKey) {
	given, taken := a.given[key], a.taken[key]
	if len(given) == 0 || len(taken) == 0 {
		return
	}
	from, to := given[0], taken[0]
	copy(to.data, from.data)
	from.done, to.done = true, true
	a.given[key], a.taken[key] = given[1:], taken[1:]
	a.changed.Broadcast()
}

// oneRank is byRuns with the rank's ends of runs by channel.
type oneRank struct {
	byRuns
	ends [8][]*oneRun
}

var errRunsOver = errors.New("another rank has failed")

func (c *oneRank) Engine() mpi.Engine {
	e := c.onNodes.Engine()
	e.RunsFrom = make([]int, c.Size())
	for rank, node := range c.node {
		if node != c.node[c.Rank()] {
			e.RunsFrom[rank] = 160 << 10
		}
	}
	return e
}

func (c *oneRank) enter(queues map[runKey][]*oneRun, key runKey, data []byte) *oneRun {
	end := &oneRun{data: data}
	queues[key] = append(queues[key], end)
	c.ends[key.on] = append(c.ends[key.on], end)
	c.runs.match(key)
	return end
}

func (c *oneRank) Give(dst int, on mpi.Channel, data []byte, copied bool) error {
	if on > mpi.Collectives {
		return c.onNodes.Give(dst, on, data, copied)
	}
	if copied {
		data = bytes.Clone(data)
	}
	c.runs.Lock()
	defer c.runs.Unlock()
	c.runs.count++
	c.enter(c.runs.given, runKey{c.Rank(), dst, on, len(data)}, data)
	return nil
}

func (c *oneRank) Take(src int, on mpi.Channel, data []byte) mpi.Run {
	if on > mpi.Collectives {
		return c.onNodes.Take(src, on, data)
	}
	c.runs.Lock()
	defer c.runs.Unlock()
	return takenRun{c, c.enter(c.runs.taken, runKey{src, c.Rank(), on, len(data)}, data)}
}

func (c *oneRank) await(ends ...*oneRun) error {
	c.runs.Lock()
	defer c.runs.Unlock()
	for _, end := range ends {
		for !end.done && c.runs.failed == nil {
			c.runs.changed.Wait()
		}
	}
	return c.runs.failed
}

// takenRun is a run that a rank takes.
type takenRun struct {
	c   *oneRank
	end *oneRun
}

func (t takenRun) Landed(n int) error { return t.c.await(t.end) }

func (t takenRun) Drop() error {
	runs := t.c.runs
	runs.Lock()
	defer runs.Unlock()
	for key, taken := range runs.taken {
		runs.taken[key] = slices.DeleteFunc(taken, func(other *oneRun) bool { return other == t.end })
	}
	t.end.done = true
	return nil
}

func (c *oneRank) Settle(on mpi.Channel) error {
	err := c.await(c.ends[on]...)
	c.ends[on] = c.ends[on][:0]
	return err
}

func (c *oneRank) Abort(code int) {
	c.onNodes.Abort(code)
	c.runs.Lock()
	defer c.runs.Unlock()
	c.runs.failed = cmp.Or(c.runs.failed, errRunsOver)
	c.runs.changed.Broadcast()
}

// runWithRuns runs a program on nodes with runs between them, and returns the number of runs.
func runWithRuns[S any](procs int, node []int, program func(*bsplib.Proc, *S) error) (int, error) {
	runs := newRunsOfAll()
	err := runOn(procs, node, func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} }, program)
	return runs.count, err
}

// byTheirRuns is runWithRuns without the number of runs.
func byTheirRuns(procs int, node []int, program func(*bsplib.Proc, *none) error) error {
	_, err := runWithRuns(procs, node, program)
	return err
}
