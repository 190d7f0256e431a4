package bsplib

import (
	"cmp"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
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
	r.dropMessages()
	for _, i := range r.here {
		r.boxes[i].close()
	}
	if r.site != 0 && r.site != r.lastSite {
		r.flags |= flagElsewhere
		r.lastSite = r.site
	}
	if r.measuring && r.account.Due() {
		r.flags |= flagShip
	}
	if r.members.Absent() > 0 {
		r.flags = r.rollCall(r.flags)
	}
	if k := r.checkpoint; k != nil && k.CouldBeDue() && k.Due(r.flags&flagStage != 0) {
		r.flags |= flagCheckpoint
	}
	if r.flags&flagStage != 0 && len(r.procs) > 0 {
		at := r.procs[0].stages.at
		r.pulse.Stage(at.Loop, at.Stage)
	}
	r.pulse.Arrive(r.step)
	if r.office != nil {
		r.office.Leave()
	}
	r.ways.leaving(r.data, r.here)
	flags := r.flags
	all, err := r.comm.Exchange(r.data, flags)
	if err != nil {
		return r.engineError(err)
	}
	if r.laidIn == r.step {
		r.lookAtShelves()
	}
	r.ways.arrived(r.data, r.here)
	r.flags = 0
	r.openBoxes()
	if all&flagFail != 0 {
		return cmp.Or(r.abandon(), r.together(membership.Failed, r.returnedError))
	}
	if all&flagEnd != 0 {
		if all&(flagSync|flagStage) != 0 {
			return cmp.Or(r.abandon(), r.together(membership.Mismatch, r.endMismatch))
		}
		r.over = true
	}
	if all&flagRegister != 0 {
		if err := r.checkRegistrations(); err != nil {
			return cmp.Or(r.abandon(), err)
		}
	}
	if all&flagGet != 0 {
		if err := r.serveGets(all&flagReply != 0); err != nil {
			return err
		}
	}
	r.deliver()
	if r.runs != nil {
		if err := cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives)); err != nil {
			return err
		}
	}
	if r.laidIn == r.step {
		if err := r.tookShelves(); err != nil {
			return err
		}
	}
	if all&flagPull != 0 {
		if err := r.awaitPulls(); err != nil {
			return err
		}
	}
	if all&flagRegister != 0 {
		r.changed = true
		r.applyRegistrations()
	}
	if err := r.close(all); err != nil {
		return err
	}
	if err := r.betweenSupersteps(all); err != nil {
		return err
	}
	r.pulse.Begin(r.step)
	r.beginWork()
	return nil
}

func (r *rank) openBoxes() {
	for _, d := range r.here {
		r.boxes[d].open(&r.data.Out[d])
	}
}

// serveGets reads for all Gets on all ranks before any of them writes.
func (r *rank) serveGets(asked bool) *Error {
	if asked {
		r.answerGets()
	}
	r.readGets()
	r.ways.leaving(r.side, r.here)
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	r.ways.arrived(r.side, r.here)
	if r.direct.failed != nil {
		return r.engineError(r.direct.failed)
	}
	if err := r.settle(mpi.Gets); err != nil {
		return err
	}
	r.writeGets()
	return nil
}

// abandon takes the runs that others have given, before all ranks end with an error that
// they know: the next run of a program may use the same Comm.
func (r *rank) abandon() *Error {
	if r.runs == nil {
		return nil
	}
	r.deliver()
	return cmp.Or(r.settle(mpi.Puts), r.settle(mpi.Collectives))
}

// close ends what is measured of the superstep, and the superstep.
func (r *rank) close(all mpi.Flags) *Error {
	if r.recording {
		r.recordTrafficTimed()
	}
	if r.balance != nil {
		r.balance.Superstep(balance.Ended{
			Samples: r.samples, Work: r.account.Work(), Recorded: r.recording,
			Inside: all&flagInside != 0, Elsewhere: all&flagElsewhere != 0,
		})
	}
	if r.measuring {
		if r.followed {
			r.enterTraffic()
		}
		end, err := r.clock.Superstep(r.account.Work(), r.where)
		if err != nil {
			return r.engineError(err)
		}
		r.carried()
		r.account.Close(r.step, r.site, end, r.samples, r.recording)
	}
	r.step++
	r.direct.advance(r.step)
	r.site = 0
	return r.shipOrRecall(all)
}

// enterTraffic tells the clock who has sent to whom in the superstep.
func (r *rank) enterTraffic() {
	for _, p := range r.procs {
		for _, t := range p.did.Traffic {
			r.clock.Carry(t.Pid, p.pid, t.Bytes, r.where)
		}
	}
}

// barrierOnly is an exchange of all ranks with nothing in it.
func (r *rank) barrierOnly() error {
	_, err := r.control.Exchange(0)
	return err
}
