package bsplib

import (
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/ledger"
)

// account measures one rank's supersteps and sends them to rank 0 in batches.
type account struct {
	book  *ledger.Book // on rank 0
	on    bool
	work  time.Duration // of all processes in this superstep
	span  time.Duration // from its begin to the end of their work
	worst time.Duration // of the slowest one
	slow  int           // its pid
	batch []measured
	loads loads

	// on rank 0
	begun   time.Duration // when this superstep began
	steps   []moment      // of the batch
	names   map[int64]string
	seen    time.Duration // this machine's time when a process last ended its work
	shipped time.Duration // when the last batch went
	took    time.Duration // and how long that took
	speeds  []float64     // by rank, as declared
	speed   float64       // of all ranks together
	fastest float64       // of them
	step    ledger.Step   // made by summary
}

// moment is where and when a superstep was.
type moment struct {
	number int
	begun  time.Duration
}

// measured is what one rank knows of one superstep.
type measured struct {
	work, span, worst time.Duration
	sync, took        time.Duration // in the barrier, and in all
	h                 int64         // bytes: largest of max(sent, received) of its processes
	slow              int64         // pid of the slowest process, -1 without processes
	site              int64         // where it ended, from anchor; 0 if no process here has said
}

// batchSteps is how many supersteps are sent together at most, and shipEvery how
// long rank 0 lets them wait, longer up to shipLate where sending takes more than one
// part in shipShare of the time; all ranks send at the same time.
const (
	batchSteps = 128
	shipEvery  = 500 * time.Millisecond
	shipLate   = 5 * time.Second
	shipShare  = 200
)

// worked ends a process's work in this superstep.
func (r *rank) worked(p *Proc) {
	if !r.meter.running {
		return
	}
	now := r.wall()
	r.account.seen = now
	work, span := r.meter.lap(now, p.pid, r.step)
	if r.virtual != nil {
		work = r.virtual.compute(p.pid, work)
		span = work
	}
	p.work, p.span = work, span
	a := &r.account
	a.work += work
	a.span += span
	if p.work > a.worst || a.slow < 0 {
		a.worst, a.slow = p.work, p.pid
	}
}

// beginWork starts the measuring of a superstep.
func (r *rank) beginWork() {
	b := r.balance
	r.meter.running = r.meter.on || b != nil && b.trigger.Watching()
	r.listening = r.virtual != nil || r.account.loads.listens() || b != nil && b.trigger.RecordsTraffic()
	if !r.meter.running {
		return
	}
	now := r.wall()
	r.meter.begin(now, len(r.procs))
	if r.account.book != nil {
		r.account.seen = now
		if r.virtual != nil {
			now = r.now()
		}
		r.account.begun = now
	}
	for _, p := range r.procs {
		p.heard = p.heard[:0]
	}
}

// close writes down the superstep that has ended. On an emulated platform it
// took the given time.
func (a *account) close(r *rank, took time.Duration) {
	m := measured{work: a.work, span: a.span, worst: a.worst, took: took, slow: int64(a.slow)}
	if r.site != 0 {
		m.site = int64(r.site) - int64(anchor)
	}
	for _, p := range r.procs {
		m.h = max(m.h, int64(p.sent), int64(p.received))
		p.sent, p.received = 0, 0
	}
	if !a.on {
		a.work, a.span, a.worst, a.slow = 0, 0, 0, -1
		return
	}
	m.sync = max(0, took-a.work)
	if r.virtual == nil {
		now := r.wall()
		m.sync, m.took = now-r.meter.mark, now-r.meter.start
	}
	a.work, a.span, a.worst, a.slow = 0, 0, 0, -1
	a.batch = append(a.batch, m)
	if a.loads.on {
		a.loads.take(r, m.site)
	}
	if a.book != nil {
		a.steps = append(a.steps, moment{r.step, a.begun})
	}
}

func (a *account) full() bool { return len(a.batch) == batchSteps }

// late tells, on rank 0, whether the batch has waited long enough.
func (a *account) late() bool {
	return a.book != nil && a.seen-a.shipped > max(shipEvery, min(shipLate, a.took*shipShare))
}

// ship brings all ranks' batches to rank 0. All ranks call it in the same
// superstep.
func (r *rank) ship() *Error {
	a := &r.account
	if !a.on {
		return nil
	}
	begun := r.wall()
	b := &r.side.Out[0]
	mine := bytesOf(a.batch)
	b.Grow(len(mine))
	b.Bytes = append(b.Bytes, mine...)
	if a.loads.on {
		a.loads.pack(r)
	}
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	if a.loads.on {
		a.loads.hear(r, len(a.batch))
	}
	if a.book != nil {
		for i := range a.steps {
			s := r.summary(i)
			a.book.Enter(s)
			if a.loads.on {
				a.loads.ended(a, s)
			}
		}
		if a.loads.on {
			a.loads.fill(a, math.MaxInt)
		}
		a.shipped, a.took = a.seen, r.wall()-begun
		r.noteProgress()
	}
	a.batch, a.steps = a.batch[:0], a.steps[:0]
	return nil
}

// summary puts together what all ranks measured of the i-th superstep of the
// batch. The result is good until the next call.
func (r *rank) summary(i int) *ledger.Step {
	a := &r.account
	at := a.steps[i]
	s := &a.step
	*s = ledger.Step{
		First: at.number, Last: at.number, Count: 1, At: at.begun,
		Ranks: len(r.side.In), Work: s.Work[:0], SlowestRank: -1, Slowest: -1,
	}
	site := int64(0)
	all, longest := 0.0, 0.0
	for rank, in := range r.side.In {
		m := unsafe.Slice((*measured)(unsafe.Pointer(unsafe.SliceData(in))), len(a.batch))[i]
		s.Work = append(s.Work, m.work)
		s.WorkSum += m.work
		if rank == 0 || m.work < s.WorkMin {
			s.WorkMin = m.work
		}
		if m.work > s.WorkMax || s.SlowestRank < 0 {
			s.WorkMax, s.SlowestRank, s.Slowest, s.SlowestWork = m.work, rank, int(m.slow), m.worst
		}
		if rank == 0 || m.sync < s.Comm {
			s.Comm = m.sync
		}
		if rank == 0 {
			s.Total = m.took
		}
		if site == 0 {
			site = m.site
		}
		s.Lost = max(s.Lost, m.span)
		s.H = max(s.H, m.h)
		all += float64(m.work) * a.speeds[rank]
		longest = max(longest, float64(m.worst)*a.speeds[rank])
	}
	s.Site = a.name(site)
	s.Lost = max(0, s.Lost-s.WorkMax)
	if s.H > 0 {
		s.Talks = 1
	}
	s.Least = min(s.WorkMax, time.Duration(max(all/a.speed, longest/a.fastest)))
	return s
}

// anchor is a place in the program by which others are named: ranks with the same
// program may have it at different addresses.
var anchor = reflect.ValueOf(pcName).Pointer()

// name is file:line of a place where a superstep ended.
func (a *account) name(site int64) string {
	if site == 0 {
		return "end"
	}
	name, known := a.names[site]
	if !known {
		if a.names == nil {
			a.names = make(map[int64]string)
		}
		name = pcName(uintptr(site + int64(anchor)))
		a.names[site] = name
	}
	return name
}
