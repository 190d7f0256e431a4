package bsplib

import "time"

// meter measures what processes do in a superstep.
type meter struct {
	on      bool          // always
	running bool          // in this superstep
	exact   bool          // by the thread's clock, always: the rank keeps its thread
	start   time.Duration // of the superstep
	mark    time.Duration // when the last process ended its work
	thread  threadTime    // at mark, if timed
	timed   bool
	work    time.Duration // of all processes in this superstep

	wall, cpu time.Duration // of what was measured by both clocks
	preset    func(pid, step int) time.Duration
}

// longWork is the work from which on it pays to ask the thread's clock, which
// does not count what others do on the core but takes a system call.
const longWork = 100 * time.Microsecond

// begin starts the measuring of a superstep.
func (m *meter) begin(now time.Duration, procs int) {
	m.start, m.mark = now, now
	m.timed = m.exact || procs > 0 && m.work > longWork*time.Duration(procs)
	m.work = 0
	if m.timed {
		m.thread = threadClock()
	}
}

// lap ends the work of a process: span is the time since the last lap or begin,
// work the part of it in which the thread ran, as far as that is known.
func (m *meter) lap(now time.Duration, pid, step int) (work, span time.Duration) {
	span = now - m.mark
	work = span
	m.mark = now
	if m.preset != nil {
		work = m.preset(pid, step)
		span = work
	} else if m.timed {
		thread := threadClock()
		if thread.id == m.thread.id && thread.id >= 0 {
			work = max(0, min(span, thread.used-m.thread.used))
			m.wall += span
			m.cpu += work
		}
		m.thread = thread
	}
	m.work += work
	return work, span
}

// timedWork is how long the rank's work since the last call has taken, and how
// much of that its thread ran, as far as it was timed.
func (m *meter) timedWork() (wall, cpu time.Duration) {
	wall, cpu = m.wall, min(m.cpu, m.wall)
	m.wall, m.cpu = 0, 0
	if m.exact {
		return 0, 0
	}
	return wall, cpu
}

// threadTime is a thread's own clock.
type threadTime struct {
	id   int
	used time.Duration
}
