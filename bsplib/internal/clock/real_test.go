package clock

import (
	"runtime"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
)

// burn computes until the calling thread has used so much of its core, and returns how
// much it was.
func burn(d time.Duration) time.Duration {
	begun := laps.Thread()
	for {
		if used := laps.Thread() - begun; used >= d {
			return used
		}
	}
}

// onThread keeps the test's goroutine on its thread: its clock is then one clock.
func onThread(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// The spans of a superstep and its barrier are all of it, to the nanosecond, whether
// work is timed by the thread's clock or not.
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

// Preset work takes the place of what is measured, and is not seen by two clocks.
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

// A superstep is timed by the thread's clock too after one whose processes worked long.
// Working shows what that has seen, Worked forgets it.
func TestRealWindows(t *testing.T) {
	onThread(t)
	c := NewReal(nil)
	seen := Window{}
	for _, s := range []struct {
		name  string
		procs int // as Begin is told
		timed bool
	}{
		{"the first superstep", 1, false},
		{"one after long work", 1, true},
		{"again", 1, true},
		{"where the work before was short for so many", 1 << 20, false},
		{"without processes", 0, false},
	} {
		c.Begin(s.procs)
		burn(time.Millisecond)
		l := c.Lap(0, 1)
		if s.timed {
			seen.Wall += l.Span
			seen.CPU += l.Work
		}
		if l.Work > l.Span || l.Work < min(l.Span, time.Millisecond) {
			t.Errorf("%s: work of %v in %v, of which 1 ms was computed", s.name, l.Work, l.Span)
		}
		if w := c.Working(); w != seen {
			t.Errorf("%s: two clocks have seen %+v, want %+v", s.name, w, seen)
		}
	}
	if w := c.Worked(); w != seen || seen.CPU < 2*time.Millisecond {
		t.Errorf("%+v, want %+v", w, seen)
	}
	if w := c.Working(); w != (Window{}) {
		t.Errorf("%+v is left", w)
	}
}
