package collective

import "github.com/migbsp/migbsp/bsplib/internal/memory"

// This file is about exchanges that fold (mpi.Fold): each rank gives something to one rank, which makes
// one result of all, and the exchange brings that result to all ranks. Exchanges fold where several
// nodes share the cores of one machine.
//
// A rank gives the header of its collective, and with little data also what it has laid. The rank that
// folds compares the headers, and combines the data in the tree over the pids, as every rank would. Its
// result is the verdict: all ranks are in the same collective, with the result of that; or two headers
// that differ, of which each process has one that is not its own. So no rank waits for data that
// another rank does not send.

// folds reports whether the next exchange folds n bytes of each process, beside headers.
func (r *Rank) folds(n int) bool {
	if r.folder == nil {
		return false
	}
	t := r.layout()
	at, most := r.folder.At, r.folder.Most
	return most >= max(shelfHeader+t.widest*n, verdictBytes) && len(t.procs[at]) > 0
}

// giveHeader gives the header of this superstep's collective to the exchange, and what the rank has laid
// if that is to be folded. It does so when the last process of the rank has come to the collective.
func (r *Rank) giveHeader() {
	if r.folder == nil || r.laidIn != r.step() {
		return
	}
	s := r.shelf(r.step())
	if !s.last(r) || !r.folds(0) {
		return
	}
	var body []byte
	if s.folded {
		body = s.data
	}
	r.folder.Head, r.folder.Body = headerBytes(&s.header), body
	r.stream.Ways.Sent(r.folder.At, shelfHeader+len(body))
}

// A verdict begins with a word: 1 if all agree, and the result follows; 0 if not, and two headers
// follow that differ, that of a rank which has given none with superstep 0.
const verdictBytes = 8 + 2*shelfHeader

// fold makes the verdict of what all ranks have given.
func (r *Rank) fold(given [][]byte) []byte {
	defer r.keepPanic()
	t, s := r.layout(), r.shelf(r.step())
	n := 0
	if s.step == r.step() && s.folded {
		n = int(s.size)
	}
	if need := max(8+n, verdictBytes); 8*len(r.made) < need {
		r.made = make([]uint64, memory.Pad(need)/8)
	}
	made := memory.Bytes(r.made)
	headerOf := func(rank int) *header {
		if given[rank] == nil {
			return new(header)
		}
		return (*header)(memory.At(given[rank]))
	}
	first := headerOf(t.members[0])
	for _, rank := range t.members {
		h := headerOf(rank)
		if h.step == 0 || h.step != first.step || !h.call.matches(first.call) || h.root != first.root || h.size != first.size {
			r.made[0] = 0
			copy(made[8+copy(made[8:], headerBytes(first)):], headerBytes(h))
			return made[:verdictBytes]
		}
	}
	r.made[0] = 1
	if n > 0 {
		r.reducer.fold(r, given, made[8:8+n])
	}
	return made[:8+n]
}

// agreed reports whether all ranks take part in this superstep's collective.
func (r *Rank) agreed() bool {
	v := r.folder.Made
	return len(v) > 0 && *memory.Word(v, 0) == 1
}

// agree returns what the exchange has folded.
func (p *Member) agree(s *side) []byte {
	v := p.r.folder.Made
	if len(v) == 0 {
		p.exchange(s.call) // with the rank that folds, on which the operation has panicked
		p.absent(s, s.call)
	}
	return v[8:]
}

// mustAgree ends the run if the verdict says that not all take part in the collective whose first
// superstep has ended.
func (p *Member) mustAgree() {
	s, v := p.r.shelf(p.r.step()-1), p.r.folder.Made
	if !s.begun || s.step != p.r.step()-1 || len(v) == 0 || *memory.Word(v, 0) != 0 {
		return
	}
	for at := 8; at < len(v); at += shelfHeader {
		h := (*header)(memory.At(v[at:]))
		if h.step == 0 {
			break
		}
		p.compareHeader(s, h, int(s.size))
	}
	p.absent(s, s.call)
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
	p.r.giveHeader()
	p.Collecting = true
	p.EndSuperstep(c.site())
	p.Collecting = false
	p.unbroken()
	if p.r.folder != nil {
		p.mustAgree()
	}
}
