package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// This file is about exchanges that fold (mpi.Fold): each rank gives something to one rank, which makes
// one result of all, and the exchange brings that result to all ranks. Exchanges fold where several
// nodes share the cores of one machine.
//
// A rank gives the code of its collective and what it has laid. The rank that folds combines the data in
// the tree over the pids, as every rank would. It does so only if all codes are the same: otherwise it
// would combine what does not belong together, before all ranks learn of that.

// codeRoom is what a code takes in front of the data.
const codeRoom = 8

// folds reports whether the next exchange folds n bytes of each process, beside codes.
func (r *Rank) folds(n int) bool {
	if r.folder == nil || n == 0 {
		return false
	}
	t := r.layout()
	at, most := r.folder.At, r.folder.Most
	return most >= codeRoom+t.widest*n && len(t.procs[at]) > 0
}

// giveToFold gives what the rank has laid to the exchange, if that folds it.
func (r *Rank) giveToFold(s *side) {
	r.folder.Head, r.folder.Body = unsafe.Slice((*byte)(unsafe.Pointer(&s.code)), codeRoom), s.data
	r.stream.Ways.Sent(r.folder.At, codeRoom+len(s.data))
}

// fold makes the result of what all ranks have given: nothing if these are not in the same collective.
func (r *Rank) fold(given [][]byte) []byte {
	defer r.keepPanic()
	t, s := r.layout(), r.shelf(r.step())
	if s.step != r.step() || !s.folded {
		return nil
	}
	for _, rank := range t.members {
		if given[rank] == nil || *memory.Word(given[rank], 0) != uint64(s.code) {
			return nil
		}
	}
	if n := s.in.size; len(r.made) < n {
		r.made = memory.Bytes(make([]uint64, memory.Pad(n)/8))
	}
	made := r.made[:s.in.size]
	r.reducer.fold(r, given, made)
	return made
}

// folded returns what the exchange has folded.
func (p *Member) folded(s *side) []byte {
	made := p.r.folder.Made
	if len(made) == 0 {
		p.exchange(s.in.call) // with the rank that folds, on which the operation has panicked
		p.Fail(Mismatch, "%v: its operation has panicked on another rank", s.in)
	}
	return made
}

// keepPanic is deferred where the program's operation runs in a barrier. If the operation panics, the
// first process that comes back panics with that (unbroken).
func (r *Rank) keepPanic() {
	if v := recover(); v != nil && r.broken == nil {
		r.broken = r.caught(v)
	}
}

// unbroken panics if the operation has, in the barrier.
func (p *Member) unbroken() {
	if v := p.r.broken; v != nil {
		p.r.broken = nil
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
