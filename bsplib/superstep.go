package bsplib

import (
	"cmp"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// barrier ends a superstep for all processes of the rank.
//
// Its order is the contract of Sync. One exchange of the data lane brings all ranks'
// records and the OR of their flags, which say what else there is to do. All ranks see
// the same flags, so that all take the same path and make the same further exchanges:
// for Gets, for HPPuts that are still being copied, for the account, for a checkpoint or
// a call. An empty superstep has the one exchange and nothing else.
//
// Gets come before everything that writes. All of them read while no rank writes: a
// rank enters the second exchange when it has read, and writes when it leaves it. Then
// come Puts and messages, by sender; then registrations and Pops take effect, so that
// what was sent to an area in the superstep of its Pop still arrives.
func (r *rank) barrier() *Error {
	r.stream.Close()
	r.now.flags |= r.stream.Out.Flags
	if r.now.site != 0 && r.now.site != r.now.lastSite {
		r.now.flags |= flagElsewhere
		r.now.lastSite = r.now.site
	}
	if r.timing.measuring && r.account.Due() {
		r.now.flags |= flagShip
	}
	if r.members.Absent() > 0 {
		r.now.flags = r.rollCall(r.now.flags)
	}
	if k := r.checkpoint; k != nil && k.CouldBeDue() && k.Due(r.now.flags&flagStage != 0) {
		r.now.flags |= flagCheckpoint
	}
	if r.now.flags&flagStage != 0 && len(r.residents.procs) > 0 {
		at := r.residents.procs[0].stages.at
		r.now.pulse.Stage(at.Loop, at.Stage)
	}
	r.now.pulse.Arrive(r.now.step)
	if r.now.office != nil {
		r.now.office.Leave()
	}
	r.stream.Ways.Leaving(r.stream.Data, r.stream.Out.Here)
	flags := r.now.flags
	all, err := r.comm.Exchange(r.stream.Data, flags)
	if err != nil {
		return r.engineError(err)
	}
	r.collective.Look()
	r.stream.Ways.Arrived(r.stream.Data, r.stream.Out.Here)
	r.now.flags, r.stream.Out.Flags = 0, 0
	r.stream.Open()
	if all&flagFail != 0 {
		return cmp.Or(r.abandon(), r.together(membership.Failed, r.returnedError))
	}
	if all&flagEnd != 0 {
		if all&(flagSync|flagStage) != 0 {
			return cmp.Or(r.abandon(), r.together(membership.Mismatch, r.endMismatch))
		}
		r.now.over = true
	}
	if all&stream.FlagRegister != 0 {
		if err := r.checkRegistrations(); err != nil {
			return cmp.Or(r.abandon(), err)
		}
	}
	if all&stream.FlagGet != 0 {
		if err := r.serveGets(all&stream.FlagReply != 0); err != nil {
			return err
		}
	}
	r.deliver()
	if r.stream.Out.Runs != nil {
		if err := cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives)); err != nil {
			return err
		}
	}
	if err := r.endCollective(); err != nil {
		return err
	}
	if all&stream.FlagPull != 0 {
		if err := r.awaitPulls(); err != nil {
			return err
		}
	}
	if all&stream.FlagRegister != 0 {
		r.changed = true
		r.stream.Registry.Apply()
	}
	if err := r.close(all); err != nil {
		return err
	}
	if err := r.betweenSupersteps(all); err != nil {
		return err
	}
	r.now.pulse.Begin(r.now.step)
	r.beginWork()
	return nil
}

// serveGets reads for all Gets on all ranks before any of them writes.
func (r *rank) serveGets(asked bool) *Error {
	if err := r.stream.ServeGets(asked); err != nil {
		return r.engineError(err)
	}
	return nil
}

// awaitPulls returns when all ranks have copied what was lent to them.
func (r *rank) awaitPulls() *Error {
	if err := r.stream.AwaitPulls(); err != nil {
		return r.engineError(err)
	}
	return nil
}

