package membership

import (
	"errors"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
)

// This file creates the errors that all ranks report together. Ranks exchange statements, and the
// statement of the process with the lowest pid is reported.

// An Agreement is a rank's side of such an exchange.
type Agreement struct {
	Control *control.Channel
	Rank    int
	Procs   int // in all
	Step    int
}

// statement is one rank's part of an exchange.
type statement struct {
	Rank   int // filled in by exchange
	Pid    int // of the process with the error; Procs if the rank has none
	Number int
	Text   string
}

// exchange exchanges one statement of each rank. It returns the statement of the lowest pid, and all.
func (a Agreement) exchange(mine statement) (first statement, all []statement, err error) {
	mine.Rank = a.Rank
	if all, err = control.Allgather(a.Control, &mine); err != nil {
		return first, nil, err
	}
	first = all[0]
	for _, s := range all {
		if s.Pid < first.Pid {
			first = s
		}
	}
	return first, all, nil
}

// Returned returns the error of the failed process with the lowest pid. mine is the error of this
// rank's failed process with the lowest pid, nil if none failed. Err of the result is set on the rank
// of the reported process, and on all ranks if it is ErrNotVerified.
func (a Agreement) Returned(mine *failure.Error) (*failure.Error, error) {
	if mine == nil {
		mine = &failure.Error{Pid: a.Procs}
	}
	code := 2 * mine.Superstep
	if errors.Is(mine.Err, failure.ErrNotVerified) {
		code++
	}
	first, _, err := a.exchange(statement{Pid: mine.Pid, Number: code, Text: mine.Text})
	if err != nil || first.Pid == mine.Pid {
		return mine, err
	}
	e := &failure.Error{Pid: first.Pid, Rank: first.Rank, Superstep: first.Number / 2, Text: first.Text}
	if first.Number&1 != 0 {
		e.Err = failure.ErrNotVerified
	}
	return e, nil
}

// Mismatch returns the error of a run in which some processes have ended and others have called Sync.
// ended and syncing are the lowest such processes on this rank, Procs if it has none. site is the
// line at which syncing called Sync.
func (a Agreement) Mismatch(ended, syncing int, site string) (*failure.Error, error) {
	first, all, err := a.exchange(statement{Pid: ended, Number: syncing, Text: site})
	if err != nil {
		return nil, err
	}
	e := &failure.Error{Kind: failure.EndMismatch, Pid: first.Pid, Rank: first.Rank, Superstep: a.Step}
	syncing = a.Procs
	for _, s := range all {
		if s.Number < syncing {
			syncing, e.Site = s.Number, s.Text
		}
	}
	e.Text = fmt.Sprintf("process %d has ended its program, while process %d called Sync here", e.Pid, syncing)
	if failure.MismatchText != "" {
		e.Text = fmt.Sprintf("%s (process %d has ended, process %d has not)", failure.MismatchText, e.Pid, syncing)
	}
	return e, nil
}

// Misfit returns the error of a process whose registrations differ from the other processes'. at is
// the line at which the process called Sync, "" on ranks that do not run it.
func (a Agreement) Misfit(w *Wrong, at string) (*failure.Error, error) {
	_, all, err := a.exchange(statement{Pid: w.Pid, Text: at})
	if err != nil {
		return nil, err
	}
	return &failure.Error{
		Kind: failure.RegisterMismatch, Pid: w.Pid, Rank: w.Rank, Superstep: a.Step, Text: w.Text, Site: all[w.Rank].Text,
	}, nil
}
