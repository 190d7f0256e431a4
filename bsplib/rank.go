package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// What ranks tell each other at every barrier.
const (
	flagSync     mpi.Flags = 1 << iota // a process of the rank called Sync
	flagEnd                            // a process of the rank has ended
	flagRegister                       // there are registrations
	flagGet                            // there are Gets
	flagAsk                            // some of them need a reply
	flagTake                           // HPPuts have left copying to the receiver
	flagFail                           // a process of the rank has returned an error
)

// rank drives its processes through the supersteps: each runs as a coroutine
// until its Sync, then all ranks exchange once.
type rank struct {
	comm  mpi.Comm
	n     int     // processes in all
	where []int32 // rank of each process
	local []*Proc // this rank's processes by pid, nil for others
	procs []*Proc // the same in the order of their pids

	step   int
	flags  mpi.Flags
	site   uintptr // of this superstep's first Sync on this rank
	over   bool    // all processes on all ranks have ended
	closed bool    // the run has failed: processes that go on must leave

	data, side *mpi.Lane
	boxes      []outbox  // by destination rank
	route      []*outbox // by destination process
	cursors    []cursor
	dir        directory
	filled     []*queue // with messages in them
	requests   []request
	read       []byte          // what Gets have read and not yet written
	readSlots  map[uint64]bool // areas of this rank that Gets read from, once asked for
	replyAt    []int           // by rank: how much of its replies has been used
	lent       []mpi.Ref

	progress progress
	start    time.Time
	mark     time.Duration // when the current work or barrier began
	account  account
	failure  *Error
}

// newRank makes the rank of comm with its share of n processes, in blocks.
func newRank(comm mpi.Comm, n int, body func(*Proc) error) *rank {
	size := comm.Size()
	r := &rank{
		comm: comm, n: n, step: 1,
		where: make([]int32, n), route: make([]*outbox, n), local: make([]*Proc, n),
		data: comm.Lane(0), side: comm.Lane(1),
		boxes: make([]outbox, size), replyAt: make([]int, size),
	}
	r.dir.said = make([]saying, n)
	for to := range size {
		for pid := to * n / size; pid < (to+1)*n/size; pid++ {
			r.where[pid] = int32(to)
			r.route[pid] = &r.boxes[to]
			if to == comm.Rank() {
				p := newProc(r, pid, body)
				r.local[pid] = p
				r.procs = append(r.procs, p)
			}
		}
	}
	r.openBoxes()
	return r
}

func newProc(r *rank, pid int, body func(*Proc) error) *Proc {
	p := &Proc{pid: pid, n: r.n, rank: r}
	p.mail = p.makeQueue(8, 0)
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		defer p.catch()
		err := body(p)
		p.returns = true
		if err != nil && p.failure == nil {
			p.failure = p.returned(err)
		}
	})
	return p
}

// catch turns a panic of the program into the process's failure.
func (p *Proc) catch() {
	p.ended = true
	switch v := recover().(type) {
	case nil:
		if !p.returns && p.failure == nil {
			p.failure = &Error{
				Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.step, Site: programSite(),
				Text: "the process called runtime.Goexit",
			}
		}
	case leave:
	case *Error:
		if v.Pid < 0 {
			v.Pid, v.Rank, v.Superstep = p.pid, p.rank.comm.Rank(), p.rank.step
		}
		p.failure = v
	default:
		p.failure = &Error{
			Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.step,
			Text: fmt.Sprintf("panic: %v", v), Site: programSite(), Stack: panicStack(),
		}
	}
}

// panicStack is the stack of the panic that is being recovered, from the frame
// that panicked on.
func panicStack() string {
	lines := strings.SplitAfter(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+2 < len(lines) {
			return strings.Join(lines[i+2:], "")
		}
	}
	return strings.Join(lines, "")
}

func (p *Proc) returned(err error) *Error {
	return &Error{
		Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.step,
		Text: err.Error(), Err: err, returned: true,
	}
}

// drive runs the processes to their end. A nil result means that all ended
// well, on all ranks.
func (r *rank) drive() *Error {
	defer func() {
		r.closed = true
		for _, p := range r.procs {
			p.stop()
		}
	}()
	if err := r.exchangeProgress(); err != nil {
		return err
	}
	r.start = time.Now()
	for !r.over {
		for _, p := range r.procs {
			if !p.ended {
				p.next()
			}
			if r.failure != nil {
				return r.failure
			}
			if p.ended {
				r.worked(p)
				r.flags |= flagEnd
			}
			if f := p.failure; f != nil {
				if !f.returned {
					return f
				}
				r.flags |= flagFail
			}
		}
		if err := r.barrier(); err != nil {
			if errors.Is(err, ErrNotVerified) {
				return cmp.Or(r.ship(), err)
			}
			return err
		}
	}
	if err := r.ship(); err != nil {
		return err
	}
	r.releaseAll()
	return nil
}

// releaseAll gives all memory back to the engine, after the last superstep.
func (r *rank) releaseAll() {
	r.progress.forget(r.comm)
	for _, p := range r.procs {
		for _, a := range p.areas {
			if a != nil {
				p.release(a)
			}
		}
	}
}

func (r *rank) now() time.Duration { return time.Since(r.start) }
