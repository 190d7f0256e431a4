package driver

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// This file dismisses ranks without processes, and recalls them (package recall).
//
// On an emulated platform all ranks take part always: the platform computes which rank waits for
// which.

// dismiss dismisses the ranks without processes. All ranks call it, while all take part.
func (r *Rank) dismiss() *failure.Error {
	if r.Timing.Clock.Emulated() {
		return nil
	}
	present, changed := r.Members.Inhabited(r.Home.Where)
	if changed {
		if err := r.Timing.Account.Regroup(r.Now.Step, slices.Index(present, true)); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.roll.Dismiss(present); err != nil {
		return r.engineError(err)
	}
	r.Now.pulse.Meet()
	return nil
}

// recall calls back the ranks that are away.
func (r *Rank) recall(n membership.Needs) *failure.Error {
	return r.recallFor(&membership.Call{Needs: n})
}

func (r *Rank) recallFor(c *membership.Call) *failure.Error {
	if r.Members.Absent() == 0 {
		return nil
	}
	r.Timing.Clock.Interrupt()
	now := r.Timing.Clock.Now()
	c.Step = r.Now.Step
	if r.checkpoint != nil {
		c.Stages = r.checkpoint.Stages()
	}
	if r.balance != nil {
		c.Progress = r.balance.Progress()
	}
	return r.engineError(r.roll.Recall(c, now, r.crew.processes))
}

// sleep waits until this rank, which is away, is recalled, and then performs the operation of the
// call.
func (r *Rank) sleep() *failure.Error {
	r.Now.pulse.Away()
	c, err := r.Members.Await()
	if err != nil {
		return r.engineError(err)
	}
	r.Members.Woken(r.Timing.Clock.Now())
	r.Now.Step = c.Step
	r.Now.pulse.Begin(r.Now.Step)
	r.Home.Stream.Peers.Advance(r.Now.Step)
	if r.checkpoint != nil {
		r.checkpoint.CatchUp(c.Stages)
	}
	if r.balance != nil {
		r.balance.CatchUp(c.Progress)
	}
	if err := r.roll.Gathered(c, r.crew.processes); err != nil {
		return r.engineError(err)
	}
	switch {
	case c.Needs&membership.End != 0:
		r.Now.over = true
		return nil
	case c.Needs&membership.Failed != 0:
		return r.returnedError()
	case c.Needs&membership.Mismatch != 0:
		return r.endMismatch()
	case c.Needs&membership.Apart != 0:
		return r.apart()
	case c.Needs&membership.Misfit != 0:
		return r.misfit(c.Wrong)
	case c.Needs&(membership.Ship|membership.RollCall) != 0:
		return r.shipAll(c.Needs)
	}
	if err := r.carryOut(c.Needs); err != nil {
		return err
	}
	r.beginWork()
	return nil
}

// callsRoll reports whether the present ranks ask ranks that are away for their requests from time to
// time. Ranks within one Go program share their requests.
func (r *Rank) callsRoll() bool {
	return r.checkpoint != nil && r.Alone && r.Members.Absent() > 0
}

// rollCallDue reports whether this rank must begin a roll call.
func (r *Rank) rollCallDue() bool {
	return r.callsRoll() && r.Members.RollCallDue(r.Timing.Clock.Wall())
}

// upkeep sends the account to rank 0 if that is due. It first recalls ranks that are away if rank 0
// is one of them, or for a roll call.
func (r *Rank) upkeep(all mpi.Flags) *failure.Error {
	if all&flagUpkeep == 0 && !(r.Now.measuring && r.Timing.Account.Full()) {
		return nil
	}
	n, err := r.upkeepNeeds()
	switch {
	case err != nil:
		return r.engineError(err)
	case n == 0:
		return r.ship()
	}
	if err := r.recall(n); err != nil {
		return err
	}
	return r.shipAll(n)
}

// upkeepNeeds returns the reasons to recall ranks for the upkeep. The present ranks agree on them.
func (r *Rank) upkeepNeeds() (n membership.Needs, err error) {
	if !mpi.Present(r.Home.Comm, 0) {
		n = membership.Ship
	}
	if r.rollCallDue() {
		n |= membership.RollCall
	}
	if r.callsRoll() {
		return membership.Agree(r.control, n)
	}
	return n, nil
}

// shipAll ships with all ranks, and then dismisses ranks without processes again.
func (r *Rank) shipAll(n membership.Needs) *failure.Error {
	if err := r.ship(); err != nil {
		return err
	}
	if n&membership.RollCall != 0 {
		r.Members.RollCalled(r.Timing.Clock.Wall())
		if err := r.checkpoint.RollCall(); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.hearDrains(); err != nil {
		return err
	}
	return r.dismiss()
}

// hearDrains informs all ranks whether rank 0, which is away, has a list of hosts to drain that no
// call has used yet. All ranks call it.
func (r *Rank) hearDrains() *failure.Error {
	if r.emptying == nil {
		return nil
	}
	flags := mpi.Flags(0)
	if r.emptying.Due() {
		flags = flagCall
	}
	all, err := r.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	r.emptying.SetPending(all != 0)
	return nil
}

// together recalls the ranks that are away and then returns the error of make, which all ranks report
// together.
func (r *Rank) together(n membership.Needs, make func() *failure.Error) *failure.Error {
	if err := r.recall(n); err != nil {
		return err
	}
	return make()
}

func (r *Rank) agreement() membership.Agreement {
	return membership.Agreement{Control: r.control, Rank: r.Home.Comm.Rank(), Procs: len(r.Home.Where), Step: r.Now.Step}
}

// returnedError returns the error of the first process that returned one.
func (r *Rank) returnedError() *failure.Error {
	for _, p := range r.crew.procs {
		if p.Failure != nil {
			return r.agree(r.agreement().Returned(p.Failure))
		}
	}
	return r.agree(r.agreement().Returned(nil))
}

// endMismatch returns the error that names a process that has ended and one that has not.
func (r *Rank) endMismatch() *failure.Error {
	ended, syncing := len(r.Home.Where), len(r.Home.Where)
	for _, p := range r.crew.procs {
		if p.ended {
			ended = min(ended, p.Data.Pid)
		} else {
			syncing = min(syncing, p.Data.Pid)
		}
	}
	return r.agree(r.agreement().Mismatch(ended, syncing, site.Name(r.Now.site)))
}

// apart returns the error for processes in different collectives, or of which some are in none.
func (r *Rank) apart() *failure.Error {
	var mine membership.Parts
	for _, p := range r.crew.procs {
		in, at := membership.Part{Name: "a Sync, or the end of a stage", Rank: r.Home.Comm.Rank(), First: []int{p.Pid()}, Count: 1}, p.site
		if p.Data.Collecting {
			in.Name, in.Digest, in.Bytes, at = p.Collectives.In()
		}
		in.At = r.Looked.Sites.Of(at)
		mine.Add(in)
	}
	return r.agree(r.agreement().Apart(mine))
}

// misfit returns the error of a process whose registrations differ from the others', with the line
// at which it called Sync.
func (r *Rank) misfit(w *membership.Wrong) *failure.Error {
	at := ""
	if p := r.crew.local(w.Pid); p != nil && !p.ended {
		at = site.Name(p.site)
	}
	return r.agree(r.agreement().Misfit(w, at))
}
