package laps

import (
	"runtime"
	"testing"
	"time"
)

// burn computes until the calling thread has used d of CPU time, and returns the CPU time used.
func burn(d time.Duration) time.Duration {
	begun := Thread()
	for {
		if used := Thread() - begun; used >= d {
			return used
		}
	}
}

// onThread locks the test's goroutine to its thread.
func onThread(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// measured is Laps with this machine's clock.
type measured struct {
	Laps
	start time.Time
}

func newMeasured() *measured { return &measured{New(nil), time.Now()} }

func (m *measured) begin(procs int) { m.Begin(time.Since(m.start), procs, false) }

func (m *measured) lap() Lap { return m.Lap(time.Since(m.start), 0, 1) }

// Readings of another thread's clock, and failed readings, are not used.
func TestOtherThreads(t *testing.T) {
	onThread(t)
	for name, id := range map[string]int{"another thread": thread().id + 1, "no clock": -1} {
		c := newMeasured()
		c.work = time.Hour
		c.begin(1)
		c.thread.id = id
		burn(100 * time.Microsecond)
		if l := c.lap(); l.Work != l.Span || l.Twice {
			t.Errorf("%s: %+v", name, l)
		}
		burn(100 * time.Microsecond)
		if l := c.lap(); !l.Twice {
			t.Errorf("%s: the next process worked %+v, and only one clock has seen it", name, l)
		}
	}
}
