package bag

import (
	"fmt"
	"math"
	"slices"
)

// Bag is a bag of tasks, numbered from 0, and the state of its workers.
//
// Invariants: each task has one state. A remaining task is in exactly one span of left;
// spans may also contain tasks done since by a worker that had been given up. A
// given task is in a running chunk whose worker has not been given up.
type Bag struct {
	options Options
	policy  policy
	state   []byte      // by task
	left    []Span      // tasks to give, the next ones last
	count   int         // tasks that are left
	total   int         // tasks that have been put into the bag
	given   int         // tasks that are given
	tries   map[int]int // failures, by task
	running []running   // chunks that have been given and not reported, in that order
	workers []worker
	open    bool // there may be more tasks
	now     float64
	stats   Stats
}

// Options of a bag. The zero value is of use.
type Options struct {
	// Sequential is the time, in seconds, of all tasks in sequence on a worker of
	// mean speed. If it is 0, lds estimates it from the workers' reports.
	Sequential float64
	// Retries is the number of times a failed task is tried again.
	Retries int
	// Done are tasks that need not be computed, because an earlier run did.
	Done []Span
	// Open makes the bag start empty: Add adds tasks, and Give answers Done only after
	// Close.
	Open bool
}

// Span is the tasks First to First+Count-1.
type Span struct{ First, Count int }

// endOf is the first task after a span.
func endOf(s Span) int { return s.First + s.Count }

// Chunk is a worker's assignment.
type Chunk struct {
	Number int // from 1; the same tasks given once more have another number
	Span
	// Slice is the intended duration in seconds of the worker's next chunk, for
	// Model.Next; 0 if the policy does not use the worker's choice.
	Slice float64
	// Copy reports whether another worker computes the same tasks, and is late.
	Copy bool
}

// Answer is the response to a worker's request.
type Answer int

const (
	Work Answer = iota // compute the chunk
	Wait               // there may be something later
	Done               // all tasks are done or have failed
)

// String is the answer's name.
func (a Answer) String() string { return [...]string{"work", "wait", "done"}[a] }

// Report comes with a worker's request. Times are in seconds.
type Report struct {
	Now float64 // the master's clock, which begins with the bag and does not go back
	// Chunk is the number of the chunk that the worker has ended, 0 if it has none to
	// report. The figures below are about that chunk.
	Chunk    int
	Computed float64 // for which the worker computed it
	Waited   float64 // from the worker's request until it had the chunk
	Sent     float64 // seconds that the master spent sending the chunk
	Next     int     // result of the worker's Model.Next
	Good     bool    // result of the worker's Model.Good
	Failed   []int   // tasks of it that have failed
}

// Stats counts tasks by state. Left, Given, Done and Failed sum to all tasks.
type Stats struct {
	Left, Given, Done, Failed int

	Chunks    int // that were given, Copies among them
	Copies    int // of chunks that another worker was late with
	Copied    int // tasks in these
	Lost      int // tasks that went back because their worker was given up
	Retried   int // tasks that went back because they had failed
	Duplicate int // results of tasks that were done already
}

// States of a task.
const (
	isLeft byte = iota
	isGiven
	isDone
	isFailed
	isElsewhere // not put into the bag yet
)

// running is a chunk that a worker computes.
type running struct {
	Chunk
	worker int
	given  float64 // when
	copied int     // of its tasks, the last ones, others have copies
	lost   bool    // its worker has been given up; its unfinished tasks are left again
}

// worker is the state of a worker.
type worker struct {
	tasks   int     // reported
	elapsed float64 // seconds from giving to reporting them
	heard   float64 // when
	lost    bool
}

// New returns a bag of tasks for a number of workers.
//
// Errors: tasks or workers is not positive, or Options.Done is out of range.
func New(tasks, workers int, spec Spec, o Options) (*Bag, error) {
	switch {
	case spec.definition == nil:
		return nil, fmt.Errorf("a bag needs a policy; there are %s", names())
	case tasks < 1:
		return nil, fmt.Errorf("a bag of %d tasks; expected at least 1", tasks)
	case workers < 1:
		return nil, fmt.Errorf("a bag for %d workers; expected at least 1", workers)
	case o.Retries < 0:
		return nil, fmt.Errorf("%d retries; expected a number from 0 on", o.Retries)
	}
	b := &Bag{
		options: o, state: make([]byte, tasks), tries: make(map[int]int), workers: make([]worker, workers), open: o.Open,
	}
	for t := range b.state {
		b.state[t] = isElsewhere
	}
	for _, s := range o.Done {
		if s.First < 0 || s.Count < 0 || s.First > tasks-s.Count {
			return nil, fmt.Errorf("tasks %d to %d were done before, but the last one is %d", s.First, endOf(s)-1, tasks-1)
		}
		for t := s.First; t < endOf(s); t++ {
			if b.state[t] == isElsewhere {
				b.state[t] = isDone
				b.stats.Done++
			}
		}
	}
	if !o.Open {
		b.put(Span{0, tasks})
	}
	b.policy = spec.definition.make(spec.values, b)
	return b, nil
}

