package bsplib

import (
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// mover is what a rank has in hand while processes move. Between the two
// exchanges of a migration both the old and the new copy of a process exist;
// the second exchange, in which all ranks learn of all arrivals, makes the new
// one the process.
type mover struct {
	departures []departure
	arrivals   []arrival
}

type departure struct {
	proc   *Proc
	to     int
	image  state.Image
	refs   []mpi.Ref
	digest uint64
}

type arrival struct {
	proc   *Proc
	from   int
	spans  [][]byte
	refs   []mpi.Ref
	sums   []uint64 // of the spans, as they come
	digest uint64
}

// migrate carries out moves, the same list on all ranks, between two
// supersteps.
//
// BSP cost: the bytes of the states that leave or reach a rank, times g, and
// two barriers.
func (r *rank) migrate(moves []rebalancer.Move) *Error {
	defer func() { r.mover = mover{} }() // which holds the old copies
	if err := r.sendParcels(moves); err != nil {
		return err
	}
	if _, err := r.moves.Exchange(0); err != nil {
		return r.engineError(err)
	}
	if err := r.takeParcels(); err != nil {
		return err
	}
	if err := r.carrySpans(moves); err != nil {
		return err
	}
	if err := r.announceArrivals(r.moves); err != nil {
		return err
	}
	if _, err := r.moves.Exchange(0); err != nil {
		return r.engineError(err)
	}
	for _, d := range r.mover.departures {
		r.depart(d)
	}
	for _, m := range moves {
		r.where[m.Pid], r.route[m.Pid] = int32(m.To), &r.boxes[m.To]
	}
	for _, a := range r.mover.arrivals {
		r.arrive(a.proc)
	}
	return r.hearArrivals()
}

func (r *rank) sendParcels(moves []rebalancer.Move) *Error {
	me := r.comm.Rank()
	for _, m := range moves {
		if m.From != me {
			continue
		}
		p := r.local[m.Pid]
		x, image, err := p.pack()
		if err != nil {
			return p.unmovable(m.To, err)
		}
		d := departure{proc: p, to: m.To, image: image}
		if m.To != me {
			d.refs = r.shareSpans(image.Spans, m.To)
			x.Refs = d.refs
		}
		if b := r.balance; b != nil {
			if x.History, err = b.Depart(m.Pid); err != nil {
				return p.unmovable(m.To, err)
			}
		}
		if err := control.Send(r.moves, m.To, x); err != nil {
			return p.unmovable(m.To, err)
		}
		r.mover.departures = append(r.mover.departures, d)
	}
	return nil
}

// shareSpans makes spans known to a rank that shares memory with this one.
// Those that it cannot reach have no name.
func (r *rank) shareSpans(spans [][]byte, to int) []mpi.Ref {
	refs, meter := make([]mpi.Ref, len(spans)), r.clock.Moves()
	for i, s := range spans {
		if meter != nil {
			meter.Ship(to, int64(len(s)))
		}
		if r.progress.others[to] != nil {
			refs[i] = r.comm.Share(s)
		}
	}
	return refs
}

func (r *rank) takeParcels() *Error {
	var failure *Error
	err := control.Each(r.moves, func(from int, x *parcel) error {
		p, spans, err := r.unpack(x)
		if b := r.balance; err == nil && b != nil {
			err = b.Arrive(x.Pid, x.History)
		}
		if err != nil {
			failure = r.notArrived(x.Pid, x.At, from, err)
			return failure
		}
		r.mover.arrivals = append(r.mover.arrivals, arrival{
			proc: p, from: from, spans: spans, refs: x.Refs, sums: make([]uint64, len(spans)),
		})
		return nil
	})
	if err != nil && failure == nil {
		failure = &Error{Kind: Unmovable, Pid: -1, Rank: r.comm.Rank(), Superstep: r.step, Err: err,
			Text: fmt.Sprintf("what arrived is no process: %v", err)}
	}
	return failure
}

// depart removes a process that goes on elsewhere.
func (r *rank) depart(d departure) {
	p := d.proc
	for _, ref := range d.refs {
		if ref != 0 {
			r.comm.Withdraw(ref)
		}
	}
	r.local[p.pid] = nil
	r.setProcs(slices.Delete(slices.Clone(r.procs), indexOf(r.procs, p.pid), indexOf(r.procs, p.pid)+1))
	r.rearranged = true
	p.gone, p.n = true, 0
	for _, a := range p.areas {
		if a != nil {
			a.view = nil
		}
	}
	if !r.inline {
		p.stop()
	}
	for _, a := range p.areas {
		if a != nil {
			p.release(a)
		}
	}
}

// arrive adds a process to the rank's.
func (r *rank) arrive(p *Proc) {
	r.local[p.pid] = p
	r.setProcs(slices.Insert(slices.Clone(r.procs), indexOf(r.procs, p.pid), p))
	r.rearranged = true
	for slot, a := range p.areas {
		if a != nil && !r.dir.viewless(slot) {
			a.view = r.dir.views[slot]
		}
	}
}

// indexOf is where process pid is in a list by pid, or would be.
func indexOf(procs []*Proc, pid int) int {
	i, _ := slices.BinarySearchFunc(procs, pid, func(p *Proc, pid int) int { return p.pid - pid })
	return i
}

// unmovable is the error of a process that cannot leave.
func (p *Proc) unmovable(to int, err error) *Error {
	return &Error{
		Kind: Unmovable, Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.step, Err: err,
		Text: fmt.Sprintf("after %s it cannot move to rank %d: %v", p.stages.at, to, err),
	}
}

// notArrived is the error of a process that has not come through.
func (r *rank) notArrived(pid int, at position, from int, err error) *Error {
	return &Error{
		Kind: Unmovable, Pid: pid, Rank: r.comm.Rank(), Superstep: r.step, Err: err,
		Text: fmt.Sprintf("after %s it did not arrive from rank %d: %v", at, from, err),
	}
}

// String counts stages and loops as the program does, from 0.
func (at position) String() string {
	return fmt.Sprintf("stage %d of stage loop %d", at.Stage-1, at.Loop)
}
