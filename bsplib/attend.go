package bsplib

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file decides which ranks take part in supersteps: those that have processes. The
// others sleep (mpi.Comm.Attend), from the begin of the run on or from the call that has
// moved their last process away, and cost those nothing that go on.
//
// What needs all ranks calls them back first (recall): a rescheduling call, a checkpoint,
// the end of the run in whatever way, and, while rank 0 is away, the account. Whoever
// is called back is told how far the others have come (catchUp) and what for, does the
// same as they, and leaves again if it still has no processes (dismiss).
//
// Invariants: all ranks know the same mapping, and so who takes part; that changes between
// two supersteps at which all were there. A rank that is away knows of all that is the
// same on all ranks what it was when it left; recall brings in step what may have
// changed since: the number of the superstep, the areas of processes, how many stages have
// ended and been observed.
//
// On an emulated platform all ranks take part always: who waits for whom is what that
// computes.

// attending is who takes part.
type attending struct {
	absent     int    // how many do not
	away       bool   // this rank does not
	before     []bool // who took part in the last superstep
	registered bool   // areas have changed since the others left

	separate bool // each rank is a Go program of its own

	woke  time.Duration // when the others were called back, 0 once that has been counted
	asked time.Duration // when they were last asked for their requests
}

// needs is what all ranks are needed for.
type needs uint16

const (
	needCheckpoint needs = 1 << iota
	needRefusal          // of one that has nowhere to go: rank 0 says so
	needUnrest           // processes move without a reason, in tests
	needCall             // a rescheduling call
	needAsked            // that processes or ranks have asked for
	needShip             // the account goes to rank 0
	needRollCall         // ranks that are away may ask for a checkpoint
	needEnd              // all processes have ended
	needFailed           // a process has returned an error
	needMismatch         // some have ended, others have not
	needMisfit           // they have registered different things
)

// catchUp is what a rank is told that is called back.
type catchUp struct {
	Needs      needs
	Step       int
	Registered bool
	Stages     int                 // since the last checkpoint
	Progress   rebalancer.Progress // of rescheduling, where there is any
	Wrong      *misfit
}

// misfit is an error that is about to be reported, but for its place in the program.
type misfit struct {
	Pid, Rank int
	Text      string
}

// attendAll makes all ranks take part.
func (r *rank) attendAll() {
	r.stream.Out.Here, r.absent, r.away = r.stream.Out.Here[:0], 0, false
	for rank := range r.comm.Size() {
		r.stream.Out.Here = append(r.stream.Out.Here, rank)
	}
}

// dismiss sends the ranks away that have no processes, at a time when all take part.
func (r *rank) dismiss() *Error {
	if r.clock.Emulated() {
		return nil
	}
	present := make([]bool, r.comm.Size())
	for _, rank := range r.where {
		present[rank] = true
	}
	if r.before == nil {
		r.before = slices.Repeat([]bool{true}, len(present))
	}
	if !slices.Equal(present, r.before) {
		if err := r.account.Regroup(r.step, slices.Index(present, true), r.comm.Rank()); err != nil {
			return r.engineError(err)
		}
	}
	r.before = present
	if err := r.comm.Attend(present); err != nil {
		return r.engineError(err)
	}
	r.pulse.Meet()
	r.stream.Out.Here, r.absent, r.registered = r.stream.Out.Here[:0], 0, false
	for rank, is := range present {
		if is {
			r.stream.Out.Here = append(r.stream.Out.Here, rank)
		} else {
			r.absent++
		}
	}
	r.away = !present[r.comm.Rank()]
	return nil
}

// recall calls those back that are away.
func (r *rank) recall(n needs) *Error { return r.recallFor(&catchUp{Needs: n}) }

func (r *rank) recallFor(c *catchUp) *Error {
	if r.absent == 0 {
		return nil
	}
	r.clock.Interrupt()
	r.woke = r.clock.Now()
	c.Step, c.Registered = r.step, r.registered
	if r.checkpoint != nil {
		c.Stages = r.checkpoint.Stages()
	}
	if r.balance != nil {
		c.Progress = r.balance.Progress()
	}
	note, err := wire.Append(nil, c)
	if err == nil {
		err = r.comm.Recall(note)
	}
	if err != nil {
		return r.engineError(err)
	}
	return r.gathered(c)
}

