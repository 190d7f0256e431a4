package main

import (
	"time"

	"github.com/migbsp/migbsp/rebalancer/bag"
)

// tally is the sums of a rank in a farm.
type tally struct {
	Rank, Set int
	Host      string
	Works     bool
	Chunks    int
	Tasks     int
	Busy      float64 // seconds that it computed
	End       float64 // when it ended its last task, in seconds since the farm began
	Messages  int     // between ranks, that it has sent
	Bytes     int
	Across    int // of Messages, to another Set
}

// Outcomes go to the giver of tasks at this size or age.
const (
	batchBytes = 32 << 10
	batchAge   = 500 * time.Millisecond
	lifeSign   = time.Second
	glance     = time.Millisecond // between two checks for messages while tasks are short
)

// batch collects a rank's messages to its giver: outcomes go with the next request, or when
// they are many or old. A sign of life goes if no other message does.
type batch struct {
	farm    *farm
	boss    int // rank
	results []outcome
	bytes   int
	since   time.Duration // time of its last message
}

func (b *batch) add(results []outcome) {
	for i := range results {
		b.results, b.bytes = append(b.results, results[i]), b.bytes+results[i].bytes()
	}
}

// tell sends all outcomes, with a request or a report.
func (b *batch) tell(asks, reports bool, r bag.Report) {
	send(b.farm, b.boss, &up{Farm: b.farm.number, Asks: asks, Reports: reports, Report: r, Results: b.results})
	b.results, b.bytes, b.since = nil, 0, b.farm.b.Time()
}

// flush sends outcomes that must not wait.
func (b *batch) flush() {
	age := b.farm.b.Time() - b.since
	if b.bytes >= batchBytes || len(b.results) > 0 && age >= batchAge || age >= lifeSign {
		b.tell(false, false, bag.Report{})
	}
}

// worker computes the tasks that another rank gives it.
type worker struct {
	farm   *farm
	batch  batch
	model  *bag.Model
	looked time.Duration // when it looked for messages
	stop   bool          // its work is over
}

// run asks, computes and asks again until no task is left.
func (w *worker) run() {
	w.model = w.farm.spec.Model()
	w.farm.tally.Works = true
	var r bag.Report
	for done := true; done; {
		w.batch.tell(true, r.Chunk > 0, r)
		asked := w.batch.since
		var m down
		for !w.hear(time.Hour, &m) {
		}
		if m.Answer != bag.Work {
			return
		}
		r, done = w.compute(&m, w.farm.b.Time()-asked)
	}
}

// hear waits for a message of this farm.
func (w *worker) hear(patience time.Duration, m *down) bool {
	rank, message := w.farm.post.next(patience)
	if rank < 0 {
		return false
	}
	*m = down{}
	read(w.farm.post, rank, message, m)
	return m.Farm == w.farm.number
}

// stopped is called while a task runs: it checks whether the task is still needed, and
// gives a sign of life.
func (w *worker) stopped() bool {
	now := w.farm.b.Time()
	w.batch.flush()
	if now-w.looked >= glance || w.farm.b.Runtime().Emulated() {
		w.looked = now
		var m down
		if w.hear(0, &m) && m.Answer != bag.Work {
			w.stop = true
		}
	}
	return w.stop
}

// compute runs the tasks of a chunk and returns their report, unless it is stopped.
func (w *worker) compute(m *down, waited time.Duration) (r bag.Report, done bool) {
	begun := w.farm.b.Time()
	w.batch.since = begun
	w.farm.tally.Chunks++
	r = bag.Report{Chunk: m.Chunk.Number, Waited: waited.Seconds()}
	for i := range m.Chunk.Count {
		o, done := w.task(m.Chunk.First+i, m.Inputs, i)
		if !done || w.stopped() {
			return r, false
		}
		if o.Problem != "" {
			r.Failed = append(r.Failed, o.Task)
		}
		w.batch.add([]outcome{o})
		w.farm.tally.End = w.farm.now()
	}
	r.Computed = (w.farm.b.Time() - begun).Seconds()
	w.model.Observe(m.Chunk.Count, r.Computed)
	r.Good, r.Next = w.model.Good(), w.model.Next(m.Chunk.Slice)
	return r, true
}

