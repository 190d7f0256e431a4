package driver

import (
	"cmp"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/measure"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// barrier ends a superstep for all processes of the rank.
//
// Its order is the contract of Sync. One exchange of the data lane transfers all ranks' records and
// the OR of their flags, which announce further work. All ranks see the same flags, so all take the
// same path and make the same further exchanges: for Gets, for HPPuts that are still being copied,
// for the account, for a checkpoint or a call. An empty superstep needs only the one exchange.
//
// Gets precede all writes. All of them read while no rank writes: a rank enters the second exchange
// when it has read, and writes when it leaves it. Then come Puts and messages, by sender; then
// registrations and Pops take effect, so data sent to an area in the superstep of its Pop still
// arrive.
func (r *Rank) barrier() *failure.Error {
	now, s, out := r.Now, r.Home.Stream, r.Home.Stream.Out
	s.DropMessages()
	out.Close()
	r.sayFlags()
	now.pulse.Arrive(now.Step)
	if now.Office != nil {
		now.Office.Leave()
	}
	s.Ways.Leaving(s.Data, out.Here)
	all, err := r.Home.Comm.Exchange(s.Data, now.flags|out.Flags)
	if err != nil {
		return r.engineError(err)
	}
	together := r.collective.Called(now.Step)
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
		if all&(FlagSync|FlagStage) != 0 || collective.Any(all) {
			return cmp.Or(r.abandon(), r.together(membership.Mismatch, r.endMismatch))
		}
		now.over = true
	}
	if collective.Any(all) && (collective.Differ(all) || all&(FlagSync|FlagStage) != 0) {
		return cmp.Or(r.abandon(), r.together(membership.Apart, r.apart))
	}
	if all&stream.FlagRegister != 0 {
		if err := r.checkRegistrations(); err != nil {
			return cmp.Or(r.abandon(), err)
		}
	}
	if all&stream.FlagGet != 0 {
		if err := s.ServeGets(all&stream.FlagReply != 0); err != nil {
			return r.engineError(err)
		}
	}
	r.deliver(together)
	if out.Runs != nil {
		if err := r.engineError(s.Landings.Settle(mpi.Puts)); err != nil {
			return err
		}
	}
	if together {
		if err := r.endCollective(); err != nil {
			return err
		}
	}
	if all&stream.FlagPull != 0 {
		if err := s.AwaitPulls(); err != nil {
			return r.engineError(err)
		}
	}
	if all&stream.FlagRegister != 0 {
		r.roll.Changed = true
		s.Registry.Apply()
	}
	if err := r.close(all); err != nil {
		return err
	}
	if err := r.betweenSupersteps(all); err != nil {
		return err
	}
	now.pulse.Begin(now.Step)
	r.beginWork()
	return nil
}

// sayFlags completes the rank's flags for the barrier.
func (r *Rank) sayFlags() {
	now := r.Now
	if now.site != 0 && now.site != now.lastSite {
		now.flags |= flagElsewhere
		now.lastSite = now.site
	}
	if r.Now.measuring && r.Timing.Account.Due() || r.rollCallDue() {
		now.flags |= flagUpkeep
	}
	if k := r.checkpoint; k != nil && k.CouldBeDue() && k.Due(now.flags&FlagStage != 0) {
		now.flags |= flagCheckpoint
	}
	if now.flags&FlagStage != 0 && len(r.crew.procs) > 0 {
		at := r.crew.procs[0].Stages.At
		now.pulse.Stage(at.Loop, at.Stage)
	}
}

// endCollective ends the exchange for the collective that the rank takes part in.
func (r *Rank) endCollective() *failure.Error {
	samples := r.crew.samples
	if !r.Now.measuring {
		samples = nil
	}
	return r.engineError(r.collective.End(samples))
}

// deliver executes the received records, in the order of the sending processes. together reports
// whether the rank takes part in a collective.
func (r *Rank) deliver(together bool) {
	if together {
		r.collective.Before()
	}
	r.Home.Stream.Deliver()
}

// abandon receives the runs that other ranks have sent, before all ranks end with a common error: the
// next run of a program may use the same Comm.
func (r *Rank) abandon() *failure.Error {
	if r.Home.Stream.Out.Runs == nil {
		return nil
	}
	r.deliver(r.collective.Called(r.Now.Step))
	return r.engineError(r.Home.Stream.Landings.Settle(mpi.Puts))
}

// close ends the measuring of the superstep, and the superstep.
func (r *Rank) close(all mpi.Flags) *failure.Error {
	if r.Home.Stream.Recording {
		r.Timing.RecordTraffic(r.Home.Stream, r.balance)
	}
	if r.balance != nil {
		r.balance.Superstep(balance.Ended{
			Samples: r.crew.samples, Recorded: r.Home.Stream.Recording,
			Inside: all&flagInside != 0, Elsewhere: all&flagElsewhere != 0,
		})
	}
	if r.Now.measuring {
		if err := r.Timing.End(r.Home.Stream, measure.Ended{Step: r.Now.Step, Site: r.Now.site, Processes: r.crew.samples, Where: r.Home.Where}); err != nil {
			return r.engineError(err)
		}
	}
	r.Now.Step++
	r.Home.Stream.Peers.Advance(r.Now.Step)
	r.Now.site = 0
	return r.upkeep(all)
}

// checkRegistrations enters all registrations of this superstep and checks that all processes made
// the same.
func (r *Rank) checkRegistrations() *failure.Error {
	if m := r.Home.Stream.Registry.Check(r.Home.Stream.Data); m != nil {
		return r.mismatch(m)
	}
	return nil
}

// mismatch returns the error of a process whose registrations differ from most others'.
func (r *Rank) mismatch(m *stream.Misfit) *failure.Error {
	w := membership.Wrong{Pid: m.Pid, Rank: int(r.Home.Where[m.Pid])}
	w.Text = fmt.Sprintf("it registered or popped areas or made queues %d times in this superstep, process %d %d times", m.Its.Count, m.Usual, m.Most.Count)
	if m.Its.Count == m.Most.Count {
		w.Text = fmt.Sprintf("it registered or popped areas or made queues in another order or of other types than process %d", m.Usual)
	}
	w.Text += "; all processes must do the same, in the same order"
	if err := r.recallFor(&membership.Call{Needs: membership.Misfit, Wrong: &w}); err != nil {
		return err
	}
	return r.misfit(&w)
}
