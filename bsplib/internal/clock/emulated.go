package clock

import (
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// Platform is an emulated platform for in-process ranks. The ranks of a run share it. Each has
// its own clock, and all clocks show the same time.
//
// A round collects the events between two exchanges of the ranks. Three rounds are used in
// turn: after an exchange all ranks read the round that has ended and fill the next round,
// while rank 0 clears the third, which all ranks have finished reading. Therefore ranks
// synchronize only in the exchange.
type Platform struct {
	platform rebalancer.Platform
	home     []int32 // rank where each process began
	rounds   [3]round
	office   *office // within supersteps
}

// round collects the events between two exchanges.
type round struct {
	work       []float64       // seconds of each process at speed 1
	flow, home rebalancer.Flow // bytes with the current and with the initial mapping
	deciding   atomic.Int64    // computation of the slowest manager, in nanoseconds
}

// StartFrom replaces the initial mapping. One rank calls it before the first exchange.
func (p *Platform) StartFrom(where []int32) { copy(p.home, where) }

// NewPlatform returns a platform for processes with the initial mapping where.
func NewPlatform(platform rebalancer.Platform, where []int32) *Platform {
	p := &Platform{platform: platform, home: where, office: newOffice(len(platform.Ranks))}
	for i := range p.rounds {
		p.rounds[i] = round{work: make([]float64, len(where)), flow: platform.NewFlow(), home: platform.NewFlow()}
	}
	return p
}

// Emulation sums up a run on an emulated platform, in seconds.
type Emulation struct {
	Barrier float64 // of the platform
	Took    float64
	Unmoved float64 // duration without calls and moves
	Bound   float64 // lower bound for any mapping
	Calls   float64 // the part of Took spent on rescheduling calls
	Moves   float64 // the part spent on moves
	Bytes   float64 // the part spent on the bytes of messages
	Latency float64 // the part spent on the latency of messages
}

// Emulated is one rank's clock on an emulated platform.
type Emulated struct {
	shared  *Platform
	laps    laps.Laps
	rank    int
	number  int          // of the current round
	barrier func() error // an exchange of all ranks
	start   time.Time
	sums    Emulation
	load    []float64 // by rank, used by longest
}

// Rank returns a rank's clock. barrier is an empty exchange of all ranks. The goroutine that
// uses the clock must be locked to its thread.
func (p *Platform) Rank(rank int, preset func(pid, step int) time.Duration, barrier func() error) *Emulated {
	return &Emulated{
		shared: p, laps: laps.New(preset), rank: rank, barrier: barrier, start: time.Now(),
		sums: Emulation{Barrier: p.platform.Barrier}, load: make([]float64, len(p.platform.Ranks)),
	}
}

func (c *Emulated) Start()              { c.start = time.Now() }
func (c *Emulated) Wall() time.Duration { return time.Since(c.start) }
func (c *Emulated) Now() time.Duration  { return time.Duration(c.sums.Took * 1e9) }
func (c *Emulated) Emulated() bool      { return true }

// Time returns Now plus the work of this rank's processes in the open superstep.
func (c *Emulated) Time() time.Duration {
	return c.Now() + c.here(c.laps.Work())
}

// here converts work at speed 1 to the time on this rank.
func (c *Emulated) here(work time.Duration) time.Duration {
	return time.Duration(float64(work) / c.shared.platform.Ranks[c.rank].Speed)
}

func (c *Emulated) round() *round { return &c.shared.rounds[c.number%3] }

func (c *Emulated) Begin(procs int) (now, wall time.Duration) {
	wall = c.Wall()
	c.laps.Begin(wall, procs, true)
	return c.Now(), wall
}

func (c *Emulated) Interrupt() {}

func (c *Emulated) Lap(pid, step int) laps.Lap {
	l := c.laps.Lap(c.Wall(), pid, step)
	c.round().work[pid] = l.Work.Seconds()
	l.Work = c.here(l.Work)
	l.Span = l.Work
	return l
}

func (c *Emulated) Carry(from, to int, bytes int64, where []int32) {
	c.add(&c.round().flow, where[from], where[to], bytes)
	c.add(&c.round().home, c.shared.home[from], c.shared.home[to], bytes)
}

// add is like rebalancer.Platform.Add, but safe for concurrent use by several ranks.
func (c *Emulated) add(f *rebalancer.Flow, from, to int32, bytes int64) {
	if from == to {
		return
	}
	p := &c.shared.platform
	f.Through(int(from), int(to), func(place int, total []int64) { atomic.AddInt64(&total[place], bytes) })
	atomic.AddInt64(&f.Between[p.Ranks[from].Set*len(p.Sets)+p.Ranks[to].Set], bytes)
}

// Superstep advances the time by the longest work of a rank, the time of all messages, and a
// barrier.
func (c *Emulated) Superstep(rankWork time.Duration, where []int32) (Superstep, error) {
	if err := c.barrier(); err != nil {
		return Superstep{}, err
	}
	r, p, s := c.round(), &c.shared.platform, &c.sums
	bytes, latency := p.Times(&r.flow)
	s.Bytes += bytes
	s.Latency += latency
	took := c.longest(r.work, where) + bytes + latency + p.Barrier
	s.Took += took
	s.Unmoved += c.longest(r.work, c.shared.home) + p.Time(&r.home) + p.Barrier
	s.Bound += c.bound(r.work) + p.Barrier
	c.next()
	all := time.Duration(took * 1e9)
	return Superstep{all, max(0, all-rankWork)}, nil
}

// longest returns the work of the slowest rank, in seconds.
func (c *Emulated) longest(work []float64, where []int32) float64 {
	clear(c.load)
	for pid, w := range work {
		c.load[where[pid]] += w
	}
	longest := 0.0
	for rank, w := range c.load {
		longest = max(longest, w/c.shared.platform.Ranks[rank].Speed)
	}
	return longest
}

// bound returns a lower bound, in seconds, on the work under any mapping: the total work
// divided by the total speed, or the longest process on the fastest rank.
func (c *Emulated) bound(work []float64) float64 {
	sum, longest, speed, fastest := 0.0, 0.0, 0.0, 0.0
	for _, w := range work {
		sum, longest = sum+w, max(longest, w)
	}
	for _, rank := range c.shared.platform.Ranks {
		speed, fastest = speed+rank.Speed, max(fastest, rank.Speed)
	}
	return max(sum/speed, longest/fastest)
}

// next starts the next round after an exchange.
func (c *Emulated) next() {
	if c.rank == 0 {
		old := &c.shared.rounds[(c.number+2)%3]
		for _, f := range []*rebalancer.Flow{&old.flow, &old.home} {
			clear(f.Sent)
			clear(f.Received)
			clear(f.Between)
		}
		old.deciding.Store(0)
	}
	c.number++
}

// Worked returns an empty Window, because the load of this machine's cores is unrelated to the
// platform.
func (c *Emulated) Worked() Window  { return Window{} }
func (c *Emulated) Working() Window { return Window{} }

func (c *Emulated) OwnWork(time.Duration) time.Duration { return 0 }
func (c *Emulated) Emulation() *Emulation               { s := c.sums; return &s }
func (c *Emulated) Calls() control.Meter                { return charge{c, &c.sums.Calls} }
func (c *Emulated) Moves() control.Meter                { return charge{c, &c.sums.Moves} }

// Decide charges the slowest manager's computation with the next exchange.
func (c *Emulated) Decide(decide func()) {
	begun := laps.Thread()
	decide()
	took := int64(c.here(laps.Thread() - begun))
	for deciding := &c.round().deciding; ; {
		old := deciding.Load()
		if took <= old || deciding.CompareAndSwap(old, took) {
			return
		}
	}
}

// charge is a control.Meter that adds the cost of exchanges on the platform to its time and to
// part.
type charge struct {
	clock *Emulated
	part  *float64
}

func (m charge) Ship(to int, bytes int64) {
	m.clock.add(&m.clock.round().flow, int32(m.clock.rank), int32(to), bytes)
}

func (m charge) Shipped() {
	c := m.clock
	r := c.round()
	took := c.shared.platform.Time(&r.flow) + float64(r.deciding.Load())/1e9
	c.sums.Took += took
	*m.part += took
	c.next()
}
