package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// This file is about collectives whose data goes with the exchange itself (mpi.Fold): where all
// ranks share the cores of one machine and are several nodes, exchanges go up a tree and down
// again, and one rank makes of what all have given what all get.
//
// Each rank gives the header of its collective, and that of little data gives these too: the rank
// that folds combines them, in the tree over the pids as everybody else would. Its verdict is
// that all take part in the same collective, with the result; or two headers that differ, of
// which each process has one that is not its own. Then no rank waits for data of another.

// folds reports whether the next exchange folds n bytes of each process, beside headers.
func (r *Rank) folds(n int) bool {
	if r.folder == nil {
		return false
	}
	t := r.layout()
	at, most := r.folder.At, r.folder.Most
	return most >= max(shelfHeader+t.widest*n, verdictBytes) && len(t.procs[at]) > 0
}

// giveHeader gives the header of this superstep's collective to the exchange when all processes of
// the rank have come to it, and what the rank has laid if that is to be folded.
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

// A verdict begins with a word that says whether all agree. If they do the result follows, else
// two opinions.
type opinion struct {
	rank  int
	given int // whether the rank has given a header: 1, or 0
	header
}

const (
	opinionBytes = int(unsafe.Sizeof(opinion{}))
	verdictBytes = 8 + 2*opinionBytes
)

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
	first := opinionOf(t.members[0], given)
	for _, rank := range t.members[1:] {
		other := opinionOf(rank, given)
		if first.given == 1 && other.given == 1 && first.says(&other) {
			continue
		}
		r.made[0] = 0
		*(*opinion)(memory.At(made[8:])) = first
		*(*opinion)(memory.At(made[8+opinionBytes:])) = other
		return made[:verdictBytes]
	}
	r.made[0] = 1
	if n > 0 {
		r.reducer.fold(r, given, made[8:8+n])
	}
	return made[:8+n]
}

func opinionOf(rank int, given [][]byte) opinion {
	o := opinion{rank: rank}
	if data := given[rank]; data != nil {
		o.given, o.header = 1, *(*header)(memory.At(data))
	}
	return o
}

// says reports whether two headers are of the same collective.
func (o *opinion) says(other *opinion) bool {
	return o.step == other.step && o.call.matches(other.call) && o.root == other.root && o.size == other.size
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

// mustAgree ends the run if not all take part in the collective whose first superstep has ended.
func (p *Member) mustAgree() {
	s := p.r.shelf(p.r.step() - 1)
	if v := p.r.folder.Made; s.begun && s.step == p.r.step()-1 && len(v) > 0 && *memory.Word(v, 0) == 0 {
		p.disagree(s)
	}
}

// disagree ends the run as the verdict says that not all take part in the same collective.
func (p *Member) disagree(s *side) {
	v := p.r.folder.Made
	for at := 8; at < len(v); at += opinionBytes {
		o := (*opinion)(memory.At(v[at:]))
		if o.given == 0 {
			break
		}
		p.compare(s, &o.header, o.rank, int(s.size))
	}
	p.absent(s, s.call)
}

// keepPanic, deferred, keeps what the program's operation panics with in a barrier: for the first
// process that comes back.
func (r *Rank) keepPanic() {
	if v := recover(); v != nil && r.broken == nil {
		r.broken = r.caught(v)
	}
}

// unbroken ends the process with what the operation has panicked with.
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
