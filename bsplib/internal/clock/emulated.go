package clock

import (
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// Platform is what in-process ranks pretend to be. The ranks of a run share it;
// each has a clock of its own on it, and all of these show the same time.
//
// What happens between two exchanges of the ranks is collected in a round, of
// which there are three in turn: after an exchange all ranks read the round that
// it has ended, already fill the next one, and rank 0 clears the one after that,
// which all have done with. So no rank waits for another but in the exchange.
type Platform struct {
	platform rebalancer.Platform
	home     []int32 // rank where each process began
	rounds   [3]round
	office   *office // within supersteps
}

// round is what happens between two exchanges.
type round struct {
	work       []float64       // seconds of each process at speed 1
	flow, home rebalancer.Flow // bytes with the mapping as it is, and as it was at first
	deciding   atomic.Int64    // nanoseconds that the slowest manager computed
}

// StartFrom replaces the initial mapping, before the first exchange of the ranks that follows it.
// One rank calls it.
func (p *Platform) StartFrom(where []int32) { copy(p.home, where) }

// NewPlatform makes the platform for processes that begin on the given ranks.
func NewPlatform(platform rebalancer.Platform, where []int32) *Platform {
	p := &Platform{platform: platform, home: where, office: newOffice(len(platform.Ranks))}
	for i := range p.rounds {
		p.rounds[i] = round{work: make([]float64, len(where)), flow: platform.NewFlow(), home: platform.NewFlow()}
	}
	return p
}

// Emulation sums up a run on an emulated platform, in seconds.
type Emulation struct {
	Barrier float64 // that the platform says
	Took    float64
	Unmoved float64 // what it would have taken without calls and moves
	Bound   float64 // what it takes at least with any mapping
	Calls   float64 // the part of Took that rescheduling calls took
	Moves   float64 // the part that moves took
	Bytes   float64 // the part that bytes of supersteps were on their way
	Latency float64 // the part that was the length of their way
}

// Emulated is one rank's clock on an emulated platform.
type Emulated struct {
	shared  *Platform
	laps    laps.Laps
	rank    int
	number  int          // of the round
	barrier func() error // an exchange of all ranks
	start   time.Time
	sums    Emulation
	load    []float64 // by rank, used by longest
}

// Rank makes a rank's clock. barrier is an exchange of all ranks, with nothing in
// it; the goroutine that uses the clock keeps its thread.
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

// Time adds what the process that asks has worked since the superstep began, and
// what others on its rank have before it.
func (c *Emulated) Time() time.Duration {
	return c.Now() + c.here(c.laps.Work())
}

// here is the time on this rank of the platform for what takes so long at speed 1.
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

// add is rebalancer.Platform.Add by several ranks at once.
func (c *Emulated) add(f *rebalancer.Flow, from, to int32, bytes int64) {
	if from == to {
		return
	}
	p := &c.shared.platform
	f.Through(int(from), int(to), func(place int, total []int64) { atomic.AddInt64(&total[place], bytes) })
	atomic.AddInt64(&f.Between[p.Ranks[from].Set*len(p.Sets)+p.Ranks[to].Set], bytes)
}

// Superstep takes the longest work of a rank, the time of all bytes, and a
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

// longest is the work of the rank that takes longest, in seconds.
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

// bound is what no mapping can beat: all work over all speed, or the longest
// process on the fastest rank.
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

// next goes on to the next round, after an exchange.
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

// Worked is empty: what others take from this machine's cores says nothing about
// the platform.
func (c *Emulated) Worked() Window  { return Window{} }
func (c *Emulated) Working() Window { return Window{} }

func (c *Emulated) OwnWork(time.Duration) time.Duration { return 0 }
func (c *Emulated) Emulation() *Emulation               { s := c.sums; return &s }
func (c *Emulated) Calls() control.Meter                { return charge{c, &c.sums.Calls} }
func (c *Emulated) Moves() control.Meter                { return charge{c, &c.sums.Moves} }

// Decide charges the slowest manager's computing with the next exchange.
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

// charge is a control.Meter that adds what exchanges take on the platform to its
// time, and to one of its parts.
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
