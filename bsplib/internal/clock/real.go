package clock

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// Real is this machine's clock.
type Real struct {
	laps      laps.Laps
	monotonic *monotonic
	ended     time.Duration // when the last superstep ended, negative if the next begins later
	timed     Window        // since the last call of Worked
}

// NewReal returns a clock that reads this machine's clock. If preset is not nil, it replaces
// the measured work of each process in each superstep. The clock's time begins now, and again
// at Start.
func NewReal(preset func(pid, step int) time.Duration) *Real {
	c := &Real{laps: laps.New(preset), monotonic: newMonotonic(), ended: -1}
	c.laps.CountWaits()
	return c
}

func (c *Real) Start()              { c.monotonic.begin(); c.ended = -1 }
func (c *Real) Wall() time.Duration { return c.monotonic.now() }
func (c *Real) Now() time.Duration  { return c.monotonic.now() }
func (c *Real) Time() time.Duration { return c.monotonic.now() }
func (c *Real) Emulated() bool      { return false }

// Begin reads the clock only if it cannot reuse the end of the last superstep.
func (c *Real) Begin(procs int) (now, wall time.Duration) {
	if wall = c.ended; wall < 0 {
		wall = c.Wall()
	}
	c.ended = -1
	c.laps.Begin(wall, procs, false)
	return wall, wall
}

func (c *Real) Interrupt() { c.ended = -1 }

func (c *Real) Lap(pid, step int) laps.Lap {
	l := c.laps.Lap(c.Wall(), pid, step)
	if l.Twice {
		c.timed.Wall += l.Span - l.Waited
		c.timed.CPU += l.Work - l.Waited
	}
	return l
}

func (c *Real) Carry(int, int, int64, []int32)        {}
func (c *Real) Worked() Window                        { w := c.timed; c.timed = Window{}; return w }
func (c *Real) Working() Window                       { return c.timed }
func (c *Real) Calls() control.Meter                  { return nil }
func (c *Real) Moves() control.Meter                  { return nil }
func (c *Real) Decide(decide func())                  { decide() }
func (c *Real) OwnWork(d time.Duration) time.Duration { return d }
func (c *Real) Emulation() *Emulation                 { return nil }

func (c *Real) Superstep(time.Duration, []int32) (Superstep, error) {
	c.ended = c.Wall()
	took, barrier := c.laps.End(c.ended)
	return Superstep{took, barrier}, nil
}
