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
	now, s, out := r.now, r.stream, r.stream.Out
	s.DropMessages()
	out.Close()
	r.sayFlags()
	now.pulse.Arrive(now.step)
	if now.office != nil {
		now.office.Leave()
	}
	s.Ways.Leaving(s.Data, out.Here)
	all, err := r.comm.Exchange(s.Data, now.flags|out.Flags)
	if err != nil {
		return r.engineError(err)
	}
	together := r.collective.Called(now.step)
	if together {
		r.collective.Look()
	}
	s.Ways.Arrived(s.Data, out.Here)
	now.flags, out.Flags = 0, 0
	out.Open(s.Data)
	if all&flagFail != 0 {
		return cmp.Or(r.abandon(), r.together(membership.Failed, r.returnedError))
	}
	if all&flagEnd != 0 {
		if all&(flagSync|flagStage) != 0 {
			return cmp.Or(r.abandon(), r.together(membership.Mismatch, r.endMismatch))
		}
		now.over = true
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
	r.deliver(together)
	if out.Runs != nil {
		if err := cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives)); err != nil {
			return err
		}
	}
	if together {
		if err := r.endCollective(); err != nil {
			return err
		}
	}
	if all&stream.FlagPull != 0 {
		if err := r.awaitPulls(); err != nil {
			return err
		}
	}
	if all&stream.FlagRegister != 0 {
		r.changed = true
		s.Registry.Apply()
	}
	if err := r.close(all); err != nil {
		return err
	}
	if err := r.betweenSupersteps(all); err != nil {
		return err
	}
	now.pulse.Begin(now.step)
	r.beginWork()
	return nil
}

// sayFlags completes what the rank says of its superstep.
func (r *rank) sayFlags() {
	now := r.now
	if now.site != 0 && now.site != now.lastSite {
		now.flags |= flagElsewhere
		now.lastSite = now.site
	}
	if r.now.measuring && r.timing.account.Due() {
		now.flags |= flagShip
	}
	if r.members.Absent() > 0 {
		now.flags = r.rollCall(now.flags | r.stream.Out.Flags)
	}
	if k := r.checkpoint; k != nil && k.CouldBeDue() && k.Due(now.flags&flagStage != 0) {
		now.flags |= flagCheckpoint
	}
	if now.flags&flagStage != 0 && len(r.crew.procs) > 0 {
		at := r.crew.procs[0].stages.at
		now.pulse.Stage(at.Loop, at.Stage)
	}
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

// endCollective ends the exchange for the collective that the rank takes part in.
func (r *rank) endCollective() *Error {
	samples := r.crew.samples
	if !r.now.measuring {
		samples = nil
	}
	if err := r.collective.End(samples); err != nil {
		return r.engineError(err)
	}
	return nil
}

// deliver carries out what has arrived, in the order of the sending processes. together says
// that the rank takes part in a collective.
func (r *rank) deliver(together bool) {
	if together {
		r.collective.Before()
	}
	r.stream.Deliver()
	if together || r.collective.Announced() {
		r.collective.After()
	}
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
	r.deliver(r.collective.Called(r.now.step))
	return cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives))
}

// close ends what is measured of the superstep, and the superstep.
func (r *rank) close(all mpi.Flags) *Error {
	if r.stream.Recording {
		r.timing.recordTraffic(r.stream, r.balance)
	}
	if r.balance != nil {
		r.balance.Superstep(balance.Ended{
			Samples: r.crew.samples, Work: r.timing.account.Work(), Recorded: r.stream.Recording,
			Inside: all&flagInside != 0, Elsewhere: all&flagElsewhere != 0,
		})
	}
	if r.now.measuring {
		if err := r.timing.end(r.now, r.crew, r.where); err != nil {
			return r.engineError(err)
		}
	}
	r.now.step++
	r.stream.Peers.Advance(r.now.step)
	r.now.site = 0
	return r.shipOrRecall(all)
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
	w := membership.Wrong{Pid: pid, Rank: int(r.where[pid])}
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
	if p := r.crew.local(e.Pid); p != nil && !p.ended {
		at = site.Name(p.site)
	}
	_, sites, err := membership.Agree(r.channels.control, r.comm.Rank(), membership.Statement{Pid: e.Pid, Text: at})
	if err != nil {
		return r.engineError(err)
	}
	e.Site = sites[e.Rank].Text
	return e
}
