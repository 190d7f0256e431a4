package bsplib

import (
	"errors"
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// betweenSupersteps may take a checkpoint, and move processes where all of them have ended
// a stage. Both need all ranks: those that are away are called back, and those without
// processes leave when it is done.
func (r *rank) betweenSupersteps(all mpi.Flags) *Error {
	n := r.needsBetween(all)
	if n == 0 {
		return nil
	}
	if err := r.recall(n); err != nil {
		return err
	}
	return r.carryOut(n)
}

// needsBetween is what is to be done between two supersteps.
func (r *rank) needsBetween(all mpi.Flags) (n membership.Needs) {
	if r.checkpoint != nil && all&(flagStage|flagCheckpoint) != 0 {
		n = r.checkpointBetween(all)
	}
	if all&flagStage == 0 || all&(flagSync|flagEnd) != 0 {
		return n
	}
	due := false
	if r.balance != nil {
		v := rebalancer.Vote{Worth: all&flagWorth != 0, Alarm: all&flagCall != 0, Short: all&flagShort != 0}
		due = r.balance.StageEnded(r.crew.samples, v, all&flagLast != 0)
	}
	switch asked := all&flagCall != 0; {
	case r.unrest.shake, r.unrest.scatter != nil:
		n |= membership.Unrest
	case asked:
		n |= membership.Decision | membership.Requests
	case due:
		n |= membership.Decision
	}
	return n
}

// carryOut does what is to be done between two supersteps, on all ranks.
func (r *rank) carryOut(n membership.Needs) (err *Error) {
	r.timing.clock.Interrupt()
	if n&membership.Refusal != 0 {
		r.checkpoint.Wanted(true, false)
		if err := r.barrierOnly(); err != nil {
			return r.engineError(err)
		}
	}
	if n&membership.Checkpoint != 0 {
		if err := r.takeCheckpoint(); err != nil {
			return err
		}
		r.members.Waking(0)
	}
	if n&membership.Unrest != 0 {
		err = r.disturb()
	}
	if err == nil && n&membership.Decision != 0 {
		err = r.reschedule(n&membership.Requests != 0)
	}
	if err != nil {
		return err
	}
	return r.dismiss()
}

// disturb moves processes after a stage.
func (r *rank) disturb() *Error {
	size := r.comm.Size()
	if !r.unrest.shake {
		return r.migrate(r.unrest.scattered(r.where, size))
	}
	pinned, err := r.pinnedAnywhere()
	if err != nil {
		return err
	}
	return r.migrate(shaken(r.where, size, r.now.step, pinned))
}

// shaken moves every process that is not pinned to some other rank, by turns to all.
func shaken(where []int32, ranks, step int, pinned map[int]bool) []rebalancer.Move {
	moves := make([]rebalancer.Move, 0, len(where))
	for pid, from := range where {
		ahead := 1 + (pid+step)%max(1, ranks-1)
		if !pinned[pid] {
			moves = append(moves, rebalancer.Move{Pid: pid, From: int(from), To: (int(from) + ahead) % ranks})
		}
	}
	return moves
}

// scattered moves some processes to some ranks, for tests.
func (u *unrest) scattered(where []int32, ranks int) (moves []rebalancer.Move) {
	for pid, from := range where {
		if to := u.scatter.IntN(2 * ranks); to < ranks {
			moves = append(moves, rebalancer.Move{Pid: pid, From: int(from), To: to})
		}
	}
	return moves
}

// reschedule makes a call and carries out what it decides. asked is true if
// processes have asked for something, or ranks for a call because stages have
// become slow.
func (r *rank) reschedule(asked bool) *Error {
	if r.balance == nil {
		r.newBalance(rebalancer.Spec{})
	}
	if err := r.ship(); err != nil {
		return err
	}
	entered := r.timing.clock.Now()
	waking := r.members.Waking(entered)
	if waking > 0 { // to call others back is part of the call's cost, not of the time before
		entered -= waking
		r.balance.Pause(waking)
	}
	measuring := r.timing.clock.Now()
	switch anew, err := r.cluster.Remeasure(); {
	case err != nil:
		return r.engineError(err)
	case anew:
		r.relink()
		r.balance.Measured(r.timing.clock.Now() - measuring)
	}
	begun := r.timing.clock.Now() - waking
	d, err := r.call(asked)
	if err != nil {
		return err
	}
	ended := r.timing.clock.Now()
	moved := r.mover.Took()
	took := ended - moved
	if len(d.Moves) > 0 {
		if err := r.migrate(d.Moves); err != nil {
			return err
		}
		moved += r.timing.clock.Now() - ended
	} else {
		r.mover.Drop()
	}
	if r.outcome.why != nil {
		d.Why(r.outcome.why, &r.cluster.Platform)
	}
	r.timing.account.Call(&d.Decision, decided.Costs{
		Step: r.now.step - 1, At: entered.Seconds(), Took: (took - entered).Seconds(), Move: moved.Seconds(),
		Messages: d.Traffic.Messages, Talk: d.Traffic.Bytes,
	})
	r.answerDrains(&d)
	r.balance.Called(took-begun, moved, len(d.Moves))
	r.keepCall(&d)
	return nil
}

// keepCall keeps what a call was decided from, if this rank has decided it. The time that this
// takes counts neither as the call's nor as a superstep's.
func (r *rank) keepCall(d *balance.Decided) {
	if d.Snapshot == nil || !r.outcome.callLog.Keeps() {
		return
	}
	began := time.Now()
	c := calls.Call{Forgot: d.Forgot, Snapshot: *d.Snapshot, Moves: d.Moves}
	if r.outcome.relinked {
		c.Links, c.Lines, r.outcome.relinked = r.cluster.Platform.Links, r.cluster.Platform.Lines, false
	}
	r.outcome.callLog.Call(&c)
	r.balance.Pause(time.Since(began))
}

// newBalance makes the rank's part in deciding where processes run.
func (r *rank) newBalance(spec rebalancer.Spec) {
	s := balance.Settings{
		Rank: r.comm.Rank(), Spec: spec, Platform: r.cluster.Platform, Where: r.where, Clock: r.timing.clock, Calls: r.channels.calls,
		Machine: r.cluster.Machine(r.timing.clock.Emulated()), Detail: r.detail, Account: r.timing.account.Kept() && !r.timing.clock.Emulated(),
	}
	r.balance = balance.New(s)
	r.outcome.callLog.Start(calls.Start{Strategy: spec.String(), Account: s.Account, Where: r.where, Platform: r.cluster.Platform})
	if r.cluster.HasLinks() {
		r.relink()
	}
}

// relink tells of links as they have been measured.
func (r *rank) relink() {
	r.balance.Relink(r.cluster.Platform.Links, r.cluster.Platform.Lines)
	r.outcome.relinked = true
}

// detail is what the rank tells of a process beside its measurements.
func (r *rank) detail(pid int) rebalancer.Detail {
	p := r.crew.local(pid)
	_, err := r.program.plan()
	return rebalancer.Detail{State: p.stateBytes(), Pinned: err != nil || p.pinned, Request: r.requestedRank(p), Load: p.telling.load}
}

// call makes a call with what the rank's processes ask for, and answers them.
func (r *rank) call(asked bool) (balance.Decided, *Error) {
	a := balance.Asking{Asked: asked, Processes: len(r.crew.procs)}
	a.Outside.Ranks, a.Outside.Version = r.emptying.Ranks()
	if len(r.crew.procs) > 0 {
		a.Left = r.crew.procs[0].stages.left
	}
	for _, p := range r.crew.procs {
		if p.request != nil {
			a.Drain = append(a.Drain, p.request.drain...)
		}
	}
	if asked && !r.timing.clock.Emulated() { // where moves are charged apart from calls
		r.offer()
		a.Along = r.mover
	}
	d, err := r.balance.Call(a)
	if errors.Is(err, balance.ErrAllDrained) {
		if err := r.settle(mpi.Moves); err != nil { // of states that were to go along
			return d, err
		}
		return d, &Error{Kind: KindNoSuchPlace, Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step - 1, known: true,
			Text: fmt.Sprintf("all %d ranks are to be drained; processes must run somewhere", r.comm.Size())}
	}
	if err != nil {
		return d, r.moveError(err)
	}
	r.emptying.Decided(d.Outside.Ranks, d.Outside.Version, d.Refused)
	if r.cluster.Credit(d.Interval, d.UnexplainedTime) {
		r.balance.MeasureSoon()
	}
	if asked {
		r.answerRequests(&d.Decision)
	}
	return d, nil
}

// pinnedAnywhere are the processes that are pinned, on all ranks. Programs in Go are not asked:
// in them pins are for calls.
func (r *rank) pinnedAnywhere() (map[int]bool, *Error) {
	if r.program.fixed == nil {
		return nil, nil
	}
	var mine struct{ Pids []int }
	for _, p := range r.crew.procs {
		if p.pinned {
			mine.Pids = append(mine.Pids, p.pid)
		}
	}
	all, err := control.Allgather(r.channels.control, &mine)
	if err != nil {
		return nil, r.engineError(err)
	}
	pinned := make(map[int]bool)
	for _, x := range all {
		for _, pid := range x.Pids {
			pinned[pid] = true
		}
	}
	return pinned, nil
}
