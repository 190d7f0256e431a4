package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// This file carries what the processes of a rank have for other ranks as wholes, in
// collectives: it goes once to each rank, however many processes that has.
//
// A rank lays it on its shelf, in memory that all ranks of its node can read where it
// lies. No rank of the node is sent anything: a head in a place that all know says what
// is there and in which superstep it was laid. A rank of another node gets a record in
// the stream (stream.KindShelf) with the same head, and the data behind it or, where they are
// long, as a run: from the memory where they are, which may be the program's,
// into what the receiver has named for them (expect), which may be the program's too.
//
// In an exchange that folds, what has been laid goes to one rank with the exchange itself, and
// the result comes back with it (fold.go). Trees of nodes bring long data to all of
// them in one barrier (relay.go).
//
// Who may write when: a shelf has two sides, used in turn by the parity of the
// superstep. What was laid in superstep k others read from their barrier at its end
// until they enter the next one. The rank lays on that side again in k+2, after the
// barrier at the end of k+1, which all have entered by then. A head of another superstep
// says that its rank does not take part.
//
// The processes of a rank run one after the other, by pid (package bsplib). The last to
// enter a collective puts together what they have given, the first to come back does
// what the rank has to do with what has arrived (lead), and the others take it from
// there.

// open begins this superstep's side.
func (r *Rank) open(c call, root, size int) *side {
	s := r.shelf(r.step())
	s.header = header{step: r.step(), call: c, root: uint64(root), size: uint64(size)}
	s.begun, r.laidIn = true, r.step()
	s.shelfHead.ref, s.led, s.filled, s.own, s.failed = 0, false, nil, nil, nil
	if s.lent != 0 {
		s.lent = 0
	}
	s.data, s.given = s.inline[:0], s.given[:0]
	s.kept, s.placed = nil, false
	s.folded, s.relayed = false, nothing
	s.forgetExpected()
	return s
}

// opened is open for a superstep within a collective, where all take part.
func (r *Rank) opened(c call, size int) *side {
	s := r.open(c, 0, size)
	s.begun = false
	s.count = uint64(r.here())
	return s
}

// last reports whether the process is the last of its rank to join.
func (s *side) last(r *Rank) bool { return s.count == uint64(r.here()) }

// lead reports whether the process is the first of its rank to come back.
func (s *side) lead() bool {
	first := !s.led
	s.led = true
	return first
}

// lay makes room for n bytes on the shelf.
func (r *Rank) lay(s *side, n int) []byte {
	at := memory.Pad(len(s.data))
	if at+n > cap(s.data) {
		if at+n > cap(s.region) {
			if s.ref != 0 {
				r.comm.Withdraw(s.ref)
			}
			old := s.region
			s.region = r.comm.Alloc(max(at+n, 2*len(old), 4<<10), true)
			if s.ref = r.comm.Share(s.region); s.ref != 0 && r.comm.Reach(r.comm.Rank(), s.ref) == nil {
				r.comm.Withdraw(s.ref)
				s.ref = 0 // others have no address for it
			}
			copy(s.region, s.data)
		} else if len(s.data) > 0 && memory.At(s.data) != memory.At(s.region) {
			copy(s.region, s.data)
		}
		s.data = s.region
		s.shelfHead.ref = s.ref
	}
	s.data = s.data[:at+n]
	s.bytes = uint64(at + n)
	return s.data[at:]
}

// ship brings data of this superstep's collective to a rank of another node. Long data
// are a run: they may not change before the exchange has ended.
func (p *Member) ship(s *side, rank int, data []byte) {
	box := p.r.stream.Out.To(rank)
	if len(data) >= shelfFrom(box) {
		box.Runs.Give(rank, mpi.Collectives, memory.Long(data), false)
		p.write(s, rank, len(data), 0)
		return
	}
	memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
}