// task runs the i-th task of a chunk.
func (w *worker) task(number int, inputs []string, i int) (outcome, bool) {
	input := ""
	if len(inputs) > 0 {
		input = inputs[i]
	}
	begun := w.farm.b.Time()
	o, done := w.farm.runner.run(number, input, w.stopped)
	w.farm.tally.Busy += (w.farm.b.Time() - begun).Seconds()
	w.farm.tally.Tasks++
	return o, done
}

// hand is a giving rank as its own worker. On this machine's clock a goroutine computes
// while the rank answers others; on an emulated platform, whose clock counts the computing
// of the rank's thread, it runs a task between two checks for messages.
type hand struct {
	farm  *farm
	model *bag.Model
	chunk bag.Chunk
	given time.Duration // when it had the chunk
	next  int           // its tasks that have begun
	idle  bool

	tasks chan handTask
	done  chan outcome
	quit  chan struct{}
}

type handTask struct {
	runner runner
	number int
	input  string
}

func newHand(f *farm) *hand {
	h := &hand{farm: f, model: f.spec.Model(), idle: true}
	f.tally.Works = true
	if !f.b.Runtime().Emulated() {
		h.tasks, h.done, h.quit = make(chan handTask, 1), make(chan outcome, 1), make(chan struct{})
		go h.compute()
	}
	return h
}

// compute runs on the goroutine.
func (h *hand) compute() {
	stopped := func() bool {
		select {
		case <-h.quit:
			return true
		default:
			return false
		}
	}
	for {
		select {
		case <-h.quit:
			return
		case t := <-h.tasks:
			if o, done := t.runner.run(t.number, t.input, stopped); done {
				h.done <- o
			}
		}
	}
}

// close ends the hand and drops its results.
func (h *hand) close() {
	if h.quit != nil {
		close(h.quit)
	}
}

// give starts a chunk.
func (h *hand) give(c bag.Chunk, input func(task int) string) {
	h.chunk, h.given, h.next, h.idle = c, h.farm.b.Time(), 0, false
	h.farm.tally.Chunks++
	h.begin(input)
}

// begin begins the next task, where a goroutine computes.
func (h *hand) begin(input func(task int) string) {
	if h.tasks != nil && h.next < h.chunk.Count {
		number := h.chunk.First + h.next
		h.tasks <- handTask{h.farm.runner, number, input(number)}
		h.next++
	}
}

// step returns an outcome if one is ready, and whether it was the chunk's last.
func (h *hand) step(input func(task int) string) (o outcome, come, last bool) {
	switch {
	case h.idle:
		return o, false, false
	case h.tasks == nil:
		number := h.chunk.First + h.next
		h.next++
		o, _ = h.farm.runner.run(number, input(number), func() bool { return false })
		last = h.next == h.chunk.Count
	default:
		select {
		case o = <-h.done:
		default:
			return o, false, false
		}
		last = o.Task == h.chunk.First+h.chunk.Count-1
		h.begin(input)
	}
	now := h.farm.b.Time()
	h.farm.tally.Tasks++
	h.farm.tally.End = (now - h.farm.begun).Seconds()
	if last {
		h.idle = true
		h.farm.tally.Busy += (now - h.given).Seconds()
	}
	return o, true, last
}

// report returns the report of the chunk that has ended.
func (h *hand) report(failed []int) bag.Report {
	r := bag.Report{Chunk: h.chunk.Number, Computed: (h.farm.b.Time() - h.given).Seconds(), Failed: failed}
	h.model.Observe(h.chunk.Count, r.Computed)
	r.Good, r.Next = h.model.Good(), h.model.Next(h.chunk.Slice)
	return r
}

// patience is the time for which the rank of this hand may wait for messages.
func (h *hand) patience(longest time.Duration) time.Duration {
	switch {
	case h == nil || h.idle:
		return longest
	case h.tasks == nil:
		return 0
	default:
		return min(longest, glance)
	}
}
