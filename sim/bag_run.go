package sim

import (
	"cmp"
	"context"
	"fmt"

	"github.com/migbsp/migbsp/rebalancer/bag"
)

// BagConfig describes a simulated run of a bag of tasks.
type BagConfig struct {
	Platform *Platform
	Bag      *Bag
	Policy   bag.Spec
	Master   int     // host
	Where    []int32 // host of each worker, from Bag.Place
	Parallel bool    // the master sends all chunks at once; else each after the one before has arrived
	Managers bool    // the workers of a Set ask the manager of the Set, and that the master
	Report   func(*ChunkRecord)
	Progress func(tasks int) // called with the number of further tasks whose results the master has; may be nil
}

// ChunkRecord is a chunk that has been computed. Times are in seconds.
type ChunkRecord struct {
	Worker int
	bag.Chunk
	Asked, Given, Came, Ended float64 // by the worker; by the master or manager; at the worker; computed
}

// BagResult sums up a simulated run of a bag. Times are in seconds.
type BagResult struct {
	Time     float64
	Bound    float64 // Bag.Bound
	Stats    bag.Stats
	Workers  []WorkerResult
	Messages int     // of requests, with results, and of chunks
	Bytes    float64 // of these messages
	Crossing struct {
		Messages int // messages between Sets
		Bytes    float64
	}
	MasterBusy float64 // time during which the master sent, if it sends chunks one by one
}

// WorkerResult is the part of a worker.
type WorkerResult struct {
	Host   int
	Chunks int
	Tasks  int     // also of copies
	Busy   float64 // computing
	Idle   float64 // from its last chunk to the end of the run
}

