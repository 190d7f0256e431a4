package bag

import "math"

// auto is this library's own policy. For each worker it fits a line to computing time
// over the number of tasks, and another to the time of sending and reporting; both forget, so
// that a slowdown becomes visible. From these it predicts the time at which all
// workers finish together if each gets its share of the remaining tasks, and gives a worker a part
// of its share: the rest absorbs prediction errors. A worker whose share is less than one
// task waits, unless it would finish that task before the last running chunk is expected. When no
// tasks are left, idle workers get copies of parts of chunks that they would finish
// before the chunk's own worker.
type auto struct {
	bag      *Bag
	workers  []autoWorker
	sent     float64 // mean time for which a chunk keeps the master busy
	sends    float64 // chunks that it is the mean of
	variance float64 // of a task's time, as a part of its mean, squared
	reports  float64 // that it is an average over
}

// autoWorker is the state of a worker. Times are in seconds.
type autoWorker struct {
	compute, send fit
	idle          bool    // its last request got no tasks
	changed       bool    // its last chunk took another time than anything before explains
	until         float64 // when its last chunk is expected back
}

const (
	// autoKeep is the weight of a point when the next one comes. With half, four chunks
	// after a worker has slowed down its line is 94 % of the new speed; less would take the
	// noise of single tasks for a change.
	autoKeep = 0.5
	// autoPart is the part of its share that a worker gets. A worker that slows down to an eighth
	// meanwhile still finishes with the others.
	autoPart = 0.125
	// autoProbe is the part of an equal share that workers get at first. A worker that is
	// ten times slower than the mean has all of its share then. On the grid of 90 hosts less
	// lets the first workers ask again before the last ones have been served: with a third
	// of it, 10 000 short tasks take 1.5 % longer.
	autoProbe = 0.1
	// autoBlind is the part of its share for a worker without measurements, or without recent
	// ones.
	autoBlind = 0.25
	// autoOverhead is the part of a chunk's time that may go into asking for it and sending
	// it, and autoBusy the part of the master's time that may go into sending: smaller
	// chunks are given only where they are most of a share.
	autoOverhead = 0.005
	autoBusy     = 0.25
	// autoGain is the part of the time so far by which a copy must finish before the
	// original.
	autoGain = 0.01
	// autoLate is the part of its expected time by which a chunk may be late before that
	// counts as more than noise.
	autoLate = 0.1
	// autoInstant stands for the seconds of a task that takes no time.
	autoInstant = 1e-12
	// autoSeen is how many chunks the variance of tasks is averaged over.
	autoSeen = 64
)

func (a *auto) slice(int) float64 { return 0 }

// ended learns from a report.
func (a *auto) ended(c *running, r *Report) {
	w := &a.workers[c.worker]
	w.changed = false
	if w.compute.weight > 0 {
		base, each := w.computing()
		off, n := r.Computed/(base+each*float64(c.Count))-1, float64(c.Count)
		if math.Abs(off) > autoLate+3*math.Sqrt(a.variance/n) && a.reports > 0 {
			w.changed = true
		}
		a.reports = min(a.reports+1, autoSeen)
		a.variance += (min(n*off*off, 1) - a.variance) / a.reports
	}
	if w.changed {
		w.compute = fit{}
	}
	w.compute.add(c.Count, r.Computed, autoKeep)
	w.send.add(c.Count, max(0, a.bag.now-c.given-r.Computed), autoKeep)
	a.sends++
	a.sent += (r.Sent - a.sent) / a.sends
}

// computing returns the time to compute n tasks as base + each * n.
func (w *autoWorker) computing() (base, each float64) {
	if w.compute.straight() {
		return w.compute.line()
	}
	return 0, w.compute.mean()
}

// task returns a worker's time for n tasks as base + each * n, from receiving them to
// reporting them. A worker without measurements gets the mean of the others.
func (a *auto) task(worker int) (base, each float64) {
	w := &a.workers[worker]
	if w.compute.weight == 0 {
		return a.typical()
	}
	base, each = w.computing()
	if w.send.straight() {
		b, e := w.send.line()
		return base + b, max(each+e, autoInstant)
	}
	return base + w.send.seconds/w.send.weight, max(each, autoInstant) // it is mostly latency
}

