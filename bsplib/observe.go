package bsplib

import (
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// watching tells whether the supersteps of the current stage are observed. The
// first is not: memory that is used for the first time makes it unlike others.
func (b *balance) watching() bool { return b.deciding && b.stage > 0 && b.stage%b.stride == 0 }

// observe takes in the superstep that has just ended. Consecutive supersteps of
// a stage that end at the same place of the program are one to the controller:
// a loop of many small ones within a stage does not drive out the others.
func (b *balance) observe(r *rank, all mpi.Flags, work time.Duration) {
	if all&flagElsewhere != 0 || all&flagInside == 0 {
		b.pass(r)
	}
	if all&flagInside == 0 {
		b.class = 0
		return
	}
	b.gathered++
	if !b.watching() {
		return
	}
	for _, p := range r.procs {
		p.gathered += p.did.Work
		p.lasted += p.did.Span
		if r.listening {
			p.gatherTraffic()
		}
	}
	b.busy += work
	b.heard = b.heard || r.listening
}

// gatherTraffic adds what was heard in this superstep to what goes to the
// controller.
func (p *Proc) gatherTraffic() {
	if p.traffic == nil {
		p.traffic = make([]rebalancer.Traffic, 0, 4)
	}
next:
	for _, t := range p.did.Traffic {
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
	if b.gathered == 0 {
		return
	}
	b.steps++
	if b.stage > 0 {
		b.observations++
	}
	if b.watching() {
		o := &b.observed
		o.Step, o.Class, o.Count = b.observations, b.class, b.stride
		o.Processes = o.Processes[:0]
		for _, p := range r.procs {
			m := rebalancer.Measure{Pid: p.pid, Time: p.gathered.Seconds(), Span: p.lasted.Seconds()}
			if b.heard {
				m.Comm, m.Received = b.communication(r, p), p.traffic
			}
			o.Processes = append(o.Processes, m)
		}
		b.controller.Observe(*o)
		for _, p := range r.procs {
			p.gathered, p.lasted = 0, 0
			if p.traffic != nil {
				p.traffic = p.traffic[:0]
			}
		}
	}
	b.class++
	b.gathered, b.heard = 0, false
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

// endStage is told when a stage has ended on all ranks.
func (b *balance) endStage(r *rank, all mpi.Flags) {
	b.pass(r)
	b.hear(r)
	if all&flagShort != 0 && b.stage > 0 {
		b.stride = min(2*b.stride, mostStride)
	}
	b.perStage, b.class = b.class, 0
	b.stage++
	if b.listening > 0 && b.watching() {
		b.deaf = b.listening > (r.clock.Wall()-b.began)/listenShare
	}
	if b.stage == 1 {
		b.restart(r)
	}
}

// One part in listenShare of the time may be spent on listening to who sends how much.
const listenShare = 300