// RunBag simulates the distribution and computation of a bag of tasks. All workers ask at the
// beginning, in their order. A worker that has computed a chunk asks for the next one, with its
// report; the master answers requests in order of arrival, by the given policy. The run ends when the
// master has all results.
//
// A request takes the latency of its route and the time of its results' bytes; a chunk takes the same
// with the bytes of its tasks. Messages within a host are free.
func RunBag(ctx context.Context, c *BagConfig) (*BagResult, error) {
	r := &bagRun{BagConfig: c, ctx: ctx, stream: newStream(c.Platform), events: heap[bagEvent]{before: bagEvent.before}}
	if err := r.open(); err != nil {
		return nil, err
	}
	for !r.ended {
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// bagRun is the state of a run.
type bagRun struct {
	*BagConfig
	ctx     context.Context
	stream  *stream
	events  heap[bagEvent]
	numbers int // of events
	now     float64
	err     error
	master  *desk
	desks   []*desk
	workers []*bagWorker
	results BagResult
	done    int // tasks whose results the master has
	ended   bool
	fails   bool // a host may have a share of 0
}

// bagEvent is an event at a time; simultaneous events are handled in the order of insertion.
type bagEvent struct {
	at     float64
	number int
	do     func(now float64)
}

func (e bagEvent) before(other bagEvent) bool {
	return cmp.Or(cmp.Compare(e.at, other.at), cmp.Compare(e.number, other.number)) < 0
}

func (r *bagRun) at(time float64, do func(now float64)) {
	r.numbers++
	r.events.push(bagEvent{time, r.numbers, do})
}

// step handles the next event.
func (r *bagRun) step() error {
	next := r.stream.next
	if len(r.events.all) > 0 {
		next = min(next, r.events.all[0].at)
	}
	if !(next < never) {
		s := r.master.bag.Stats()
		return fmt.Errorf("%d of %d tasks are not done, and will not be: the hosts that have them, or the links to them, give nothing for ever", r.Bag.Tasks-s.Done, r.Bag.Tasks)
	}
	r.now = next
	if r.stream.next <= next {
		r.stream.step()
	} else {
		r.events.pop().do(next)
	}
	if r.numbers%1024 == 0 && r.err == nil {
		r.err = r.ctx.Err()
	}
	return r.err
}

// send sends a message; arrived is called when it is there.
func (r *bagRun) send(from, to int, bytes float64, arrived func(now float64)) {
	r.results.Messages++
	r.results.Bytes += bytes
	if r.Platform.Hosts[from].Set != r.Platform.Hosts[to].Set {
		r.results.Crossing.Messages++
		r.results.Crossing.Bytes += bytes
	}
	if from == to {
		r.at(r.now, arrived)
		return
	}
	w, err := r.stream.routes.way(from, to)
	if err != nil {
		r.err = err
		return
	}
	if bytes == 0 {
		r.at(r.now+w.latency, arrived)
		return
	}
	r.at(r.now+w.latency, func(now float64) { r.stream.enter(now, w, bytes, arrived) })
}

// open creates desks and workers, and lets all workers ask.
func (r *bagRun) open() error {
	p := r.Platform
	if len(r.Where) == 0 {
		return fmt.Errorf("there are no workers")
	}
	rates := 0.0
	for _, host := range r.Where {
		r.fails = r.fails || len(p.Hosts[host].Share) > 0
		rates += p.Hosts[host].Speed / float64(len(r.Where))
	}
	var sets []int               // with workers, in the workers' order
	workers := make(map[int]int) // of each Set
	for _, host := range r.Where {
		set := p.Hosts[host].Set
		if workers[set]++; workers[set] == 1 {
			sets = append(sets, set)
		}
	}
	members := len(r.Where)
	if r.Managers {
		members = len(sets)
	}
	o := bag.Options{Sequential: r.Bag.Work() / rates}
	b, err := bag.New(r.Bag.Tasks, members, r.Policy, o)
	if err != nil {
		return err
	}
	r.master = r.newDesk(r.Master, b)
	deskOf := make(map[int]*desk)
	if r.Managers {
		for _, set := range sets {
			if deskOf[set], err = r.newManager(p.Sets[set].Manager, workers[set], o); err != nil {
				return err
			}
		}
	}
	r.results.Workers = make([]WorkerResult, len(r.Where))
	for i, host := range r.Where {
		d := r.master
		if r.Managers {
			d = deskOf[p.Hosts[host].Set]
		}
		w := &bagWorker{r: r, number: i, host: int(host), desk: d, model: r.Policy.Model()}
		w.member = d.add(w.host, w.take)
		r.results.Workers[i].Host = int(host)
		r.workers = append(r.workers, w)
		d.queue = append(d.queue, w.member)
	}
	for _, d := range r.desks {
		d.news(false)
	}
	return r.err
}

// result ends the run.
func (r *bagRun) result() *BagResult {
	r.results.Time = r.now
	r.results.Bound = r.Bag.Bound(r.Platform, r.Where)
	r.results.Stats = r.master.bag.Stats()
	r.results.MasterBusy = r.master.sending
	for i, w := range r.workers {
		r.results.Workers[i].Idle = max(0, r.now-w.ended)
		if w.chunk.Number > 0 { // which others have computed too
			r.results.Workers[i].Busy += max(0, min(r.now, w.ended)-w.came)
			r.results.Workers[i].Idle = 0
		}
	}
	return &r.results
}

// bagWorker computes.
type bagWorker struct {
	r      *bagRun
	number int
	host   int
	desk   *desk
	member int // its number at the desk
	model  *bag.Model
	chunk  bag.Chunk
	asked  float64
	came   float64
	ended  float64
	given  float64
}

// take accepts an arrived chunk, and computes it.
func (w *bagWorker) take(now float64, c bag.Chunk, given float64) {
	w.chunk, w.came, w.given = c, now, given
	h := &w.r.Platform.Hosts[w.host]
	work := w.r.Bag.done[c.First+c.Count] - w.r.Bag.done[c.First]
	w.ended = h.Share.End(now, work/h.Speed)
	if w.ended < never {
		w.r.at(w.ended, w.end)
	}
}

// end reports the chunk, and asks for another.
func (w *bagWorker) end(now float64) {
	c := w.chunk
	sum := &w.r.results.Workers[w.number]
	sum.Chunks++
	sum.Tasks += c.Count
	sum.Busy += now - w.came
	if w.r.Report != nil {
		w.r.Report(&ChunkRecord{Worker: w.number, Chunk: c, Asked: w.asked, Given: w.given, Came: w.came, Ended: now})
	}
	w.model.Observe(c.Count, now-w.came)
	report := bag.Report{
		Chunk: c.Number, Computed: now - w.came, Waited: w.came - w.asked, Good: w.model.Good(), Next: w.model.Next(c.Slice),
	}
	w.asked, w.chunk = now, bag.Chunk{}
	w.r.send(w.host, w.desk.host, w.r.Bag.Reply*float64(c.Count), func(now float64) {
		w.desk.ask(now, w.member, report)
	})
}
