package bsplib

import (
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/ledger"
)

// account measures one rank's supersteps and sends them to rank 0 in batches.
type account struct {
	book  *ledger.Book // on rank 0
	on    bool
	work  time.Duration // of all processes in this superstep
	worst time.Duration // of the slowest one
	slow  int           // its pid
	batch []measured
	sites []uintptr // of the batch, on rank 0
}

// measured is what one rank knows of one superstep.
type measured struct {
	work, worst, sync time.Duration
	h                 int64 // bytes: largest of max(sent, received) of its processes
	slow              int64 // pid of the slowest process, -1 without processes
}

// batchSteps is how many supersteps are sent together; all ranks send at the
// same time.
const batchSteps = 128

// worked ends a process's work in this superstep.
func (r *rank) worked(p *Proc) {
	if !r.meter.running {
		return
	}
	p.work = r.meter.lap(r.wall(), p.pid, r.step)
	if r.virtual != nil {
		p.work = r.virtual.compute(p.pid, p.work)
	}
	a := &r.account
	a.work += p.work
	if p.work > a.worst || a.slow < 0 {
		a.worst, a.slow = p.work, p.pid
	}
}

// beginWork starts the measuring of a superstep.
func (r *rank) beginWork() {
	watching := r.balance != nil && r.balance.watching()
	r.meter.running = r.meter.on || watching
	r.listening = r.virtual != nil || watching && !r.balance.deaf
	if !r.meter.running {
		return
	}
	r.meter.begin(r.wall(), len(r.procs))
	for _, p := range r.procs {
		p.heard = p.heard[:0]
	}
}

// keep makes this rank the one that keeps the book, if there is one.
func (a *account) keep(book *ledger.Book) {
	a.book = book
	if book != nil {
		book.Name = func(site uint64) string { return pcName(uintptr(site)) }
	}
}

// close writes down the superstep that has ended. On an emulated platform it
// took the given time.
func (a *account) close(r *rank, took time.Duration) {
	m := measured{work: a.work, worst: a.worst, slow: int64(a.slow)}
	for _, p := range r.procs {
		m.h = max(m.h, int64(p.sent), int64(p.received))
		p.sent, p.received = 0, 0
	}
	if !a.on {
		a.work, a.worst, a.slow = 0, 0, -1
		return
	}
	m.sync = took - a.work
	if r.virtual == nil {
		m.sync = r.wall() - r.meter.mark
	}
	a.work, a.worst, a.slow = 0, 0, -1
	a.batch = append(a.batch, m)
	if a.book != nil {
		a.sites = append(a.sites, r.site)
	}
}

func (a *account) full() bool { return len(a.batch) == batchSteps }

// ship brings all ranks' batches to rank 0. All ranks call it in the same
// superstep.
func (r *rank) ship() *Error {
	a := &r.account
	if !a.on {
		return nil
	}
	b := &r.side.Out[0]
	mine := bytesOf(a.batch)
	b.Grow(len(mine))
	b.Bytes = append(b.Bytes, mine...)
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	if a.book != nil {
		for i, site := range a.sites {
			a.book.Add(r.summary(i, site))
		}
	}
	a.batch, a.sites = a.batch[:0], a.sites[:0]
	return nil
}

// summary puts together what all ranks measured of the i-th superstep of the
// batch.
func (r *rank) summary(i int, site uintptr) ledger.Step {
	s := ledger.Step{Site: uint64(site), Ranks: len(r.side.In), SlowestRank: -1}
	for rank, in := range r.side.In {
		m := unsafe.Slice((*measured)(unsafe.Pointer(unsafe.SliceData(in))), len(r.account.batch))[i]
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
			s.Total = m.work + m.sync
		}
		s.H = max(s.H, m.h)
	}
	return s
}
