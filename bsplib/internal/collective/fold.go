package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// This file implements reductions by exchanges that fold (mpi.Fold): each rank sends data to one
// rank, which combines the data of all, and the exchange sends the result to all ranks. Exchanges
// fold if several nodes share the cores of one machine.
//
// A rank sends the code of its collective and its published data. The folding rank combines the data in
// the tree over the pids, as every rank would. It does so only if all codes are equal, because
// it folds before the ranks can detect a mismatch.

// codeRoom is the size of the code in front of the data, in bytes.
const codeRoom = 8

// folds reports whether the next exchange can fold n bytes of each process.
func (r *Rank) folds(n int) bool {
	if r.folder == nil || n == 0 {
		return false
	}
	t := r.layout()
	at, most := r.folder.At, r.folder.Most
	return most >= codeRoom+t.widest*n && len(t.procs[at]) > 0
}

// giveToFold passes the rank's published data to the exchange to be folded.
func (r *Rank) giveToFold(s *exchange) {
	r.folder.Head, r.folder.Body = unsafe.Slice((*byte)(unsafe.Pointer(&s.code)), codeRoom), s.data
	r.stream.Ways.Sent(r.folder.At, codeRoom+len(s.data))
}

// fold returns the result of the data of all ranks, or nil if they are not in the same collective.
func (r *Rank) fold(given [][]byte) []byte {
	defer r.keepPanic()
	t, s := r.layout(), r.exchangeOf(r.step())
	if s.step != r.step() || !s.folded {
		return nil
	}
	for _, rank := range t.members {
		if given[rank] == nil || *memory.Word(given[rank], 0) != uint64(s.code) {
			return nil
		}
	}
	if n := s.in.size; len(r.result) < n {
		r.result = memory.Bytes(make([]uint64, memory.Pad(n)/8))
	}
	made := r.result[:s.in.size]
	r.reducer.fold(r, given, made)
	return made
}

// folded returns the result of the exchange.
func (p *Member) folded(s *exchange) []byte {
	made := p.r.folder.Made
	if len(made) == 0 {
		p.exchange(s.in.call) // joins the folding rank, where the operation has panicked
		p.Fail(Mismatch, "%v: its operation has panicked on another rank", s.in)
	}
	return made
}

// keepPanic is deferred around the program's operation in a barrier. If the operation panics, the
// first process that returns from the barrier panics with its value (unbroken).
func (r *Rank) keepPanic() {
	if v := recover(); v != nil && r.panicValue == nil {
		r.panicValue = r.caught(v)
	}
}

// unbroken panics if the operation has panicked in the barrier.
func (p *Member) unbroken() {
	if v := p.r.panicValue; v != nil {
		p.r.panicValue = nil
		panic(v)
	}
}

// exchange is a collective's Sync.
func (p *Member) exchange(c call) {
	p.Collecting = true
	p.EndSuperstep(c.site())
	p.Collecting = false
	p.unbroken()
}
