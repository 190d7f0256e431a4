package bsplib

import (
	"errors"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// A verdict is an error that all ranks reach together: each says what it
// knows, and all take the word of the lowest pid.

// returnedError is the error of the first process that returned one. Err goes
// with it on the rank where that happened; ErrNotVerified on all ranks.
func (r *rank) returnedError() *Error {
	mine := &Error{Pid: r.n}
	for _, p := range r.procs {
		if p.failure != nil {
			mine = p.failure
			break
		}
	}
	code := 2 * mine.Superstep
	if errors.Is(mine.Err, ErrNotVerified) {
		code++
	}
	all, err := r.allgatherStatements(mine.Pid, code, mine.Text)
	if err != nil {
		return err
	}
	first := all[0]
	for _, s := range all {
		if s.pid < first.pid {
			first = s
		}
	}
	if first.pid == mine.Pid {
		mine.known = true
		return mine
	}
	e := &Error{Pid: first.pid, Rank: first.rank, Superstep: first.number / 2, Text: first.text, known: true}
	if first.number&1 != 0 {
		e.Err = ErrNotVerified
	}
	return e
}

// endMismatch says which process ended and which one did not.
func (r *rank) endMismatch() *Error {
	ended, syncing := r.n, r.n
	for _, p := range r.procs {
		if p.ended {
			ended = min(ended, p.pid)
		} else {
			syncing = min(syncing, p.pid)
		}
	}
	all, err := r.allgatherStatements(ended, syncing, pcName(r.site))
	if err != nil {
		return err
	}
	e := &Error{Kind: KindEndMismatch, Pid: r.n, Superstep: r.step, known: true}
	syncing = r.n
	for _, s := range all {
		if s.pid < e.Pid {
			e.Pid, e.Rank = s.pid, s.rank
		}
		if s.number < syncing {
			syncing, e.Site = s.number, s.text
		}
	}
	e.Text = fmt.Sprintf("process %d has ended its program, while process %d called Sync here", e.Pid, syncing)
	if foreign.mismatch != "" {
		e.Text = fmt.Sprintf("%s (process %d has ended, process %d has not)", foreign.mismatch, e.Pid, syncing)
	}
	return e
}

// statement is what one rank says for a verdict.
type statement struct {
	rank, pid, number int
	text              string
}

// allgatherStatements exchanges one statement of each rank.
func (r *rank) allgatherStatements(pid, number int, text string) ([]statement, *Error) {
	all, err := control.Allgather(r.control, &statement{r.comm.Rank(), pid, number, text})
	if err != nil {
		return nil, r.engineError(err)
	}
	return all, nil
}
