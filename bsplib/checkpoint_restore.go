package bsplib

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// restartError says why a run cannot go on from its checkpoint; all ranks have
// the same.
type restartError struct{ text string }

func (e *restartError) Error() string { return e.text }

// restore puts the processes of a checkpoint in the place of those that were to
// begin. All ranks call it before the first superstep.
//
// BSP cost: the bytes of the states from disk, and two barriers.
func (r *rank) restore(from *checkpoint.Source) *Error {
	begun := time.Now()
	r.step = from.Superstep
	r.progress.advance(r.step)
	r.earlier = from.Earlier()
	procs, err := r.readProcesses(from)
	if r.local[0] != nil {
		r.reported = (*reported)(from.Report)
	}
	if err := r.agreeOnSlots(procs, err); err != nil {
		for _, p := range procs {
			for _, a := range p.areas {
				if a != nil {
					p.release(a)
				}
			}
		}
		return err
	}
	defer func() { r.mover = mover{} }()
	r.setProcs(procs)
	for _, p := range procs {
		r.local[p.pid] = p
		r.mover.arrivals = append(r.mover.arrivals, arrival{proc: p, from: r.comm.Rank()})
	}
	if err := r.announceArrivals(r.control); err != nil {
		return err
	}
	if _, err := r.control.Exchange(0); err != nil {
		return r.engineError(err)
	}
	for _, p := range procs {
		for slot, a := range p.areas {
			if a != nil {
				a.view = r.dir.views[slot]
			}
		}
	}
	if err := r.hearArrivals(); err != nil {
		return err
	}
	r.checkpoint.Resumed(time.Since(begun))
	return nil
}

// readProcesses reads this rank's processes, by pid.
func (r *rank) readProcesses(from *checkpoint.Source) (procs []*Proc, err error) {
	mine := func(pid int) bool { return r.local[pid] != nil }
	err = from.Read(mine, func(pid int, skeleton []byte, fill func([][]byte) error) error {
		p, err := r.processOf(pid, skeleton, fill)
		if err == nil {
			procs = append(procs, p)
		}
		return err
	})
	slices.SortFunc(procs, func(a, b *Proc) int { return a.pid - b.pid })
	return procs, err
}

// processOf makes the process of a checkpoint's image on this rank.
func (r *rank) processOf(pid int, skeleton []byte, fill func([][]byte) error) (*Proc, error) {
	x := new(parcel)
	spans, err := parcelPlan().Decode(skeleton, unsafe.Pointer(x), nil)
	if err == nil {
		err = fill(spans)
	}
	if err != nil {
		return nil, err
	}
	if x.Pid != pid || len(x.Queues) == 0 {
		return nil, fmt.Errorf("what was read is process %d with %d queues", x.Pid, len(x.Queues))
	}
	p, spans, err := r.unpack(x)
	if err == nil {
		err = fill(spans)
	}
	return p, err
}

// slotsInUse is what a rank tells of the processes that it has read.
type slotsInUse struct {
	Slots   []int // of areas
	Failure *string
}

// agreeOnSlots tells all ranks whether all have their processes, and which
// slots of areas these use.
func (r *rank) agreeOnSlots(procs []*Proc, failure error) *Error {
	var mine slotsInUse
	if failure != nil {
		text := r.checkpoint.OnHost(failure)
		mine.Failure = &text
	} else if len(procs) > 0 {
		for slot, a := range procs[0].areas {
			if a != nil {
				mine.Slots = append(mine.Slots, slot)
			}
		}
	}
	all, err := control.Allgather(r.control, &mine)
	if err != nil {
		return r.engineError(err)
	}
	for rank, said := range all {
		if said.Failure != nil {
			e := &restartError{*said.Failure}
			return &Error{Pid: -1, Rank: rank, Superstep: r.step, Text: e.text, Err: e, known: true}
		}
	}
	for _, said := range all {
		for _, slot := range said.Slots {
			r.view(slot)
		}
	}
	return nil
}

// asRestartError finds what kept a run from going on from its checkpoint.
func asRestartError(err error) (*restartError, bool) { return errors.AsType[*restartError](err) }
