package bsplib

import (
	"errors"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file is the rank's side of moves (package move): it makes images of its processes
// (image.go), drops those that have left and takes in those that have come.

// traveller is a process as package move sees it.
type traveller struct{ proc *Proc }

func (t traveller) Data() *stream.Process { return &t.proc.data }

func (t traveller) At() string { return t.proc.stages.at.String() }

// images are the rank as move.Images.
type images struct{ rank *rank }

func (images) Pack(t traveller) (*processImage, state.Image, error) { return t.proc.pack() }

func (images) Image(t traveller) (state.Image, error) { return t.proc.image() }

func (images) Release(t traveller) { t.proc.releaseAreas() }

func (i images) Unpack(x *processImage) (traveller, [][]byte, error) {
	i.rank.makeHeadroom()
	p, spans, err := i.rank.unpack(x)
	return traveller{p}, spans, err
}

var _ balance.Along = (*move.Mover[traveller, processImage])(nil)

// newMover makes the rank's part in moves.
func (r *rank) newMover() *move.Mover[traveller, processImage] {
	return move.New(move.Settings[traveller, processImage]{
		Comm: r.comm, Clock: r.timing.clock, Calls: r.channels.calls, Moves: r.channels.moves,
		Stream: r.stream, Images: images{r}, Balance: func() *balance.Balancer { return r.balance },
	})
}

// offer sends the processes that ask to move with the reports of the call that begins. A
// process whose last request was refused waits for the decision.
func (r *rank) offer() {
	for _, p := range r.crew.procs {
		switch to := r.requestedRank(p); {
		case to < 0 || to == r.comm.Rank() || p.pinned:
		case p.request.denied || !r.balance.DecidesForAll() || p.stateBytes() > move.MostOffered:
			r.mover.Withhold()
		default:
			r.mover.Offer(traveller{p}, to)
		}
	}
}

// migrate carries out moves, the same list on all ranks, between two supersteps.
func (r *rank) migrate(moves []rebalancer.Move) *Error {
	defer r.mover.End()
	err := r.mover.Bring(moves, func(pid int) traveller { return traveller{r.crew.local(pid)} })
	if err != nil {
		return r.moveError(err)
	}
	departed, procs := r.mover.Departed(), slices.Clone(r.crew.procs)
	for _, t := range departed {
		r.depart(t.proc)
	}
	for _, m := range moves {
		r.where[m.Pid] = int32(m.To)
		r.stream.Out.Moved(m.Pid, m.To)
	}
	r.collective.Moved()
	procs = slices.DeleteFunc(procs, func(p *Proc) bool { return p.gone })
	stayed := len(procs)
	r.mover.EachArrived(func(t traveller, from int) {
		t.proc.cameFrom = int32(from) + 1
		r.arrive(t.proc)
		procs = append(procs, t.proc)
	})
	if len(departed) > 0 || len(procs) > stayed {
		slices.SortFunc(procs, func(a, b *Proc) int { return a.pid - b.pid })
		r.crew.set(procs)
		r.now.rearranged = true
	}
	r.mover.Learn(r.where)
	return nil
}

// moveError is an error of package move.
func (r *rank) moveError(err error) *Error {
	e, of := errors.AsType[*move.Error](err)
	if !of {
		return r.engineError(err)
	}
	return &Error{Kind: KindUnmovable, Pid: e.Pid, Rank: r.comm.Rank(), Superstep: r.now.step, Err: e.Err, Text: e.Text}
}

// depart removes a process that goes on elsewhere.
func (r *rank) depart(p *Proc) {
	r.stream.Local[p.pid] = nil
	p.gone, p.n, p.data.Out = true, 0, new(stream.Outboxes)
	defer func() { p.state, p.stage = nil, nil }() // the Proc may be kept by those beside it
	for _, a := range p.data.Areas {
		if a != nil {
			a.View = nil
		}
	}
	if !r.now.inline && p.stop != nil {
		p.stop()
	}
	p.releaseAreas()
}

func (p *Proc) releaseAreas() {
	p.leaveFixed()
	p.rank.stream.Registry.Release(&p.data)
}

// arrive adds a process to the rank's.
func (r *rank) arrive(p *Proc) {
	r.stream.Local[p.pid] = &p.data
	r.stream.Registry.Use(&p.data)
}