// put makes the tasks of a span that are in no bag yet the last ones to be given.
func (b *Bag) put(s Span) {
	var runs []Span
	for t := s.First; t < endOf(s); t++ {
		if b.state[t] != isElsewhere {
			continue
		}
		b.state[t] = isLeft
		if n := len(runs); n > 0 && endOf(runs[n-1]) == t {
			runs[n-1].Count++
		} else {
			runs = append(runs, Span{t, 1})
		}
		b.count++
		b.total++
	}
	slices.Reverse(runs)
	b.left = append(runs, b.left...)
}

// Add appends tasks to the remaining ones of an Open bag. Tasks that it has had
// before are reset.
func (b *Bag) Add(s Span) {
	if !b.open || s.First < 0 || s.Count < 0 || s.First > len(b.state)-s.Count {
		panic(fmt.Sprintf("bag: tasks %d to %d are added to a bag of %d tasks; expected some of these, and a bag that is open", s.First, endOf(s)-1, len(b.state)))
	}
	for t := s.First; t < endOf(s); t++ {
		switch b.state[t] {
		case isDone:
			b.stats.Done--
			b.state[t] = isElsewhere
		case isFailed:
			b.stats.Failed--
			b.state[t] = isElsewhere
			delete(b.tries, t)
		}
	}
	b.put(s)
}

// settled reports whether all tasks of a span are done or have failed. It begins with those
// that are given last.
func (b *Bag) settled(s Span) bool {
	for t := endOf(s) - 1; t >= s.First; t-- {
		if b.Wanted(t) {
			return false
		}
	}
	return true
}

// Close declares that Add will not be called any more.
func (b *Bag) Close() { b.open = false }

// Give answers a worker's request: Work with a chunk of at least one task, Wait or Done.
// The request comes with a report of the worker's last chunk, if it has one to report.
func (b *Bag) Give(worker int, r Report) (Chunk, Answer) {
	b.End(worker, r)
	if !b.open && b.count == 0 && b.given == 0 {
		return Chunk{}, Done
	}
	if b.count > 0 {
		if k := b.policy.size(worker); k > 0 {
			return b.give(worker, min(k, b.count)), Work
		}
		return Chunk{}, Wait
	}
	if p, ok := b.policy.(copier); ok {
		if i, k := p.late(worker); i >= 0 {
			return b.copy(worker, i, k), Work
		}
	}
	return Chunk{}, Wait
}

// End takes in a worker's report without a request.
func (b *Bag) End(worker int, r Report) {
	b.Heard(worker, r.Now)
	b.workers[worker].lost = false
	if r.Chunk == 0 {
		return
	}
	i := slices.IndexFunc(b.running, func(c running) bool { return c.Number == r.Chunk && c.worker == worker })
	if i < 0 {
		panic(fmt.Sprintf("bag: worker %d reports chunk %d, which it does not have", worker, r.Chunk))
	}
	c := b.running[i]
	b.running = slices.Delete(b.running, i, i+1)
	for t := c.First; t < endOf(c.Span); t++ {
		if !slices.Contains(r.Failed, t) {
			b.done(t)
		}
	}
	for _, t := range r.Failed {
		b.fail(t)
	}
	w := &b.workers[worker]
	w.tasks += c.Count
	w.elapsed += max(0, b.now-c.given)
	if p, ok := b.policy.(learner); ok {
		p.ended(&c, &r)
	}
}

// done makes a task done.
func (b *Bag) done(t int) {
	switch b.state[t] {
	case isDone, isFailed:
		b.stats.Duplicate++
		return
	case isLeft:
		b.count--
	case isGiven:
		b.given--
	}
	b.state[t] = isDone
	b.stats.Done++
}

// fail puts a task back that has failed, unless another worker computes it or it has failed
// too often.
func (b *Bag) fail(t int) {
	if b.state[t] != isGiven || b.heldBy(t) {
		return
	}
	b.tries[t]++
	if b.tries[t] > b.options.Retries {
		b.state[t] = isFailed
		b.given--
		b.stats.Failed++
		return
	}
	b.stats.Retried++
	b.putBack(t)
}

// putBack makes a task that is given the next one to be given.
func (b *Bag) putBack(t int) {
	b.state[t] = isLeft
	b.given--
	b.count++
	if n := len(b.left); n > 0 && b.left[n-1].First == t+1 {
		b.left[n-1] = Span{t, b.left[n-1].Count + 1}
		return
	}
	b.left = append(b.left, Span{t, 1})
}

// heldBy reports whether a chunk with the task is running.
func (b *Bag) heldBy(t int) bool {
	return slices.ContainsFunc(b.running, func(c running) bool { return !c.lost && c.First <= t && t < endOf(c.Span) })
}