// shipOwn is ship of memory of the process, a part of so many bytes. What arrives
// meanwhile is not written there before it has been sent (deliver).
func (p *Member) shipOwn(s *side, rank int, data []byte, of int) {
	box := p.r.stream.Out.To(rank)
	switch {
	case len(data) < shelfFrom(box) || of < longGiven:
		memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
	case p.lasts(data):
		s.flying = append(s.flying, memory.Long(data))
		p.ship(s, rank, data)
	case box.Runs.Give(rank, mpi.Collectives, memory.Long(data), true) == nil:
		p.write(s, rank, len(data), 0)
	default:
		memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
	}
}

// write announces n bytes of this superstep's collective in the stream to a rank, and
// makes room behind that for those that come in the stream.
func (p *Member) write(s *side, rank, n, room int) unsafe.Pointer {
	box := p.r.stream.Out.To(rank)
	at := box.Record(p.Pid, 16+shelfHeader+memory.Pad(room))
	w := (*[2]uint64)(at)
	w[0], w[1] = stream.Word0(stream.KindShelf, 0, p.Pid), uint64(shelfHeader+room)
	h := (*header)(unsafe.Add(at, 16))
	*h = s.header
	h.bytes, h.count = uint64(n), uint64(p.r.here())
	box.Passed(n - room)
	return unsafe.Add(at, 16+shelfHeader)
}

// offer brings what has been laid to all ranks but this one: by itself where they can
// read it, else as a message.
func (p *Member) offer(s *side, t *layout) {
	for _, rank := range t.members {
		p.offerTo(s, rank)
	}
}

func (p *Member) offerTo(s *side, rank int) {
	r := p.r
	if rank == r.comm.Rank() {
		return
	}
	if r.stream.Peers.Shares(rank) && (s.shelfHead.ref != 0 || len(s.data) <= len(s.inline)) {
		return
	}
	p.ship(s, rank, s.data)
}

// Arrived takes in a record from a rank of another node.
func (r *Rank) Arrived(src int, bytes []byte) {
	c := &r.shelf(r.step()).came[src]
	if c.step == r.step() {
		return // by takeShelves
	}
	*c = record{step: r.step(), head: (*header)(unsafe.Pointer(&bytes[16]))}
	n := int(c.head.bytes)
	if room := *memory.Word(bytes, 8); n > 0 && room == uint64(shelfHeader) {
		r.coming = append(r.coming, src)
		return
	}
	c.data = bytes[16+shelfHeader : 16+shelfHeader+n]
}

// takeShelves takes the runs of collectives, and waits for them, before anything else of
// what has arrived is written: some of it would be, to where others still read.
func (r *Rank) takeShelves() {
	s := r.shelf(r.step())
	s.forgetExpected()
	r.stream.EachShelf(r.Arrived)
	if len(r.coming) > 0 {
		r.takeRuns()
	}
	r.stream.Out.Runs.Settle(mpi.Collectives) // the barrier asks for its error again
	s.flying = s.flying[:0]
	s.kept = slices.Clone(s.kept)
}

// clashes reports whether something that has arrived is to be written to memory that
// runs of the collective are sent from.
func (r *Rank) clashes() bool {
	s := r.shelf(r.step())
	if len(s.flying) == 0 && s.kept == nil {
		return false
	}
	return r.stream.Writes(s.reads)
}

// reads reports whether runs are sent from these bytes, or they are read later.
func (s *side) reads(to unsafe.Pointer, n int) bool {
	for _, mem := range s.flying {
		if memory.Overlap(to, n, memory.At(mem), len(mem)) {
			return true
		}
	}
	return memory.Overlap(to, n, memory.At(s.kept), len(s.kept))
}

