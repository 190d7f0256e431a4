package driver

import (
	"errors"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file is the rank's side of moves (package move): it drops processes that have left and adds
// processes that have arrived.

// migrate performs moves, the same list on all ranks, between two supersteps.
func (r *Rank) migrate(moves []rebalancer.Move) *failure.Error {
	defer r.mover.End()
	err := r.mover.Execute(moves, r.crew.apart)
	if err != nil {
		return r.moveError(err)
	}
	departed, procs := r.mover.Departed(), slices.Clone(r.crew.procs)
	for _, p := range departed {
		r.depart(Of(&p.Data))
	}
	for _, m := range moves {
		r.Home.Where[m.Pid] = int32(m.To)
		r.Home.Stream.Out.Moved(m.Pid, m.To)
	}
	r.collective.Moved()
	procs = slices.DeleteFunc(procs, func(p *Process) bool { return p.Gone })
	stayed := len(procs)
	r.mover.EachArrived(func(p *process.Process, from int) {
		p.CameFrom = int32(from) + 1
		r.Home.Stream.Local[p.Data.Pid] = &p.Data
		r.Home.Stream.Registry.Use(&p.Data)
		procs = append(procs, Of(&p.Data))
	})
	if len(departed) > 0 || len(procs) > stayed {
		slices.SortFunc(procs, func(a, b *Process) int { return a.Data.Pid - b.Data.Pid })
		r.crew.set(procs)
		r.Now.rearranged = true
		if len(procs) == 0 && r.Outcome.screen != nil {
			r.Outcome.screen.Erase() // no process here will, at the end of its loop
		}
	}
	r.mover.RegisterAreas(r.Home.Where)
	r.Outcome.profile.Moved(r.Now.Step, r.Timing.Clock.Now())
	return nil
}

// moveError returns an error of package move.
func (r *Rank) moveError(err error) *failure.Error {
	e, of := errors.AsType[*move.Error](err)
	if !of {
		return r.engineError(err)
	}
	return &failure.Error{Kind: failure.Unmovable, Pid: e.Pid, Rank: r.Home.Comm.Rank(), Superstep: r.Now.Step, Err: e.Err, Text: e.Text}
}

// depart removes a process that moves to another rank.
func (r *Rank) depart(p *Process) {
	r.Home.Stream.Local[p.Data.Pid] = nil
	p.Gone, p.N, p.Data.Out = true, 0, new(stream.Outboxes)
	defer func() { p.State, p.stage = nil, nil }() // its neighbours in newProcesses keep its memory alive
	for _, a := range p.Data.Areas {
		if a != nil {
			a.View = nil
		}
	}
	if !r.Now.inline && p.stop != nil {
		p.stop()
	}
	p.Release()
}
