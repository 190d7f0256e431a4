package driver

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// This file lets a watch.Monitor, which runs on another goroutine, inspect a rank's processes.

// Turn implements watch.Crew.
//
//go:norace
//go:noinline
func (c *crew) Turn() (pid, procs int) {
	if p := c.running(); p != nil {
		return p.Data.Pid, len(c.procs)
	}
	return -1, len(c.procs)
}

// dumpable is the maximum number of goroutines for which Where reads their stacks: a hundred thousand
// take a second.
const dumpable = 10_000

// Where implements watch.Crew.
func (c *crew) Where() (line, waits string) {
	p := c.running()
	if p == nil || c.nameless || runtime.NumGoroutine() > dumpable {
		return "", ""
	}
	stacks := make([]byte, 1<<20)
	for len(stacks) < 1<<26 {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			stacks = stacks[:n]
			break
		}
		stacks = make([]byte, 4*len(stacks))
	}
	its := fmt.Sprintf("driver.(*Process).run(%p", p)
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, its) {
			return site.OfStack(stack), waitOf(stack)
		}
	}
	return "", ""
}

// waitOf returns the operation on which the goroutine of a stack waits for another goroutine of the
// program. It returns "" if the goroutine computes, sleeps, reads, or polls for data of other
// processes.
func waitOf(stack string) string {
	_, state, _ := strings.Cut(stack, "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",") // the waiting time
	for _, wait := range []string{"chan ", "select", "sync.", "semacquire"} {
		if strings.HasPrefix(state, wait) && !strings.Contains(stack, "bsplib.Runtime.Poll(") {
			return state
		}
	}
	return ""
}
