package bsplib

import (
	"errors"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// This file makes the errors that all ranks report together: each says what it knows, and
// all take the word of the lowest pid.

// together calls back the ranks that are away for such an error, and makes it.
func (r *rank) together(n membership.Needs, agree func() *Error) *Error {
	if err := r.recall(n); err != nil {
		return err
	}
	return agree()
}

// returnedError is the error of the first process that returned one. Err goes
// with it on the rank where that happened; ErrNotVerified on all ranks.
func (r *rank) returnedError() *Error {
	mine := &Error{Pid: r.n}
	for _, p := range r.crew.procs {
		if p.failure != nil {
			mine = p.failure
			break
		}
	}
	code := 2 * mine.Superstep
	if errors.Is(mine.Err, ErrNotVerified) {
		code++
	}
	first, _, err := membership.Agree(r.channels.control, r.comm.Rank(), membership.Statement{Pid: mine.Pid, Number: code, Text: mine.Text})
	if err != nil {
		return r.engineError(err)
	}
	if first.Pid == mine.Pid {
		mine.known = true
		return mine
	}
	e := &Error{Pid: first.Pid, Rank: first.Rank, Superstep: first.Number / 2, Text: first.Text, known: true}
	if first.Number&1 != 0 {
		e.Err = ErrNotVerified
	}
	return e
}

// endMismatch says which process ended and which one did not.
func (r *rank) endMismatch() *Error {
	ended, syncing := r.n, r.n
	for _, p := range r.crew.procs {
		if p.ended {
			ended = min(ended, p.pid)
		} else {
			syncing = min(syncing, p.pid)
		}
	}
	first, all, err := membership.Agree(r.channels.control, r.comm.Rank(), membership.Statement{Pid: ended, Number: syncing, Text: site.Name(r.now.site)})
	if err != nil {
		return r.engineError(err)
	}
	e := &Error{Kind: KindEndMismatch, Pid: first.Pid, Rank: first.Rank, Superstep: r.now.step, known: true}
	syncing = r.n
	for _, s := range all {
		if s.Number < syncing {
			syncing, e.Site = s.Number, s.Text
		}
	}
	e.Text = fmt.Sprintf("process %d has ended its program, while process %d called Sync here", e.Pid, syncing)
	if mismatchText != "" {
		e.Text = fmt.Sprintf("%s (process %d has ended, process %d has not)", mismatchText, e.Pid, syncing)
	}
	return e
}

// misfitError is the error of a process that has registered something else than others.
func (r *rank) misfitError(w *membership.Wrong) *Error {
	return &Error{Kind: KindRegisterMismatch, Pid: w.Pid, Rank: w.Rank, Superstep: r.now.step, Text: w.Text, known: true}
}
