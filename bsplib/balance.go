package bsplib

import (
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// balance is a rank's part in deciding where processes run: it observes its own
// processes, and at calls it confers with the other ranks.
type balance struct {
	controller *rebalancer.Controller
	platform   rebalancer.Platform
	drained    []bool

	observed     rebalancer.Observation
	observations int // that the controller was given, or would have been
	gathered     int // supersteps that go into the next one
	class        int // observations of this stage so far
	perStage     int // observations of the last stage
	stage        int // stages so far
	stride       int // one stage in so many is observed

	free      int64         // bytes that this node had left
	freeAt    time.Duration // when
	mark      time.Duration // when the last call ended
	busy      time.Duration // work of this rank's processes in the supersteps observed since
	fruitless int           // calls in a row that have moved nothing
	began     time.Duration // the same by this machine's clock
	steps     int           // observations since
	called    float64       // seconds that the last call took
	moved     float64       // and its moves
	listening time.Duration // spent on listening since
	deaf      bool          // listening has taken too long so far
	heard     bool          // what goes into the next observation was listened to
	talk      talk          // of the current call
}

func newBalance(spec rebalancer.Spec, platform rebalancer.Platform, where []int32) *balance {
	return &balance{
		controller: rebalancer.New(platform, slices.Clone(where), spec),
		platform:   platform, drained: make([]bool, len(platform.Ranks)), stride: 1,
	}
}

// due tells whether it is time for a call: by the controller's pace, or because
// a stage loop ends and moves have still to prove that they paid.
func (b *balance) due(all mpi.Flags) bool {
	return all&flagWorth != 0 && (b.controller.Due(b.observations) || all&flagLast != 0 && b.controller.Pending())
}

// worth tells whether a call at the end of this stage would take no more than a
// small part of the time still to come, or after the last stage, where it can
// only judge moves, of the run; as far as this rank knows. Without the guard it
// always is. left is the number of stages to come.
func (b *balance) worth(r *rank, left int) bool {
	if !b.controller.Guarded() {
		return true
	}
	if b.steps == 0 {
		return false
	}
	elapsed := (r.now() - b.mark).Seconds()
	if left == 0 {
		return b.cost(r) <= 2*worthShare*r.now().Seconds()
	}
	idle := max(0, 1-b.busy.Seconds()*float64(b.stride)/elapsed)
	share := worthShare + idleShare*idle/float64(1+b.fruitless*b.fruitless)
	remaining := elapsed / float64(b.steps) * float64(left*max(b.perStage, b.class+1))
	return b.cost(r) <= share*remaining
}

const (
	worthShare  = 0.005  // part of the time to come that a call may take
	idleShare   = 0.02   // more where ranks are idle, the less the more calls have moved nothing
	callWork    = 300e-6 // seconds of work that a call is taken to cost before one was timed
	callProcess = 15e-6  // and for each process
)

// cost is what a call takes: as the last one, or else an estimate.
func (b *balance) cost(r *rank) float64 {
	if b.called > 0 {
		return b.called
	}
	slowest, latency := 1.0, 0.0
	for a, set := range b.platform.Sets {
		slowest = min(slowest, b.platform.Ranks[set.Manager].Speed)
		for _, link := range b.platform.Links[a] {
			latency = max(latency, link.Latency)
		}
	}
	return (callWork+callProcess*float64(r.n))/slowest + 3*latency
}

// watching tells whether the supersteps of the current stage are observed. The
// first is not: memory that is used for the first time makes it unlike others.
func (b *balance) watching() bool { return b.stage > 0 && b.stage%b.stride == 0 }

// observe takes in the superstep that has just ended. Consecutive supersteps of
// a stage that end at the same place of the program are one to the controller:
// a loop of many small ones within a stage does not drive out the others.
func (b *balance) observe(r *rank, all mpi.Flags) {
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
		p.gathered += p.work
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
			m := rebalancer.Measure{Pid: p.pid, Time: p.gathered.Seconds()}
			if b.heard {
				m.Comm, m.Received = b.communication(r, p), p.traffic
			}
			o.Processes = append(o.Processes, m)
		}
		b.controller.Observe(*o)
		for _, p := range r.procs {
			p.gathered = 0
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
	if all&flagShort != 0 && b.stage > 0 {
		b.stride = min(2*b.stride, mostStride)
	}
	b.perStage, b.class = b.class, 0
	b.stage++
	if b.listening > 0 {
		b.deaf = b.listening > (r.wall()-b.began)/listenShare
	}
	if b.stage == 1 {
		b.restart(r)
	}
}

// rankState is what this rank tells of itself at a call.
func (b *balance) rankState(r *rank) rebalancer.RankState {
	s := rebalancer.RankState{
		Rank: r.comm.Rank(), Available: r.meter.available(), Free: b.freeMemory(r),
		Drained: b.drained[r.comm.Rank()], Steps: b.steps, Called: b.called, Moved: b.moved,
		Elapsed: (r.now() - b.mark).Seconds(), Remaining: math.MaxInt32,
	}
	if len(r.procs) > 0 {
		s.Remaining = min(r.procs[0].stages.left*max(b.perStage, 1), math.MaxInt32)
	}
	return s
}

// freeMemory is what this node has left, looked up not too often; -1 if that is
// not known.
func (b *balance) freeMemory(r *rank) int64 {
	if r.virtual != nil {
		return -1
	}
	if now := r.wall(); b.free == 0 || now-b.freeAt > time.Second {
		b.free, b.freeAt = probe.AvailableMemory(), now
		if b.free == 0 {
			b.free = -1
		}
	}
	return b.free
}

// detail is what the rank tells of a process beside its measurements.
func (r *rank) detail(pid int) rebalancer.Detail {
	p := r.local[pid]
	_, err := r.program.plan()
	return rebalancer.Detail{State: p.stateBytes(), Pinned: err != nil, Request: r.wanted(p)}
}

// restart begins the time to the next call.
func (b *balance) restart(r *rank) {
	b.mark, b.steps, b.busy = r.now(), 0, 0
	b.began, b.listening = r.wall(), 0
}

// One part in listenShare of the time may be spent on listening to who sends how much.
const listenShare = 300

// What observing a superstep takes, for its rank and for each process there, is
// to be a small part of the time between two that are observed: at least so
// long.
const (
	leastBetween = 300 * time.Microsecond
	leastProcess = 60 * time.Microsecond
	mostStride   = 4096
)

// short tells whether observed stages follow one another too fast, as far as
// this rank knows.
func (b *balance) short(r *rank) bool {
	if r.virtual != nil || b.steps == 0 {
		return false
	}
	between := (r.wall() - b.mark) / time.Duration(b.steps) * time.Duration(b.stride)
	return between < leastBetween+leastProcess*time.Duration(len(r.procs))
}

// strideFor is how many stages go with one that is observed, when supersteps
// take so many seconds and there are so many processes on each rank.
func strideFor(seconds float64, procs int) int {
	stride := 1
	for seconds*float64(stride) < (leastBetween+leastProcess*time.Duration(procs)).Seconds() && stride < mostStride {
		stride *= 2
	}
	return stride
}

func (b *balance) depart(pid int) ([]byte, error) {
	h := b.controller.Depart(pid)
	return h.AppendBinary(nil)
}

func (b *balance) arrive(pid int, history []byte) error {
	var h rebalancer.History
	if err := h.UnmarshalBinary(history); err != nil {
		return err
	}
	b.controller.Arrive(pid, h)
	return nil
}