// typical returns the same for a worker of the mean speed of those that are known.
func (a *auto) typical() (base, each float64) {
	rate, n := 0.0, 0.0
	for i := range a.workers {
		if a.workers[i].compute.weight > 0 {
			b, e := a.task(i)
			base += b
			rate += 1 / e
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return base / n, n / rate
}

// size implements policy.
func (a *auto) size(worker int) int {
	w := &a.workers[worker]
	k := a.choose(worker)
	w.idle = k == 0
	if k > 0 {
		base, each := a.task(worker)
		w.until = a.bag.now + base + float64(k)*each
	}
	return k
}

func (a *auto) choose(worker int) int {
	equal := float64(a.bag.count) / float64(a.bag.Workers())
	base, each := a.typical()
	if each == 0 { // no measurements
		return max(1, int(equal*autoProbe))
	}
	w := &a.workers[worker]
	round := a.sent * float64(a.bag.Workers()) // for which the master sends a chunk to everybody
	typical := each
	base, each = a.task(worker)
	end, last := a.end()
	share := int(a.within(end-a.bag.now-base, each))
	if share < 1 {
		if last > 0 && a.bag.now+base+each > last {
			return 0
		}
		return 1
	}
	if w.compute.weight == 0 {
		// While the master sends first chunks, no worker should ask again.
		return max(1, int(min(max(round/typical, equal*autoProbe), autoBlind*float64(share))))
	}
	worth := int(max((base+a.sent)/autoOverhead, round/autoBusy) / each)
	k := max(1, int(autoPart*float64(share)), min(worth, share))
	if w.changed {
		k = max(1, min(k, int(autoBlind*float64(share))))
	}
	if share-k < min(worth, k)/2 {
		k = share
	}
	return k
}

// within returns the number of tasks that a worker almost certainly computes in a time:
// k tasks deviate by the square root of k times the deviation of one.
func (a *auto) within(time, each float64) float64 {
	if !(time > 0) {
		return 0
	}
	k := min(time/each, mostTasks)
	if a.variance > 0 {
		root := (math.Sqrt(a.variance+4*k) - math.Sqrt(a.variance)) / 2
		k = root * root
	}
	return k
}

// end returns the time at which all workers finish together if they share the remaining tasks, with
// whole tasks for each, and the expected end of the last running chunk.
func (a *auto) end() (end, last float64) {
	now := a.bag.now
	type line struct{ ready, each float64 }
	lines := make([]line, 0, len(a.workers))
	baseAll, eachAll := a.typical()
	for i := range a.workers {
		if a.bag.workers[i].lost {
			continue
		}
		base, each := baseAll, eachAll
		if a.workers[i].compute.weight > 0 {
			base, each = a.task(i)
		}
		lines = append(lines, line{max(now, a.workers[i].until) + base, each})
	}
	for i := range a.bag.running {
		if c := &a.bag.running[i]; !c.lost {
			last = max(last, a.expected(c))
		}
	}
	holds := func(end float64) bool {
		n := 0
		for _, l := range lines {
			if end > l.ready {
				n += int(a.within(end-l.ready, l.each))
			}
		}
		return n >= a.bag.count
	}
	low, high := now, now+1e-3
	for !holds(high) {
		low, high = high, now+2*(high-now)
	}
	for range 40 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, last
}

// expected returns the expected end of a running chunk. A late chunk is expected when it
// has taken half as long again as it has now.
func (a *auto) expected(c *running) float64 {
	base, each := a.task(c.worker)
	took := base + each*float64(c.Count)
	if passed := a.bag.now - c.given; passed > (1+autoLate)*took {
		took = 1.5 * passed
	}
	return c.given + took
}

// late implements copier.
func (a *auto) late(worker int) (chunk, tasks int) {
	w := &a.workers[worker]
	w.idle = true
	base, each := a.task(worker)
	if each == 0 {
		return -1, 0
	}
	rates := 0.0
	for i := range a.workers {
		if a.workers[i].idle && !a.bag.workers[i].lost {
			_, e := a.task(i)
			rates += 1 / e
		}
	}
	now := a.bag.now
	chunk = -1
	latest := now
	for i := range a.bag.running {
		c := &a.bag.running[i]
		rest := c.Count - c.copied
		if c.lost || c.worker == worker || rest == 0 || a.bag.settled(c.Span) {
			continue
		}
		n := min(rest, int(math.Ceil(float64(rest)/(each*rates))))
		expected := a.expected(c)
		if expected > latest && now+base+each*float64(n) < expected-autoGain*now {
			chunk, tasks, latest = i, n, expected
		}
	}
	if chunk >= 0 {
		w.idle = false
		w.until = now + base + each*float64(tasks)
	}
	return chunk, tasks
}

// wake implements copier: when the next running chunk is late.
func (a *auto) wake() float64 {
	wake := math.Inf(1)
	for i := range a.bag.running {
		c := &a.bag.running[i]
		if c.lost || a.workers[c.worker].compute.weight == 0 {
			continue
		}
		base, each := a.task(c.worker)
		if at := c.given + (1+2*autoLate)*(base+each*float64(c.Count)); at > a.bag.now {
			wake = min(wake, at)
		}
	}
	return wake
}
