package bsplib

import (
	"cmp"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/membership"
)

// This file drives the processes of a rank. They run on coroutines (worker.go), which the
// rank's goroutine resumes and which yield in Sync: passing from one process to
// the next takes tens of nanoseconds and no scheduler. With a single process there is
// nothing to pass to: its Sync runs the barrier itself.

// drive runs the processes to their end. A nil result means that all ended
// well, on all ranks.
func (r *rank) drive() *Error {
	defer r.crew.end()
	r.now.pulse.Begin(r.now.step)
	if err := r.dismiss(); err != nil {
		return err
	}
	r.beginWork()
	for !r.now.over {
		r.now.rearranged = false
		if r.members.Away() {
			if err := r.sleep(); err != nil {
				return r.closing(err)
			}
			continue
		}
		if err := r.crew.superstep(); err != nil {
			return err
		}
		if r.now.rearranged {
			continue
		}
		if err := r.barrier(); err != nil {
			return r.closing(err)
		}
	}
	if err := r.recall(membership.End); err != nil {
		return err
	}
	if err := r.conclude(); err != nil {
		return err
	}
	r.releaseAll()
	return nil
}

// closing is what the barrier's error ends the run with: the account of one that is not
// verified is kept all the same.
func (r *rank) closing(err *Error) *Error {
	if errors.Is(err, ErrNotVerified) {
		return cmp.Or(r.conclude(), err)
	}
	return err
}

// conclude ends the account, after the last superstep.
func (r *rank) conclude() *Error {
	if err := r.stopAccount(); err != nil {
		return err
	}
	if err := r.outcome.ship(r.channels.control); err != nil {
		return r.engineError(err)
	}
	return nil
}

// releaseAll gives all memory back to the engine, after the last superstep.
func (r *rank) releaseAll() {
	r.stream.Peers.Close()
	for _, p := range r.crew.procs {
		p.releaseAreas()
	}
}

// panicStack is the stack of the panic that is being recovered, from the frame
// that panicked on.
func panicStack() string {
	lines := strings.SplitAfter(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			return strings.Join(lines[i+2:], "")
		}
	}
	return strings.Join(lines, "")
}