// takeRuns takes the runs that records have announced: to where they are expected.
func (r *Rank) takeRuns() {
	s := r.shelf(r.step())
	defer r.dropEarly(s)
	total := 0
	for _, src := range r.coming {
		if s.placeOf(r, src) == nil {
			total += int(s.came[src].head.bytes+63) &^ 63
		}
	}
	if total > len(s.landed) {
		s.landed = r.comm.Alloc(total, true)
	}
	room := s.landed
	for _, src := range r.coming {
		c := &s.came[src]
		r.stream.Ways.Received(src, int(c.head.bytes))
		if c.data = s.tookEarly(src, int(c.head.bytes)); c.data != nil {
			continue
		}
		if c.data = s.placeOf(r, src); c.data == nil {
			c.data = room[:c.head.bytes]
			room = room[min(int(c.head.bytes+63)&^63, len(room)):]
		}
		r.stream.Out.Runs.Take(src, mpi.Collectives, c.data)
	}
	r.coming = r.coming[:0]
}

// tookEarly returns where a run of so many bytes comes that is taken already, nil if none
// is: what it belongs to has to be looked at.
func (s *side) tookEarly(src, n int) []byte {
	i := slices.IndexFunc(s.early, func(e early) bool { return e.src == src && len(e.to) == n })
	if i < 0 {
		return nil
	}
	to := s.early[i].to
	s.early = slices.Delete(s.early, i, i+1)
	return to
}

// dropEarly takes back what was expected and has not come as a run. The barrier asks for
// an error again.
func (r *Rank) dropEarly(s *side) {
	for _, e := range s.early {
		e.run.Drop()
	}
	s.early = s.early[:0]
}

// expect names the place of what a rank has for this one: memory of the rank's first
// process, or of the next superstep's shelf.
func (s *side) expect(rank int, to []byte) {
	s.into[rank], s.some = to, true
}

// expectSoon is expect of what will be a run, if nothing else is done with that memory until
// the exchange has ended: its receipt is posted at once. The bytes can then leave when their
// announcement does.
func (p *Member) expectSoon(s *side, rank int, to []byte) {
	s.expect(rank, to)
	if r := p.r; len(to) >= shelfFrom(r.stream.Out.To(rank)) {
		s.early = append(s.early, early{rank, to, r.stream.Out.Runs.Take(rank, mpi.Collectives, to)})
	}
}

// nextShelf is n bytes where the next superstep lays, nil if they are not there yet: for what
// arrives at the end of this one, when no other rank reads there any more.
func (r *Rank) nextShelf(n int) []byte {
	if region := r.shelf(r.step() + 1).region; cap(region) >= n {
		return region[:n]
	}
	return nil
}

// placeOf is where the data of a rank are expected, if what has come is that.
func (s *side) placeOf(r *Rank, src int) []byte {
	if h := s.came[src].head; s.some && s.step == r.step() && len(s.into[src]) == int(h.bytes) && h.call.matches(s.call) && h.root == s.root && h.size == s.size {
		return s.into[src]
	}
	return nil
}

func (s *side) forgetExpected() {
	if s.some || len(s.wanted) > 0 {
		clear(s.into)
		clear(s.wanted)
		s.wanted, s.some = s.wanted[:0], false
	}
}

// place completes what the rank's processes want, and lets go of their memory.
func (s *side) place(r *Rank) {
	if !s.some {
		return
	}
	s.placed = len(s.wanted) > 0 && !slices.ContainsFunc(s.wanted, func(w given) bool { return w.n != s.wanted[0].n })
	for src, to := range s.into {
		if to == nil {
			continue
		}
		if s.came[src].step != s.step || s.placeOf(r, src) == nil {
			s.placed = false
		} else if c := s.came[src]; memory.At(c.data) != memory.At(to) {
			copy(to, c.data)
		}
	}
	if s.placed {
		for _, w := range s.wanted[1:] {
			memory.Copy(w.at, s.wanted[0].at, w.n)
		}
	}
	s.forgetExpected()
}

