package bsplib

import (
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/rebalancer"
)

// emulation is a platform that in-process ranks pretend to be: what they
// compute takes the time that it takes here divided by their speed, and what
// they send takes the time that the platform's links give it. The ranks of a
// run share it; each keeps the same clock.
//
// Figures are collected in rounds, three sets in turn. A round ends with an
// exchange of the ranks: after it all read the round's set, and rank 0 clears
// the one before the next, which nobody uses any more.
type emulation struct {
	name     string
	platform rebalancer.Platform
	home     []int32 // rank where each process began
	rounds   [3]round
}

// round is what happens between two exchanges.
type round struct {
	work      []float64       // reference seconds, by process
	now, home rebalancer.Flow // with the mapping as it is, and as it was at first
	deciding  atomic.Int64    // nanoseconds of computing that a manager took
}

func newEmulation(name string, platform rebalancer.Platform, where []int32) *emulation {
	e := &emulation{name: name, platform: platform, home: where}
	for i := range e.rounds {
		e.rounds[i] = round{work: make([]float64, len(where)), now: platform.NewFlow(), home: platform.NewFlow()}
	}
	return e
}

// virtual is one rank's clock on an emulated platform.
type virtual struct {
	*emulation
	rank   int
	number int // of the round

	clock   float64 // seconds, at the beginning of the superstep
	without float64 // had no process ever moved and nobody asked
	least   float64 // lower bound of the same supersteps
	calls   float64 // part of clock: rescheduling calls
	moves   float64 // part of clock: moves
	bytes   float64 // part of clock: bytes on their way, in supersteps
	latency float64 // part of clock: the length of their way
	load    []float64
}

func (v *virtual) round() *round { return &v.rounds[v.number%3] }

// compute enters a process's work, measured here, and returns what it takes on
// the platform.
func (v *virtual) compute(pid int, work time.Duration) time.Duration {
	v.round().work[pid] = work.Seconds()
	return time.Duration(float64(work) / v.platform.Ranks[v.rank].Speed)
}

// carry enters bytes from one process's rank to another's.
func (v *virtual) carry(from, to, fromHome, toHome int32, bytes int64) {
	add(&v.platform, &v.round().now, int(from), int(to), bytes)
	add(&v.platform, &v.round().home, int(fromHome), int(toHome), bytes)
}

// ship enters bytes between ranks that are no process's.
func (v *virtual) ship(to int, bytes int64) {
	add(&v.platform, &v.round().now, v.rank, to, bytes)
}

// add is Platform.Add by several ranks at once.
func add(p *rebalancer.Platform, f *rebalancer.Flow, from, to int, bytes int64) {
	if from == to {
		return
	}
	atomic.AddInt64(&f.Sent[from], bytes)
	atomic.AddInt64(&f.Received[to], bytes)
	atomic.AddInt64(&f.Between[p.Ranks[from].Set*len(p.Sets)+p.Ranks[to].Set], bytes)
}

// next goes on to the next round, after an exchange.
func (v *virtual) next() {
	if v.rank == 0 {
		old := &v.rounds[(v.number+2)%3]
		for _, f := range []*rebalancer.Flow{&old.now, &old.home} {
			clear(f.Sent)
			clear(f.Received)
			clear(f.Between)
		}
		old.deciding.Store(0)
	}
	v.number++
}

// superstep ends a superstep and returns how long it took.
func (v *virtual) superstep(where []int32) time.Duration {
	now := v.round()
	bytes, latency := v.platform.Times(&now.now)
	v.bytes += bytes
	v.latency += latency
	took := v.longest(now.work, where) + bytes + latency + v.platform.Barrier
	v.clock += took
	v.without += v.longest(now.work, v.home) + v.platform.Time(&now.home) + v.platform.Barrier
	v.least += v.bound(now.work) + v.platform.Barrier
	v.next()
	return time.Duration(took * 1e9)
}

// sinceBarrier is the platform's time since the superstep began, for the
// process that asks.
func (v *virtual) sinceBarrier(m *meter) time.Duration {
	work := m.work
	if m.preset == nil {
		work += threadClock().used - m.thread.used
	}
	return time.Duration(float64(work) / v.platform.Ranks[v.rank].Speed)
}

// decided enters the computing that a decision took.
func (v *virtual) decided(work time.Duration) {
	took := int64(float64(work) / v.platform.Ranks[v.rank].Speed)
	for {
		old := v.round().deciding.Load()
		if took <= old || v.round().deciding.CompareAndSwap(old, took) {
			return
		}
	}
}

// longest is the time of the rank that takes longest.
func (v *virtual) longest(work []float64, where []int32) float64 {
	clear(v.load)
	for pid, w := range work {
		v.load[where[pid]] += w
	}
	longest := 0.0
	for rank, w := range v.load {
		longest = max(longest, w/v.platform.Ranks[rank].Speed)
	}
	return longest
}

// bound is what no mapping can beat.
func (v *virtual) bound(work []float64) float64 {
	sum, longest, speed, fastest := 0.0, 0.0, 0.0, 0.0
	for _, w := range work {
		sum, longest = sum+w, max(longest, w)
	}
	for _, rank := range v.platform.Ranks {
		speed, fastest = speed+rank.Speed, max(fastest, rank.Speed)
	}
	return max(sum/speed, longest/fastest)
}

// transfer ends a round in which ranks exchanged something of the runtime's
// own, and returns how long that took.
func (v *virtual) transfer() float64 {
	now := v.round()
	took := v.platform.Time(&now.now) + float64(now.deciding.Load())/1e9
	v.clock += took
	v.next()
	return took
}

// closeVirtual ends a superstep on an emulated platform and returns how long
// it took there.
func (r *rank) closeVirtual() (time.Duration, *Error) {
	v := r.virtual
	for _, p := range r.procs {
		for _, t := range p.heard {
			v.carry(r.where[t.Pid], r.where[p.pid], v.home[t.Pid], v.home[p.pid], t.Bytes)
		}
	}
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return 0, r.engineError(err)
	}
	return v.superstep(r.where), nil
}
