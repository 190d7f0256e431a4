package bsplib

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// This file has ranks without processes leave, and call them back (package membership). A
// recall brings in step what may have changed meanwhile: the number of the superstep, the
// areas of processes, how many stages have ended and been observed.
//
// On an emulated platform all ranks take part always: which rank waits for which is what that
// computes.

// dismiss sends the ranks away that have no processes, at a time when all take part.
func (r *rank) dismiss() *Error {
	if r.timing.clock.Emulated() {
		return nil
	}
	present, changed := r.members.Inhabited(r.where)
	if changed {
		if err := r.timing.account.Regroup(r.now.step, slices.Index(present, true), r.comm.Rank()); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.members.Dismiss(present); err != nil {
		return r.engineError(err)
	}
	r.now.pulse.Meet()
	r.stream.Out.Here, r.changed = r.members.Here(), false
	return nil
}

// recall calls those back that are away.
func (r *rank) recall(n membership.Needs) *Error { return r.recallFor(&membership.Call{Needs: n}) }

func (r *rank) recallFor(c *membership.Call) *Error {
	if r.members.Absent() == 0 {
		return nil
	}
	r.timing.clock.Interrupt()
	now := r.timing.clock.Now()
	c.Step, c.Registered = r.now.step, r.changed
	if r.checkpoint != nil {
		c.Stages = r.checkpoint.Stages()
	}
	if r.balance != nil {
		c.Progress = r.balance.Progress()
	}
	if err := r.members.Recall(c, now); err != nil {
		return r.engineError(err)
	}
	return r.gathered(c)
}

// sleep is what a rank does while it is away, until it has been called back and has done
// what that was for.
func (r *rank) sleep() *Error {
	r.now.pulse.Away()
	c, err := r.members.Await()
	if err != nil {
		return r.engineError(err)
	}
	r.members.Woken(r.timing.clock.Now())
	r.now.step = c.Step
	r.now.pulse.Begin(r.now.step)
	r.stream.Peers.Advance(r.now.step)
	if r.checkpoint != nil {
		r.checkpoint.CatchUp(c.Stages)
	}
	if r.balance != nil {
		r.balance.CatchUp(c.Progress)
	}
	if err := r.gathered(c); err != nil {
		return err
	}
	switch {
	case c.Needs&membership.End != 0:
		r.now.over = true
		return nil
	case c.Needs&membership.Failed != 0:
		return r.returnedError()
	case c.Needs&membership.Mismatch != 0:
		return r.endMismatch()
	case c.Needs&membership.Misfit != 0:
		return r.locate(r.misfitError(c.Wrong))
	case c.Needs&(membership.Ship|membership.RollCall) != 0:
		return r.shipAll(c.Needs)
	}
	if err := r.carryOut(c.Needs); err != nil {
		return err
	}
	r.beginWork()
	return nil
}

// gathered brings in step what the ranks know of areas, when all are there.
func (r *rank) gathered(c *membership.Call) *Error {
	r.stream.Out.Here = r.members.Here()
	r.stream.Open()
	if !c.Registered {
		return nil
	}
	stayed := r.members.Stayed(r.comm.Rank())
	if stayed {
		if err := r.retellAreas(); err != nil {
			return r.engineError(err)
		}
	}
	if _, err := r.channels.control.Exchange(0); err != nil {
		return r.engineError(err)
	}
	if !stayed {
		clear(r.stream.Registry.Views)
	}
	err := control.Each(r.channels.control, func(from int, all *whereabouts) error {
		for _, slot := range all.Slots {
			r.stream.Registry.Slot(slot)
		}
		for _, x := range all.Processes {
			x.Place(r.stream.Registry, from)
		}
		return nil
	})
	if err != nil {
		return r.engineError(err)
	}
	return nil
}

// whereabouts is where the areas of a rank's processes are.
type whereabouts struct {
	Slots     []int // in use
	Processes []move.Located
}

// retellAreas tells the ranks that were away where the areas of this rank's processes are.
func (r *rank) retellAreas() error {
	var mine whereabouts
	for i, p := range r.crew.procs {
		mine.Processes = append(mine.Processes, move.Locate(&p.data))
		for slot, a := range p.data.Areas {
			if i == 0 && a != nil {
				mine.Slots = append(mine.Slots, slot)
			}
		}
	}
	for _, to := range r.stream.Out.Here {
		if r.members.Stayed(to) {
			continue
		}
		if err := control.Send(r.channels.control, to, &mine); err != nil {
			return err
		}
	}
	return nil
}

// rollCall makes the first rank that takes part say, now and then, that those that are away
// are to be asked for their requests: where each rank is a Go program of its own. All
// flags have a meaning already, so it says what no process does: that a stage was its
// loop's last where none has ended, or that Gets need a reply where there are none.
func (r *rank) rollCall(flags mpi.Flags) mpi.Flags {
	if r.checkpoint == nil || !r.separate || !r.members.RollCallDue(r.timing.clock.Wall()) {
		return flags
	}
	if flags&flagStage == 0 {
		flags |= flagLast
	}
	if flags&stream.FlagGet == 0 {
		flags |= stream.FlagReply
	}
	return flags
}

func isRollCall(all mpi.Flags) bool {
	return all&(flagLast|flagStage) == flagLast || all&(stream.FlagReply|stream.FlagGet) == stream.FlagReply
}

// shipOrRecall brings the account to rank 0 if it is time for that. Those that are away are
// called back if that is rank 0, or for a roll call.
func (r *rank) shipOrRecall(all mpi.Flags) *Error {
	n, due := membership.Needs(0), all&flagShip != 0 || r.now.measuring && r.timing.account.Full()
	if due && !r.comm.Present(0) {
		n = membership.Ship
	}
	if isRollCall(all) && r.members.Absent() > 0 {
		n |= membership.RollCall
	}
	switch {
	case n != 0:
		if err := r.recall(n); err != nil {
			return err
		}
		return r.shipAll(n)
	case due:
		return r.ship()
	}
	return nil
}

// shipAll ships with all ranks, and sends those away again that were called back for it.
func (r *rank) shipAll(n membership.Needs) *Error {
	if err := r.ship(); err != nil {
		return err
	}
	if n&membership.RollCall != 0 {
		r.members.RollCalled(r.timing.clock.Wall())
		if err := r.checkpoint.RollCall(); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.hearDrains(); err != nil {
		return err
	}
	return r.dismiss()
}
