package bsplib

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// idleRank is a rank without processes whose last call was long ago.
func idleRank(share float64) (*rank, *balance) {
	r := newRank(mpi.InProcess(1)[0], 1, stateless(func(*Proc) error { return nil }))
	r.hosts, r.clock = []string{"here"}, &handClock{Real: clock.NewReal(nil), at: time.Hour}
	r.calibration.share = share
	r.procs = nil
	return r, newBalance(rebalancer.Spec{}, rebalancer.Uniform(1, defaultLink), r.where)
}

// handClock is moved by hand.
type handClock struct {
	*clock.Real
	at    time.Duration
	timed clock.Window
}

func (c *handClock) Now() time.Duration    { return c.at }
func (c *handClock) Wall() time.Duration   { return c.at }
func (c *handClock) Working() clock.Window { return c.timed }

func (c *handClock) Worked() clock.Window {
	w := c.timed
	c.timed = clock.Window{}
	return w
}

func (r *rank) byHand() *handClock { return r.clock.(*handClock) }

func TestARankWithoutProcessesKnowsWhatItCouldDo(t *testing.T) {
	r, b := idleRank(0.005)
	b.share = 0.123
	if got := b.available(r, b.window(r, false)); got == 0.123 || !(got > 0) || got > 1 {
		t.Errorf("with time for a burst of work: %g", got)
	}
	for _, c := range []struct {
		name    string
		share   float64
		elapsed time.Duration
	}{{"the last call was just now", 0.005, time.Millisecond}, {"nothing may be measured", 0, time.Hour}} {
		r, b := idleRank(c.share)
		r.byHand().at = c.elapsed
		b.share = 0.123
		if got := b.available(r, b.window(r, false)); got != 0.123 {
			t.Errorf("%s: %g, want what was known", c.name, got)
		}
	}
}

// A rank with processes is judged by their work alone, and as before where none of it
// was timed.
func TestOnlyTimedWorkChangesAShare(t *testing.T) {
	r, b := idleRank(0.005)
	r.procs, b.share = make([]*Proc, 1), 0.123
	if got := b.available(r, b.window(r, false)); got != 0.123 {
		t.Errorf("without timed work: %g, want what was known", got)
	}
	r.byHand().timed = clock.Window{Wall: 1000 * time.Hour, CPU: 100 * time.Hour}
	if got := b.available(r, b.window(r, false)); math.Abs(got-0.1) > 1e-6 {
		t.Errorf("with a tenth of its time: %g", got)
	}
}