// give gives the next tasks to a worker: k of them, or fewer if these do not follow each
// other.
func (b *Bag) give(worker, k int) Chunk {
	s := b.next()
	n := 0
	for n < min(k, s.Count) && b.state[s.First+n] == isLeft {
		b.state[s.First+n] = isGiven
		n++
	}
	b.count -= n
	b.given += n
	if n < s.Count {
		b.left = append(b.left, Span{s.First + n, s.Count - n})
	}
	c := Chunk{Span: Span{s.First, n}}
	if p, ok := b.policy.(learner); ok {
		c.Slice = p.slice(worker)
	}
	return b.start(worker, c)
}

// next takes out the next span, from its first task on that is left.
func (b *Bag) next() Span {
	for {
		last := len(b.left) - 1
		s := b.left[last]
		b.left = b.left[:last]
		for s.Count > 0 && b.state[s.First] != isLeft {
			s.First++
			s.Count--
		}
		if s.Count > 0 {
			return s
		}
	}
}

// copy gives the last k tasks of a running chunk that have no copy yet to another worker.
func (b *Bag) copy(worker, i, k int) Chunk {
	c := &b.running[i]
	c.copied += k
	b.stats.Copies++
	b.stats.Copied += k
	return b.start(worker, Chunk{Span: Span{endOf(c.Span) - c.copied, k}, Copy: true})
}

func (b *Bag) start(worker int, c Chunk) Chunk {
	b.stats.Chunks++
	c.Number = b.stats.Chunks
	b.running = append(b.running, running{Chunk: c, worker: worker, given: b.now})
	return c
}

// Wanted reports whether a result of the task counts: the first one does.
func (b *Bag) Wanted(task int) bool { return b.state[task] != isDone && b.state[task] != isFailed }

// Heard records a sign of life of a worker.
func (b *Bag) Heard(worker int, now float64) {
	b.now = max(b.now, now)
	b.workers[worker].heard = b.now
}

// A worker that is silent with a chunk is given up after this many seconds and this
// multiple of the chunk's expected time.
const (
	leastSilence = 5
	silence      = 3
)

// Overdue returns the workers whose silence has exceeded the limit and that should be given
// up. Drivers whose workers send nothing during computation should treat them as
// slow instead.
func (b *Bag) Overdue(now float64) []int {
	b.now = max(b.now, now)
	var all []int
	for i := range b.running {
		c := &b.running[i]
		if !c.lost && b.now >= b.deadline(c) && !slices.Contains(all, c.worker) {
			all = append(all, c.worker)
		}
	}
	return all
}

// deadline is when the worker of a chunk is given up if it stays silent.
func (b *Bag) deadline(c *running) float64 {
	return max(b.workers[c.worker].heard, c.given) + max(leastSilence, silence*b.Expected(c.worker, c.Count))
}

// Expected returns how many seconds a worker is expected to take from being given a
// number of tasks to reporting them: +Inf if no worker has reported any. A worker that has
// reported none is taken to be like the slowest one.
func (b *Bag) Expected(worker, tasks int) float64 {
	w := b.workers[worker]
	if w.tasks > 0 {
		return w.elapsed / float64(w.tasks) * float64(tasks)
	}
	slowest := 0.0
	for _, w := range b.workers {
		if w.tasks > 0 {
			slowest = max(slowest, w.elapsed/float64(w.tasks))
		}
	}
	if slowest == 0 {
		return math.Inf(1)
	}
	return slowest * float64(tasks)
}

// Lose gives a worker up: its tasks go back to the front of the bag. If it reports
// again it is readmitted, and its results count where they are the first.
func (b *Bag) Lose(worker int, now float64) {
	b.now = max(b.now, now)
	b.workers[worker].lost = true
	for i := len(b.running) - 1; i >= 0; i-- {
		c := &b.running[i]
		if c.worker != worker || c.lost {
			continue
		}
		c.lost = true
		for t := endOf(c.Span) - 1; t >= c.First; t-- {
			if b.state[t] == isGiven && !b.heldBy(t) {
				b.stats.Lost++
				b.putBack(t)
			}
		}
	}
}

// Wake returns when a worker may have become overdue, or a request that is open may be
// answered, although no worker has reported: +Inf if never.
func (b *Bag) Wake() float64 {
	wake := math.Inf(1)
	for i := range b.running {
		if c := &b.running[i]; !c.lost {
			wake = min(wake, b.deadline(c))
		}
	}
	if p, ok := b.policy.(copier); ok {
		wake = min(wake, p.wake())
	}
	return wake
}

// Stats returns the counts of tasks by state.
func (b *Bag) Stats() Stats {
	s := b.stats
	s.Left, s.Given = b.count, b.given
	return s
}

// Failed returns the tasks that have failed for good.
func (b *Bag) Failed() []int { return b.failedIn(Span{0, len(b.state)}) }

func (b *Bag) failedIn(s Span) []int {
	if b.stats.Failed == 0 {
		return nil
	}
	var all []int
	for t := s.First; t < endOf(s); t++ {
		if b.state[t] == isFailed {
			all = append(all, t)
		}
	}
	return all
}

// Workers returns the number of workers that have not been given up, at least 1.
func (b *Bag) Workers() int {
	n := 0
	for _, w := range b.workers {
		if !w.lost {
			n++
		}
	}
	return max(1, n)
}
