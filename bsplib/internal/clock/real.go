package clock

import (
	"sync"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// Preset gives the work of a process in a superstep in place of measuring it.
type Preset func(pid, step int) time.Duration

// Real is this machine's clock.
type Real struct {
	laps      laps
	monotonic *monotonic
	ended     time.Duration // when the last superstep ended, negative if the next begins later
}

// NewReal makes a clock that reads this machine's, with preset work unless that
// is nil. Its time begins now, and again at Start.
func NewReal(preset Preset) *Real {
	return &Real{laps: newLaps(preset), monotonic: newMonotonic(), ended: -1}
}

func (c *Real) Start()              { c.monotonic.begin(); c.ended = -1 }
func (c *Real) Wall() time.Duration { return c.monotonic.now() }
func (c *Real) Now() time.Duration  { return c.monotonic.now() }
func (c *Real) Time() time.Duration { return c.monotonic.now() }
func (c *Real) Emulated() bool      { return false }

// Begin reads the clock only where it has to.
func (c *Real) Begin(procs int) (now, wall time.Duration) {
	if wall = c.ended; wall < 0 {
		wall = c.Wall()
	}
	c.ended = -1
	c.laps.begin(wall, procs, false)
	return wall, wall
}

func (c *Real) Interrupt() { c.ended = -1 }

func (c *Real) Lap(pid, step int) Lap { return c.laps.lap(c.Wall(), pid, step) }

func (c *Real) NeedsTraffic() bool                    { return false }
func (c *Real) Carry(int, int, int64, []int32)        {}
func (c *Real) Worked() Window                        { w := c.Working(); c.laps.timedWork = Window{}; return w }
func (c *Real) Working() Window                       { return c.laps.timedWork }
func (c *Real) Calls() control.Meter                  { return nil }
func (c *Real) Moves() control.Meter                  { return nil }
func (c *Real) Decide(decide func())                  { decide() }
func (c *Real) OwnWork(d time.Duration) time.Duration { return d }
func (c *Real) Emulation() *Emulation                 { return nil }

func (c *Real) Superstep(time.Duration, []int32) (Superstep, error) {
	c.ended = c.Wall()
	return Superstep{Took: c.ended - c.laps.begun, Barrier: c.ended - c.laps.mark}, nil
}

// laps measures what processes do in a superstep.
type laps struct {
	begun  time.Duration // when the superstep began
	mark   time.Duration // when the last process ended its work
	thread threadTime    // at mark, if timed; else when it was read last
	read   time.Duration // when that was
	timed  bool          // by the thread's clock too
	work   time.Duration // of all processes in this superstep
	waited time.Duration // by the process that runs, for messages: work that the rank could have done

	timedWork Window
	preset    Preset

	longWork, readEvery time.Duration
}

// longWork is the work of a process from which on its superstep is timed by the
// thread's clock too, which leaves out what others do on the core. What is shorter is seldom
// interrupted. Work that turns out to be as long though it was not expected to is timed from
// the last reading before its superstep, which is at most readEvery old: so much less is known
// to be denied.
//
// Reading that clock takes two system calls, 0.3 us on some machines and 1.5 us on others.
// Where it takes longer both are longer, so that it takes longShare of the time of long work
// at most and everyShare of all time.
const (
	longWork   = 100 * time.Microsecond
	longShare  = 300
	readEvery  = 200 * time.Microsecond
	everyShare = 2000
)

// newLaps has a process's work timed, with preset work unless that is nil.
func newLaps(preset Preset) laps {
	took := readingTakes()
	l := laps{preset: preset, longWork: max(longWork, longShare*took), readEvery: max(readEvery, everyShare*took)}
	l.read = -2 * l.readEvery
	return l
}

// readingTakes is how long it takes to read a thread's clock.
var readingTakes = sync.OnceValue(func() time.Duration {
	took := time.Hour
	for range 5 {
		begun := time.Now()
		threadClock()
		took = min(took, time.Since(begun))
	}
	return took
})

// begin begins a superstep. The thread's clock is read where the last superstep's work was
// long, or always, and where that was long ago.
func (m *laps) begin(wall time.Duration, procs int, always bool) {
	m.begun, m.mark = wall, wall
	m.timed = always || procs > 0 && m.work > m.longWork*time.Duration(procs)
	m.work = 0
	if m.timed || procs > 0 && wall-m.read > m.readEvery {
		m.thread, m.read = threadClock(), wall
	}
}

// lap ends the work of a process.
func (m *laps) lap(wall time.Duration, pid, step int) Lap {
	l := Lap{Span: wall - m.mark, Wall: wall}
	l.Work, m.mark = l.Span, wall
	if m.preset != nil {
		l.Work = m.preset(pid, step)
		l.Span = l.Work
	} else if m.timed || l.Span > m.longWork {
		thread := threadClock()
		if thread.id == m.thread.id && thread.id >= 0 {
			l.Work = max(0, min(l.Span, thread.used-m.thread.used))
			if m.timed {
				m.timedWork.Wall += l.Span
				m.timedWork.CPU += l.Work
			}
		}
		m.thread, m.read = thread, wall
	}
	l.Work += m.waited
	m.waited = 0
	m.work += l.Work
	return l
}

// threadTime is what a thread's own clock shows; id tells threads apart and is
// negative if the clock could not be read.
type threadTime struct {
	id   int
	used time.Duration
}