// endCollective ends the exchange for a collective, if there is one.
func (r *rank) endCollective() *Error {
	samples := r.residents.samples
	if !r.timing.measuring {
		samples = nil
	}
	if err := r.collective.End(samples); err != nil {
		return r.engineError(err)
	}
	return nil
}

// deliver carries out what has arrived, in the order of the sending processes.
func (r *rank) deliver() {
	r.collective.Before()
	r.stream.Deliver()
	r.collective.After()
}

// settle returns when this rank's runs on a channel are complete.
func (r *rank) settle(on mpi.Channel) *Error {
	if err := r.stream.Landings.Settle(on); err != nil {
		return r.engineError(err)
	}
	return nil
}

// abandon takes the runs that others have given, before all ranks end with an error that
// they know: the next run of a program may use the same Comm.
func (r *rank) abandon() *Error {
	if r.stream.Out.Runs == nil {
		return nil
	}
	r.deliver()
	return cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives))
}

// close ends what is measured of the superstep, and the superstep.
func (r *rank) close(all mpi.Flags) *Error {
	if r.stream.Recording {
		r.recordTrafficTimed()
	}
	if r.balance != nil {
		r.balance.Superstep(balance.Ended{
			Samples: r.residents.samples, Work: r.account.Work(), Recorded: r.stream.Recording,
			Inside: all&flagInside != 0, Elsewhere: all&flagElsewhere != 0,
		})
	}
	if r.timing.measuring {
		if r.timing.followed {
			r.enterTraffic()
		}
		end, err := r.timing.clock.Superstep(r.account.Work(), r.residents.where)
		if err != nil {
			return r.engineError(err)
		}
		r.carried()
		r.account.Close(r.now.step, r.now.site, end, r.residents.samples, r.stream.Recording)
	}
	r.now.step++
	r.stream.Peers.Advance(r.now.step)
	r.now.site = 0
	return r.shipOrRecall(all)
}

// enterTraffic tells the clock who has sent to whom in the superstep.
func (r *rank) enterTraffic() {
	for _, p := range r.residents.procs {
		for _, t := range p.data.Did.Traffic {
			r.timing.clock.Carry(t.Pid, p.pid, t.Bytes, r.residents.where)
		}
	}
}

// barrierOnly is an exchange of all ranks with nothing in it.
func (r *rank) barrierOnly() error {
	_, err := r.channels.control.Exchange(0)
	return err
}

// checkRegistrations takes in all registrations of this superstep and checks that all
// processes did the same.
func (r *rank) checkRegistrations() *Error {
	if pid, its, first := r.stream.Registry.Check(r.stream.Data); pid >= 0 {
		return r.mismatch(pid, its, first)
	}
	return nil
}

// mismatch is the verdict on process pid, which did otherwise than the first.
func (r *rank) mismatch(pid int, its, first stream.Registrations) *Error {
	w := membership.Wrong{Pid: pid, Rank: int(r.residents.where[pid])}
	w.Text = fmt.Sprintf("it registered or popped areas or made queues %d times in this superstep, process 0 %d times", its.Count, first.Count)
	if its.Count == first.Count {
		w.Text = "it registered or popped areas or made queues in another order or of other types than process 0"
	}
	if err := r.recallFor(&membership.Call{Needs: membership.Misfit, Wrong: &w}); err != nil {
		return err
	}
	return r.locate(r.misfitError(&w))
}

// locate has the rank of an error's process tell all where that called Sync.
func (r *rank) locate(e *Error) *Error {
	at := ""
	if p := r.local(e.Pid); p != nil && !p.ended {
		at = site.Name(p.site)
	}
	_, sites, err := membership.Agree(r.channels.control, r.comm.Rank(), membership.Statement{Pid: e.Pid, Text: at})
	if err != nil {
		return r.engineError(err)
	}
	e.Site = sites[e.Rank].Text
	return e
}