// wants enters memory of the process as one that the whole is wanted in. The first one
// says what is expected where.
func (p *Member) wants(s *side, data []byte) (whole []byte, first bool) {
	w := given{p.Pid, memory.OnHeap(memory.At(data)), len(data)}
	s.wanted = append(s.wanted, w)
	return unsafe.Slice((*byte)(w.at), w.n), len(s.wanted) == 1
}

// from returns what a rank has laid, with its header, or nil where it has not.
func (r *Rank) from(s *side, rank int) (*header, []byte) {
	if rank == r.comm.Rank() {
		return &s.header, s.data
	}
	if head := r.headOf(rank, s.step); head != nil {
		if head.step != s.step {
			return nil, nil
		}
		n := int(head.bytes)
		if head.lent != 0 {
			return &head.header, nil
		}
		if head.ref != 0 {
			if x := &s.reached[rank]; x.ref != head.ref {
				*x = reached{head.ref, r.comm.Reach(rank, head.ref)}
			}
			return &head.header, unsafe.Slice((*byte)(s.reached[rank].at), n)
		}
		if n <= len(head.inline) {
			return &head.header, head.inline[:n]
		}
	}
	if s.came[rank].step != s.step {
		return nil, nil
	}
	return s.came[rank].head, s.came[rank].data
}

// longGiven is the length from which the memory that a process gives is read where it
// lies: it is too long for a stack, which may move.
const longGiven = stream.ShareCopy

// give enters what the process gives to its rank.
func (p *Member) give(s *side, data []byte) {
	if s.size != uint64(len(data)) {
		p.Fail(OutOfBounds, "%s: this process gives %d bytes and one before it %d; all processes must give the same length",
			s.call.name(), len(data), s.size)
	}
	if len(data) >= longGiven {
		s.given = append(s.given, given{p.Pid, memory.OnHeap(memory.At(data)), len(data)})
		return
	}
	words := memory.Pad(len(data)) / 8
	if need := words * p.r.here(); len(s.values) < need {
		s.values = make([]uint64, need)
	}
	at := unsafe.Pointer(unsafe.SliceData(s.values[len(s.given)*words:]))
	memory.Copy(at, memory.At(data), len(data))
	s.given = append(s.given, given{p.Pid, at, len(data)})
}

// quiet reports whether nothing that arrives in this superstep is written into memory of
// the process, and whether it outlasts the exchange: what the library reads there may then
// be read after the barrier too.
func (p *Member) quiet(mem []byte) bool {
	for _, a := range p.Areas {
		if a != nil && memory.Overlap(memory.At(mem), len(mem), a.Base, a.Bytes()) {
			return false
		}
	}
	return p.lasts(mem)
}

// lasts is quiet for memory that Puts may be written into. What messages that have come
// take does not outlast the exchange.
func (p *Member) lasts(mem []byte) bool {
	for _, in := range p.r.stream.Data.In {
		if memory.Overlap(memory.At(mem), len(mem), memory.At(in), len(in)) {
			return false
		}
	}
	return !p.r.stream.Fills(p.Pid, mem)
}

// letGo forgets memory of the program.
func (s *side) letGo() { clear(s.given) }

// ownRoom is memory of the rank for n bytes, until it is asked for again.
func (r *Rank) ownRoom(n int) []byte {
	if len(r.mine) < n {
		r.mine = r.comm.Alloc(n, true)
	}
	return r.mine[:n]
}

// keep keeps a result for the rank's other processes.
func (s *side) keep(r *Rank, x []byte) {
	if r.here() == 1 {
		return
	}
	if words := memory.Pad(len(x)) / 8; len(s.result) < words {
		s.result = make([]uint64, words)
	}
	memory.Copy(memory.At(s.result), memory.At(x), len(x))
}

// land makes room for n bytes that are not expected anywhere.
func (s *side) land(r *Rank, n int) []byte {
	if len(s.landed) < n {
		s.landed = r.comm.Alloc(n, true)
	}
	return s.landed[:n]
}
