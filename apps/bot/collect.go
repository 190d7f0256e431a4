package main

import (
	"fmt"
	"hash/fnv"
	"io"
)

// collection stores the results of all tasks, in order: the output of a command is written as soon as
// all tasks before it have ended.
type collection struct {
	outcomes []*outcome // by task: nil while it has none, or if that is out
	ended    []bool     // by task: done, or failed for good
	failures map[int]*outcome
	next     int // the first task that has not ended
	done     int
	failed   int

	out, errs io.Writer // of commands; nil discards them
	sum       interface {
		io.Writer
		Sum64() uint64
	}
	keep bool // outcomes stay when they are out
	err  error
}

func newCollection(tasks int, out, errs io.Writer) *collection {
	return &collection{
		outcomes: make([]*outcome, tasks), ended: make([]bool, tasks), failures: make(map[int]*outcome),
		out: out, errs: errs, sum: fnv.New64a(),
	}
}

// take enters an outcome and reports whether it is the first result of its task. A failure
// is kept in case that it is the last one.
func (c *collection) take(o *outcome) bool {
	if c.ended[o.Task] {
		return false
	}
	if o.Problem != "" {
		c.failures[o.Task] = o
		return false
	}
	delete(c.failures, o.Task)
	c.outcomes[o.Task], c.ended[o.Task] = o, true
	c.done++
	c.flush()
	return true
}

// fail notes that a task has failed for good.
func (c *collection) fail(task int) {
	if c.ended[task] {
		return
	}
	o := c.failures[task]
	if o == nil {
		o = &outcome{Task: task, Problem: "failed"}
		c.failures[task] = o
	}
	c.outcomes[task], c.ended[task] = o, true
	c.failed++
	c.flush()
}

func (c *collection) flush() {
	for ; c.next < len(c.ended) && c.ended[c.next]; c.next++ {
		o := c.outcomes[c.next]
		fmt.Fprintf(c.sum, "%d %q %q\n", o.Task, o.Problem, o.Out)
		c.write(c.out, o.Out)
		c.write(c.errs, o.Err)
		if !c.keep {
			c.outcomes[c.next] = nil
		}
	}
}

func (c *collection) write(w io.Writer, data []byte) {
	if w == nil || len(data) == 0 {
		return
	}
	if _, err := w.Write(data); err != nil && c.err == nil {
		c.err = err
	}
}
