// Package laps measures the work of a rank's processes in a superstep, one after another. It
// uses the wall clock and, if the work is long, also the thread's CPU clock, which excludes the
// work of others on the core. The spans of the processes are contiguous.
package laps

import (
	"sync"
	"time"
)

// Lap is a process's work in a superstep.
type Lap struct {
	// Work is the process's work, without the known time that others used its core. Span is
	// the elapsed time from its beginning to its end.
	Work, Span time.Duration
	// Waited is the part of Work in which the thread slept, or waited for a file or a lock,
	// which takes the same time on any rank. It is measured only on Linux, after CountWaits.
	Waited time.Duration
	Wall   time.Duration // at its end
	Twice  bool          // nearly all of it was measured by both clocks
}

// Laps measures the laps of one rank. Only the rank's goroutine uses it.
type Laps struct {
	begun  time.Duration // when the superstep began
	mark   time.Duration // when the last process ended its work
	thread threadTime    // the last reading; at mark, if timed
	read   time.Duration // wall time of that reading
	timed  bool          // this superstep uses the thread's clock too
	work   time.Duration // of all processes in this superstep
	likely time.Duration // expected work in the next superstep: max(work, likely/2)
	waited time.Duration // for messages, by the running process; counts as work
	waits  *waits        // nil if waits are not counted
	preset func(pid, step int) time.Duration

	long, every time.Duration // longWork and readEvery, scaled up if reading is slow
}

// longWork is the minimum expected work of a process for its superstep to be timed by the
// thread's clock too. Shorter work is seldom interrupted. Work that is unexpectedly long is
// timed from the last reading before its superstep, which is at most readEvery old; the
// detected loss is smaller by up to that time.
//
// Reading the thread's clock takes two system calls, 0.3 us on some machines and 1.5 us on
// others. If it takes longer, both values are raised, so that readings take at most 1/longShare
// of long work and 1/everyShare of the run.
const (
	longWork   = 100 * time.Microsecond
	longShare  = 300
	readEvery  = 200 * time.Microsecond
	everyShare = 2000
)

// New returns Laps that measure work or, if preset is not nil, use preset instead.
func New(preset func(pid, step int) time.Duration) Laps {
	took := readingTakes()
	l := Laps{preset: preset, long: max(longWork, longShare*took), every: max(readEvery, everyShare*took)}
	l.read = -2 * l.every
	return l
}

// CountWaits makes waits of threads count as work.
func (l *Laps) CountWaits() { l.waits = &waits{seen: true} }

// Unexpectedly long work counts as measured by both clocks if it is at least nearlyAll times
// longer than the time between the last reading of the thread's clock and its beginning.
const nearlyAll = 20

// readingTakes returns the time to read a thread's clock.
var readingTakes = sync.OnceValue(func() time.Duration {
	took := time.Hour
	for range 5 {
		begun := time.Now()
		thread()
		took = min(took, time.Since(begun))
	}
	return took
})

// Begin begins a superstep. It reads the thread's clock if recent work was long, not only in
// the last superstep because long and short supersteps may alternate, if always is set, or if
// the last reading is old.
func (l *Laps) Begin(wall time.Duration, procs int, always bool) {
	l.begun, l.mark = wall, wall
	l.likely = max(l.work, l.likely/2)
	l.timed = always || procs > 0 && l.likely > l.long*time.Duration(procs)
	l.work = 0
	if l.timed || procs > 0 && wall-l.read > l.every {
		l.thread, l.read = thread(), wall
		l.waits.begin(l.thread.id)
	}
}

// Lap ends the work of a process.
func (l *Laps) Lap(wall time.Duration, pid, step int) Lap {
	lap, before := Lap{Span: wall - l.mark, Wall: wall}, l.mark-l.read
	lap.Work, l.mark = lap.Span, wall
	if l.preset != nil {
		lap.Work = l.preset(pid, step)
		lap.Span = lap.Work
	} else if l.timed || lap.Span > l.long {
		now := thread()
		if now.id == l.thread.id && now.id >= 0 {
			lap.Work = max(0, min(lap.Span, now.used-l.thread.used))
			lap.Twice = l.timed || lap.Span > nearlyAll*before
			lap.Waited = l.waits.of(now.id, lap.Span-lap.Work)
			lap.Work += lap.Waited
		}
		l.thread, l.read = now, wall
	}
	lap.Work += l.waited
	l.waited = 0
	l.work += lap.Work
	return lap
}

// Wait adds a wait of the running process to its work.
func (l *Laps) Wait(d time.Duration) { l.waited += d }

// Work returns the work of the open superstep so far. It requires that Begin was called with
// always set.
func (l *Laps) Work() time.Duration {
	work := l.work + l.waited
	if l.preset == nil {
		work += thread().used - l.thread.used
	}
	return work
}

// End returns the duration of the superstep so far, in all and since the processes' work.
func (l *Laps) End(wall time.Duration) (took, barrier time.Duration) {
	return wall - l.begun, wall - l.mark
}

// waits measures a thread's voluntary waits. The kernel counts the time in which the thread was
// ready but did not run, including time after its quota was exhausted, and the number of
// voluntary context switches. The counts are read if at least leastWait was lost.
type waits struct {
	counts waitCounts // the last reading
	seen   bool       // counts were read since the superstep began
	file   threadFile // of the counts of a thread
}

// waitCounts are the kernel's counts of a thread.
type waitCounts struct {
	id    int           // negative if unknown
	ready time.Duration // time in which it was ready but did not run
	gave  int64         // voluntary context switches
}

// leastWait is a hundred times the cost of reading the counts.
const leastWait = 500 * time.Microsecond

// begin begins a superstep on a thread. If the counts were read in the last superstep, it reads
// them again to exclude the time between the supersteps.
func (w *waits) begin(id int) {
	if w != nil && w.seen {
		w.seen, w.counts = false, w.file.counts(id)
	}
}

// of returns a lower bound on the thread's voluntary waits in the lost time.
func (w *waits) of(id int, lost time.Duration) time.Duration {
	if w == nil || lost < leastWait {
		return 0
	}
	before := w.counts
	w.counts, w.seen = w.file.counts(id), true
	if w.counts.id < 0 || w.counts.id != before.id || w.counts.gave == before.gave {
		return 0
	}
	return max(0, lost-(w.counts.ready-before.ready))
}

// threadTime is a reading of a thread's CPU clock. id identifies the thread, and is negative if
// the clock could not be read.
type threadTime struct {
	id   int
	used time.Duration
}

// Thread returns the CPU time of the calling thread, or wall time if threads have no clock.
func Thread() time.Duration { return thread().used }
