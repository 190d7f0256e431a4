package clock

import (
	"runtime"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
)

// burn computes until the calling thread has used d of CPU time, and returns the CPU time used.
func burn(d time.Duration) time.Duration {
	begun := laps.Thread()
	for {
		if used := laps.Thread() - begun; used >= d {
			return used
		}
	}
}

// onThread locks the test's goroutine to its thread.
func onThread(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// The spans of a superstep and its barrier add up to its duration, to the nanosecond, whether
// or not work is timed by the thread's clock.
func TestRealPartsAddUp(t *testing.T) {
	onThread(t)
	c := NewReal(nil)
	c.Start()
	last := time.Duration(0)
	for step, procs := range []int{3, 3, 0, 1} {
		now, wall := c.Begin(procs)
		if now != wall || wall < last {
			t.Errorf("step %d begins at %v, on the wall at %v, after %v", step, now, wall, last)
		}
		spans, end := time.Duration(0), wall
		for pid := range procs {
			burn(200 * time.Microsecond)
			l := c.Lap(pid, step)
			if spans += l.Span; l.Wall-wall != spans {
				t.Errorf("step %d: process %d ends %v after the begin; the spans so far are %v", step, pid, l.Wall-wall, spans)
			}
			if l.Work > l.Span || l.Work <= 0 {
				t.Errorf("step %d: process %d worked %v of %v", step, pid, l.Work, l.Span)
			}
			end = l.Wall
		}
		burn(100 * time.Microsecond)
		s, err := c.Superstep(0, nil)
		if err != nil || spans+s.Barrier != s.Took || s.Barrier < 100*time.Microsecond {
			t.Errorf("step %d took %v: spans %v, barrier %v (%v)", step, s.Took, spans, s.Barrier, err)
		}
		last = end + s.Barrier
	}
	if now := c.Now(); now < last {
		t.Errorf("it is %v after a superstep that ended at %v", now, last)
	}
	if c.Emulated() || c.Calls() != nil || c.Moves() != nil || c.Emulation() != nil || c.OwnWork(time.Second) != time.Second {
		t.Error("this machine's clock says that it emulates another")
	}
}

// Preset work replaces measured work, and does not count as measured by both clocks.
func TestRealWithPresetWork(t *testing.T) {
	c := NewReal(func(pid, step int) time.Duration { return time.Duration(10*step+pid) * time.Hour })
	for step := 1; step <= 3; step++ {
		c.Begin(2)
		for pid := range 2 {
			want := time.Duration(10*step+pid) * time.Hour
			if l := c.Lap(pid, step); l.Work != want || l.Span != want || l.Wall > time.Hour {
				t.Errorf("step %d, process %d: %+v, want work of %v", step, pid, l, want)
			}
		}
		if s, err := c.Superstep(0, nil); err != nil || s.Took > time.Hour || s.Barrier > s.Took {
			t.Errorf("%+v, %v: the superstep itself takes what it takes", s, err)
		}
	}
	if w := c.Working(); w != (Window{}) {
		t.Errorf("two clocks have seen %+v", w)
	}
}

// A superstep is also timed by the thread's clock if recent supersteps were long, or if it is
// long itself. Working returns the measured work, Worked also resets it.
func TestRealWindows(t *testing.T) {
	onThread(t)
	c := NewReal(nil)
	seen := Window{}
	for _, s := range []struct {
		name  string
		procs int // argument of Begin
		work  time.Duration
		timed bool
	}{
		{"the first superstep", 1, time.Millisecond, true},
		{"one after long work", 1, 10 * time.Microsecond, true},
		{"one soon after long work", 1, 10 * time.Microsecond, true},
		{"where the work before was short for so many", 1 << 20, 10 * time.Microsecond, false},
		{"without processes", 0, 10 * time.Microsecond, false},
		{"long work though the work before was short for so many", 1 << 20, 10 * time.Millisecond, true},
	} {
		c.Begin(s.procs)
		burn(s.work)
		l := c.Lap(0, 1)
		if l.Twice {
			seen.Wall += l.Span - l.Waited
			seen.CPU += l.Work - l.Waited
		}
		if l.Twice != s.timed && (s.timed || l.Span < 100*time.Microsecond) { // a longer span is long work in any case
			t.Errorf("%s: %+v, measured by both clocks: want %t", s.name, l, s.timed)
		}
		if l.Work > l.Span || l.Work < min(l.Span, s.work) {
			t.Errorf("%s: work of %v in %v, of which %v was computed", s.name, l.Work, l.Span, s.work)
		}
		if w := c.Working(); w != seen {
			t.Errorf("%s: two clocks have seen %+v, want %+v", s.name, w, seen)
		}
	}
	if w := c.Worked(); w != seen || seen.CPU < time.Millisecond {
		t.Errorf("%+v, want %+v", w, seen)
	}
	if w := c.Working(); w != (Window{}) {
		t.Errorf("%+v is left", w)
	}
}
