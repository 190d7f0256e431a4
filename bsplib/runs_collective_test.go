package bsplib_test

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/mpi"
)

// byRuns is onNodes with runs between ranks of different nodes.
type byRuns struct {
	onNodes
	runs *runsOfAll
}

type runsOfAll struct {
	sync.Mutex
	changed      sync.Cond
	given, taken map[runKey][]*oneRun // without the other
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

// match brings two ends together.
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

// oneRank is byRuns of a rank, with its ends of runs by channel.
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

// runWithRuns runs a program on nodes with runs between them, and returns how many there
// were.
func runWithRuns[S any](procs int, node []int, program func(*bsplib.Proc, *S) error) (int, error) {
	runs := newRunsOfAll()
	err := runOn(procs, node, func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} }, program)
	return runs.count, err
}

// byTheirRuns is runWithRuns where their number does not matter.
func byTheirRuns(procs int, node []int, program func(*bsplib.Proc, *none) error) error {
	_, err := runWithRuns(procs, node, program)
	return err
}
