// Package laps measures what the processes of a rank do in a superstep, one after the other:
// by the wall's clock, and where their work is long by the clock of the thread too, which
// leaves out what others do on the core. Their spans follow each other without gaps.
package laps

import (
	"sync"
	"time"
)

// Lap is a process's work in a superstep.
type Lap struct {
	// Work is what the process did, without what others took from its core as
	// far as that is known; Span is all the time from its begin to its end.
	Work, Span time.Duration
	// Waited is the part of Work in which the thread slept, or waited for a file or a lock: that takes as
	// long on any rank. It is known on Linux, where CountWaits was called.
	Waited time.Duration
	Wall   time.Duration // at its end
	Twice  bool          // all of it was measured by both clocks, but for a small part
}

// Laps are those of one rank. Its goroutine uses them.
type Laps struct {
	begun  time.Duration // when the superstep began
	mark   time.Duration // when the last process ended its work
	thread threadTime    // at mark, if timed; else when it was read last
	read   time.Duration // when that was
	timed  bool          // by the thread's clock too
	work   time.Duration // of all processes in this superstep
	likely time.Duration // and as expected in the next: that of the last, or half of what was expected of that
	waited time.Duration // by the process that runs, for messages: work that the rank could have done
	waits  *waits        // nil: not counted
	preset func(pid, step int) time.Duration

	long, every time.Duration // longWork and readEvery, longer where reading takes long
}

// longWork is the expected work of a process from which on its superstep is timed by the thread's
// clock too. What is shorter is seldom interrupted. Work that turns out to be as long though
// it was not expected to is timed from the last reading before its superstep, which is at
// most readEvery old: so much less is known to be denied.
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

// New makes laps of work that is measured, or preset unless that is nil.
func New(preset func(pid, step int) time.Duration) Laps {
	took := readingTakes()
	l := Laps{preset: preset, long: max(longWork, longShare*took), every: max(readEvery, everyShare*took)}
	l.read = -2 * l.every
	return l
}

// CountWaits has what threads wait for count as work.
func (l *Laps) CountWaits() { l.waits = &waits{seen: true} }

// nearlyAll is how many times as long as the time since the thread's clock was read before it unexpected work takes that
// counts as measured by both clocks.
const nearlyAll = 20

// readingTakes is how long it takes to read a thread's clock.
var readingTakes = sync.OnceValue(func() time.Duration {
	took := time.Hour
	for range 5 {
		begun := time.Now()
		thread()
		took = min(took, time.Since(begun))
	}
	return took
})

// Begin begins a superstep. The thread's clock is read where work was long of late, for supersteps may be
// long and short by turns, or always, and where that was long ago.
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

// Wait adds a wait of the process that runs to its work.
func (l *Laps) Wait(d time.Duration) { l.waited += d }

// Work is the work of the superstep so far, in one that is always timed by the thread's clock.
func (l *Laps) Work() time.Duration {
	work := l.work + l.waited
	if l.preset == nil {
		work += thread().used - l.thread.used
	}
	return work
}

// End is what the superstep has taken so far: all of it, and since the processes' work.
func (l *Laps) End(wall time.Duration) (took, barrier time.Duration) {
	return wall - l.begun, wall - l.mark
}

// waits finds out how long a thread waited of its own accord in the time in which it did not run. The kernel counts
// for how long it was ready and others had the core, its quota being used up included, and how often it gave
// the core away. The counts are read where at least leastWait was lost.
type waits struct {
	counts waitCounts // as read last
	seen   bool       // they were read since the superstep began
	file   threadFile // of the counts of a thread
}

// waitCounts are those of a thread.
type waitCounts struct {
	id    int           // negative if they are not known
	ready time.Duration // in which it did not run and could have
	gave  int64         // times that it gave its core away
}

// leastWait is a hundred times what reading the counts takes.
const leastWait = 500 * time.Microsecond

// begin begins a superstep on a thread. Where the last one waited the counts are read, so that nothing from between
// is part of them.
func (w *waits) begin(id int) {
	if w != nil && w.seen {
		w.seen, w.counts = false, w.file.counts(id)
	}
}

// of is how much of a time that the thread did not run for it waited, at least.
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

// threadTime is what a thread's own clock shows; id tells threads apart and is
// negative if the clock could not be read.
type threadTime struct {
	id   int
	used time.Duration
}

// Thread is what the calling thread's own clock shows, or the wall's where threads have none.
func Thread() time.Duration { return thread().used }
