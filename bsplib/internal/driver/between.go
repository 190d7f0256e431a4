package driver

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/reschedule"
	"github.com/migbsp/migbsp/bsplib/internal/snapshot"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// betweenSupersteps takes a checkpoint or moves processes, if due and if all of them have ended a
// stage. Both need all ranks: ranks that are away are recalled before, and ranks without processes
// dismissed after.
func (r *Rank) betweenSupersteps(all mpi.Flags) *failure.Error {
	n := r.needsBetween(all)
	if n == 0 {
		return nil
	}
	if err := r.recall(n); err != nil {
		return err
	}
	return r.carryOut(n)
}

// needsBetween returns the operations due between two supersteps.
func (r *Rank) needsBetween(all mpi.Flags) (n membership.Needs) {
	if r.checkpoint != nil && all&(FlagStage|flagCheckpoint) != 0 {
		n = r.checkpointBetween(all)
	}
	if all&FlagStage == 0 || all&(FlagSync|flagEnd) != 0 {
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

// carryOut performs the operations due between two supersteps, on all ranks.
func (r *Rank) carryOut(n membership.Needs) (err *failure.Error) {
	r.Timing.Clock.Interrupt()
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
		r.Members.Waking(0)
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

// unrest configures the moves after each stage for -shake and for tests of the engine.
type unrest struct {
	shake   bool       // every process
	scatter *rand.Rand // or some of them, in tests
}

// disturb moves processes after a stage.
func (r *Rank) disturb() *failure.Error {
	size := r.Home.Comm.Size()
	if !r.unrest.shake {
		return r.migrate(r.unrest.scattered(r.Home.Where, size))
	}
	pinned, err := r.pinnedAnywhere()
	if err != nil {
		return err
	}
	return r.migrate(shaken(r.Home.Where, size, r.Now.Step, pinned))
}

// shaken returns moves of every unpinned process to another rank, over time to each rank.
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

// scattered returns random moves of some processes, for tests.
func (u *unrest) scattered(where []int32, ranks int) (moves []rebalancer.Move) {
	for pid, from := range where {
		if to := u.scatter.IntN(2 * ranks); to < ranks {
			moves = append(moves, rebalancer.Move{Pid: pid, From: int(from), To: to})
		}
	}
	return moves
}

// reschedule makes a rescheduling call and performs its moves. asked is true if processes have
// requests, or if ranks want a call because stages have become slow.
func (r *Rank) reschedule(asked bool) *failure.Error {
	if r.balance == nil {
		r.begin(rebalancer.Spec{})
	}
	call, err := r.calls.Call(asked, r.crew.processes, r.Now.Step)
	if errors.Is(err, balance.ErrAllDrained) {
		return r.agree(&failure.Error{Kind: failure.NoSuchPlace, Pid: -1, Rank: r.Home.Comm.Rank(), Superstep: r.Now.Step - 1,
			Text: fmt.Sprintf("all %d ranks are to be drained; processes must run somewhere", r.Home.Comm.Size())}, nil)
	}
	if err != nil {
		return r.moveError(err)
	}
	if len(call.Moves) > 0 {
		if err := r.migrate(call.Moves); err != nil {
			return err
		}
	}
	r.calls.Moved(call, r.Now.Step)
	return nil
}

// begin creates the rank's part in rescheduling.
func (r *Rank) begin(spec rebalancer.Spec) {
	r.calling.Spec = spec
	r.calls, r.balance = reschedule.New(r.calling)
}

// pinnedAnywhere returns the pinned processes of all ranks. Programs in Go are not asked:
// in them pins are for calls.
func (r *Rank) pinnedAnywhere() (map[int]bool, *failure.Error) {
	if !r.Home.Program.HasFixed() {
		return nil, nil
	}
	var mine struct{ Pids []int }
	for _, p := range r.crew.procs {
		if p.Pinned {
			mine.Pids = append(mine.Pids, p.Data.Pid)
		}
	}
	all, err := control.Allgather(r.control, &mine)
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

// checkpointBetween returns Checkpoint if a checkpoint is due between two supersteps: a rank has
// requested it and a stage has ended for all processes.
func (r *Rank) checkpointBetween(all mpi.Flags) membership.Needs {
	if all&flagCheckpoint != 0 && !r.checkpoint.Writes() && r.Members.Absent() > 0 {
		return membership.Refusal
	}
	if r.checkpoint.Wanted(all&flagCheckpoint != 0, all&FlagStage != 0 && all&(FlagSync|flagEnd) == 0) {
		return membership.Checkpoint
	}
	return 0
}

// takeCheckpoint takes a checkpoint. If it was requested, it ends the run.
func (r *Rank) takeCheckpoint() *failure.Error {
	begun := r.Timing.Clock.Wall()
	over, about, err := r.checkpoint.Take(snapshot.Of(r.Now.Step, r.crew.processes, r.Outcome.Reported))
	if err != nil {
		return r.engineError(err)
	}
	if err := r.Outcome.profile.Write(stateOf(r, false)); err != nil {
		return r.engineError(err)
	}
	if r.balance != nil {
		r.balance.Pause(r.Timing.Clock.Wall() - begun)
	}
	if !over {
		return nil
	}
	if err := r.stopAccount(); err != nil {
		return err
	}
	e := &failure.Error{
		Pid: -1, Rank: r.Home.Comm.Rank(), Superstep: r.Now.Step - 1,
		Text: failure.ErrCheckpointed.Error(), Err: failure.ErrCheckpointed,
	}
	if about != "" {
		e.Text = "checkpointed: " + about
	}
	return r.agree(e, nil)
}

// ship sends all ranks' measurements to rank 0. The time for this does not count as superstep time.
func (r *Rank) ship() *failure.Error {
	begun := r.Timing.Clock.Wall()
	err := r.Timing.Account.Ship(r.Now.Step)
	if r.balance != nil {
		r.balance.Pause(r.Timing.Clock.Wall() - begun)
	}
	return r.engineError(err)
}

// stopAccount ends the account after the last superstep.
func (r *Rank) stopAccount() *failure.Error {
	return r.engineError(r.Timing.Account.Stop(r.Now.Step, r.checkpoint.Costs()...))
}