// sleep is what a rank does while it is away, until it has been called back and has done
// what that was for.
func (r *rank) sleep() *Error {
	r.pulse.Away()
	note, err := r.comm.Await()
	var c catchUp
	if err == nil {
		err = wire.Read(note, &c)
	}
	if err != nil {
		return r.engineError(err)
	}
	r.woke = r.clock.Now()
	r.step = c.Step
	r.pulse.Begin(r.step)
	r.stream.Peers.Advance(r.step)
	if r.checkpoint != nil {
		r.checkpoint.CatchUp(c.Stages)
	}
	if r.balance != nil {
		r.balance.CatchUp(c.Progress)
	}
	if err := r.gathered(&c); err != nil {
		return err
	}
	switch {
	case c.Needs&needEnd != 0:
		r.over = true
		return nil
	case c.Needs&needFailed != 0:
		return r.returnedError()
	case c.Needs&needMismatch != 0:
		return r.endMismatch()
	case c.Needs&needMisfit != 0:
		return r.locate(r.misfitError(c.Wrong))
	case c.Needs&(needShip|needRollCall) != 0:
		return r.shipAll(c.Needs)
	}
	if err := r.carryOut(c.Needs); err != nil {
		return err
	}
	r.beginWork()
	return nil
}

// gathered brings in step what the ranks know of areas, when all are there.
func (r *rank) gathered(c *catchUp) *Error {
	was := r.before
	r.attendAll()
	r.stream.Open()
	if !c.Registered {
		return nil
	}
	if was[r.comm.Rank()] {
		if err := r.retellAreas(was); err != nil {
			return r.engineError(err)
		}
	}
	if _, err := r.control.Exchange(0); err != nil {
		return r.engineError(err)
	}
	if !was[r.comm.Rank()] {
		clear(r.stream.Registry.Views)
	}
	err := control.Each(r.control, func(from int, all *whereabouts) error {
		for _, slot := range all.Slots {
			r.stream.Registry.Slot(slot)
		}
		for _, x := range all.Processes {
			r.reachAreas(from, x.Pid, x.Areas)
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
	Processes arrivedProcesses
}

// retellAreas tells the ranks that were not present where the areas of this rank's
// processes are.
func (r *rank) retellAreas(present []bool) error {
	var mine whereabouts
	for i, p := range r.procs {
		mine.Processes = append(mine.Processes, p.whereAreas())
		for slot, a := range p.data.Areas {
			if i == 0 && a != nil {
				mine.Slots = append(mine.Slots, slot)
			}
		}
	}
	for to, is := range present {
		if is {
			continue
		}
		if err := control.Send(r.control, to, &mine); err != nil {
			return err
		}
	}
	return nil
}

// verdict calls back those that are away for an error that all ranks find out about
// together.
func (r *rank) verdict(n needs, reach func() *Error) *Error {
	if err := r.recall(n); err != nil {
		return err
	}
	return reach()
}

// misfitError is the error of a process that has registered something else than others.
func (r *rank) misfitError(m *misfit) *Error {
	return &Error{Kind: KindRegisterMismatch, Pid: m.Pid, Rank: m.Rank, Superstep: r.step, Text: m.Text, known: true}
}

// rollCallEvery is how long a request for a checkpoint waits at most that was made on a
// rank that is away, and on no other.
var rollCallEvery = 15 * time.Second

// rollCall makes the first rank that takes part say, now and then, that those that are away
// are to be asked for their requests: where each rank is a Go program of its own. All
// flags have a meaning already, so it says what no process does: that a stage was its
// loop's last where none has ended, or that Gets need a reply where there are none.
func (r *rank) rollCall(flags mpi.Flags) mpi.Flags {
	if r.checkpoint == nil || !r.separate || r.stream.Out.Here[0] != r.comm.Rank() || r.clock.Wall()-r.asked < rollCallEvery {
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
	n, due := needs(0), all&flagShip != 0 || r.measuring && r.account.Full()
	if due && !r.comm.Present(0) {
		n = needShip
	}
	if r.absent > 0 && isRollCall(all) {
		n |= needRollCall
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
func (r *rank) shipAll(n needs) *Error {
	if err := r.ship(); err != nil {
		return err
	}
	if n&needRollCall != 0 {
		r.asked = r.clock.Wall()
		if err := r.checkpoint.RollCall(); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.hearDrains(); err != nil {
		return err
	}
	return r.dismiss()
}
