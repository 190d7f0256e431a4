package laps

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A thread's clock advances with its work and stands still while it sleeps. Each thread has its
// own id.
func TestThreadClock(t *testing.T) {
	onThread(t)
	first := thread()
	if used := burn(time.Millisecond); used < time.Millisecond {
		t.Errorf("%v", used)
	}
	burnt := thread()
	if burnt.id != first.id || burnt.id < 0 || burnt.used-first.used < time.Millisecond {
		t.Errorf("%+v after 1 ms of work, %+v before", burnt, first)
	}
	other := make(chan threadTime)
	go func() { other <- thread() }() // this goroutine's thread runs no other
	if o := <-other; o.id == first.id || o.id < 0 {
		t.Errorf("%+v on another thread, %+v here", o, first)
	}
}

// The sleep of a process is part of its span and not of its work.
func TestSleepIsNoWork(t *testing.T) {
	onThread(t)
	c := newMeasured()
	c.work = time.Hour // of the previous superstep
	c.begin(1)
	time.Sleep(20 * time.Millisecond)
	if l := c.lap(); l.Span < 20*time.Millisecond || l.Work > l.Span/2 {
		t.Errorf("work of %v in %v, of which 20 ms were slept", l.Work, l.Span)
	}
}

// Work that is long after a short superstep is timed too. The time in which it did not run is
// known up to the age of the last reading.
func TestUnexpectedSleepIsNoWork(t *testing.T) {
	onThread(t)
	c := newMeasured()
	for step := range 3 {
		c.begin(1)
		if step == 2 {
			time.Sleep(20 * time.Millisecond)
		}
		l := c.lap()
		if step == 2 && (l.Span < 20*time.Millisecond || l.Work > l.Span/2) {
			t.Errorf("work of %v in %v, of which 20 ms were slept", l.Work, l.Span)
		}
		if step == 2 && !l.Twice || l.Twice && l.Span < longWork {
			t.Errorf("step %d: %+v, measured by both clocks: %t", step, l, l.Twice)
		}
	}
}

// If waits count, the sleep of a process is work, from the first superstep on, but time in which
// another thread had the core is not.
func TestWaits(t *testing.T) {
	onThread(t)
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	core := 0
	for !all.IsSet(core) {
		core++
	}
	one.Set(core)
	t.Cleanup(func() { unix.SchedSetaffinity(0, &all) })
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	c := newMeasured()
	c.CountWaits()
	for range 3 {
		c.begin(1)
		time.Sleep(20 * time.Millisecond)
		if l := c.lap(); l.Waited < 15*time.Millisecond || l.Work < l.Waited || l.Work > l.Span {
			t.Errorf("%+v, of which 20 ms were slept", l)
		}
	}
	over, done := make(chan bool), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		done <- unix.SchedSetaffinity(0, &one)
		for {
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.begin(1)
	time.Sleep(5 * time.Millisecond)
	burn(40 * time.Millisecond)
	l := c.lap()
	close(over)
	if lost := l.Span - l.Work; l.Waited > 5*time.Millisecond+lost/2 {
		t.Errorf("%+v, of which 5 ms were slept, and the core was shared", l)
	}
}
