package bsplib

import "time"

// alarm notices when stages have become much longer than those before, be it that
// a rank has lost its processor to others or that a link has become slow. A call
// follows then, and not only when the next one is due.
type alarm struct {
	usual float64 // seconds that a stage takes, of late
	seen  int     // stages that this comes from
	slow  int     // the last ones in a row that took much longer

	ended  time.Duration // the last stage observed
	stages int           // ended since

	// What was known when the first of the slow ones had ended.
	since     time.Duration
	steps     int
	wall, cpu time.Duration // of the meter
}

const (
	alarming    = 1.5  // times the usual length
	alarmedBy   = 3    // stages in a row
	calmStages  = 4    // that tell what is usual
	usualStages = 16   // that it is about the mean of
	alarmShare  = 0.01 // of the time since the last call that one more may take
)

// hear takes in the stage that has ended on all ranks.
func (b *balance) hear(r *rank) {
	a := &b.alarm
	a.stages++
	if !b.watching() {
		return
	}
	now := r.clock.Now()
	length := (now - max(a.ended, b.mark)).Seconds() / float64(a.stages)
	a.ended, a.stages = now, 0
	if a.seen < calmStages || length < alarming*a.usual {
		a.slow = 0
		a.seen = min(a.seen+1, usualStages)
		a.usual += (length - a.usual) / float64(a.seen)
		return
	}
	if a.slow++; a.slow == 1 {
		a.since, a.steps = now, b.steps
		w := r.clock.Working()
		a.wall, a.cpu = w.Wall, w.CPU
	}
}

// alarmed tells whether this rank asks for a call for what it has heard, where
// that costs little beside the time since the last one. Strategies that are not
// guarded have calls only when they are due.
func (b *balance) alarmed(r *rank) bool {
	return b.alarm.slow >= alarmedBy && b.controller.Guarded() && b.cost(r) <= alarmShare*(r.clock.Now()-b.mark).Seconds()
}

// window is the part of the time since the last call that counts at one that was
// asked for: if stages have become slow, only what came after.
func (b *balance) window(r *rank, asked bool) window {
	timed := r.clock.Worked()
	wall, cpu := timed.Wall, min(timed.CPU, timed.Wall)
	if a := &b.alarm; asked && a.slow > 1 {
		w := window{wall: wall - a.wall, cpu: cpu - a.cpu}
		if steps := b.steps - a.steps; steps > 0 {
			w.step = (r.clock.Now() - a.since).Seconds() / float64(steps)
		}
		return w
	}
	return window{wall: wall, cpu: cpu}
}

// window is a time in which work was timed by two clocks.
type window struct {
	wall, cpu time.Duration
	step      float64 // seconds of a superstep in it, 0 if that is the time since the last call
}

// heed makes what is usual be learned anew after a call that has changed it, or that
// was made for what had.
func (a *alarm) heed(changed bool) {
	if changed || a.slow >= alarmedBy {
		*a = alarm{}
	}
}

// rebase begins the time to the next call; slow stages before it may still lead to an
// alarm.
func (a *alarm) rebase(now time.Duration) {
	a.stages, a.since = 0, now
	a.steps, a.wall, a.cpu = 0, 0, 0
}
