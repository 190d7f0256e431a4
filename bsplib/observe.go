package bsplib

import (
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// observe takes in the superstep that has just ended. Consecutive supersteps of
// a stage that end at the same place of the program are one to the controller:
// a loop of many small ones within a stage does not drive out the others.
func (b *balance) observe(r *rank, all mpi.Flags) {
	if all&flagElsewhere != 0 || all&flagInside == 0 {
		b.pass(r)
	}
	if all&flagInside == 0 {
		b.trigger.Outside()
		return
	}
	b.trigger.Superstep()
	if !b.trigger.Watching() {
		return
	}
	for _, p := range r.procs {
		p.gathered += p.work
		p.lasted += p.span
		if r.listening {
			p.gatherTraffic()
		}
	}
	b.busy += r.account.work
	b.heard = b.heard || r.listening
}

// gatherTraffic adds what was heard in this superstep to what goes to the
// controller.
func (p *Proc) gatherTraffic() {
	if p.traffic == nil {
		p.traffic = make([]rebalancer.Traffic, 0, 4)
	}
next:
	for _, t := range p.heard {
		for i := range p.traffic {
			if p.traffic[i].Pid == t.Pid {
				p.traffic[i].Bytes += t.Bytes
				continue next
			}
		}
		p.traffic = append(p.traffic, t)
	}
}

// pass gives what was gathered to the controller.
func (b *balance) pass(r *rank) {
	o, watched := b.trigger.Close()
	if watched {
		o.Processes = b.observed[:0]
		for _, p := range r.procs {
			m := rebalancer.Measure{Pid: p.pid, Time: p.gathered.Seconds(), Span: p.lasted.Seconds()}
			if b.heard {
				m.Comm, m.Received = b.communication(r, p), p.traffic
			}
			o.Processes = append(o.Processes, m)
		}
		b.controller.Observe(o)
		b.observed = o.Processes
		for _, p := range r.procs {
			p.gathered, p.lasted = 0, 0
			if p.traffic != nil {
				p.traffic = p.traffic[:0]
			}
		}
	}
	b.heard = false
}

// communication is what the messages to a process took, by the platform's
// links.
func (b *balance) communication(r *rank, p *Proc) float64 {
	seconds := 0.0
	for _, t := range p.traffic {
		seconds += b.platform.Transfer(int(r.where[t.Pid]), int(r.where[p.pid]), t.Bytes)
	}
	return seconds
}

// vote is what this rank says of the stage that it ends, left before its loop's end.
func (b *balance) vote(r *rank, left int) (how mpi.Flags) {
	if !b.trigger.Watching() {
		return 0
	}
	timed := len(r.procs)
	if r.virtual != nil {
		timed = 0
	}
	v := b.trigger.Vote(r.now().Seconds(), b.busy.Seconds(), left, timed)
	if v.Worth {
		how |= flagWorth
	}
	if v.Alarm {
		how |= flagCall
	}
	if v.Short {
		how |= flagShort
	}
	return how
}

// voted is what all ranks have said together.
func voted(all mpi.Flags) rebalancer.Vote {
	return rebalancer.Vote{Worth: all&flagWorth != 0, Alarm: all&flagCall != 0, Short: all&flagShort != 0}
}

// endStage is told when a stage has ended on all ranks, and reports whether a call is due.
func (b *balance) endStage(r *rank, all mpi.Flags) (due bool) {
	b.pass(r)
	if b.trigger.StageEnded(r.now().Seconds(), 0, voted(all)) {
		b.slow = window{wall: r.meter.wall, cpu: r.meter.cpu}
	}
	return b.trigger.Due(voted(all), all&flagLast != 0)
}
