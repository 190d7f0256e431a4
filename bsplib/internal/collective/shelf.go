package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// This file carries data that are the same for all processes of a rank: they go once to each rank,
// however many processes that has.
//
// A rank lays such data on its shelf, in memory that all ranks of its node read where the data lie; so
// nothing is sent within a node. A head, at a place that all ranks know, says what has been laid. A rank
// of another node gets a record in the stream (stream.KindShelf) with the length and the data. Long data
// follow the record as a run, when both ranks know that they are in the same collective (between.go).
//
// Who may write when: a shelf has two sides, one for even and one for odd supersteps. What a rank has
// laid in superstep k other ranks read from the barrier at the end of k until they enter the next
// barrier. The rank lays on that side again in k+2, after the barrier at the end of k+1, which all
// ranks have entered by then.
//
// The processes of a rank run one after the other, by pid (package bsplib). The last one to enter a
// collective puts together what all of them have given. The first one to come back does what the rank
// has to do with what has arrived (lead), and the others take the result.

// open begins this superstep's side.
func (r *Rank) open(in part) *side {
	s := r.shelf(r.step())
	if s.step, s.count, s.bytes = r.step(), 0, 0; s.in != in {
		s.in, s.code = in, in.code()
	}
	s.begun, r.laidIn = true, r.step()
	s.shelfHead.ref, s.led, s.announced, s.folded = 0, false, false, false
	s.data, s.given, s.kept = s.inline[:0], s.given[:0], nil
	s.crossing = crossing{}
	return s
}

// opened is open for a superstep within a collective, where all take part.
func (r *Rank) opened(c call, size int) *side {
	s := r.open(part{call: c, size: size})
	s.begun = false
	s.count = r.here()
	return s
}

// last reports whether the process is the last of its rank to join.
func (s *side) last(r *Rank) bool { return s.count == r.here() }

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
		laid := s.data
		s.data = r.regionOf(s, at+n)
		if len(laid) > 0 && memory.At(laid) != memory.At(s.data) {
			copy(s.data, laid)
		}
		s.shelfHead.ref = s.ref
	}
	s.data = s.data[:at+n]
	s.bytes = uint64(at + n)
	return s.data[at:]
}

// regionOf is the side's memory, of n bytes or more. That of the next superstep's side may be written
// from the end of the exchange on: no other rank reads it any more.
func (r *Rank) regionOf(s *side, n int) []byte {
	if n <= cap(s.region) {
		return s.region
	}
	s.region = r.comm.Alloc(max(n, 2*len(s.region), 4<<10), true)
	if s.ref = r.comm.Share(s.region); s.ref != 0 && r.comm.Reach(r.comm.Rank(), s.ref) == nil {
		s.ref = 0 // others have no address for it
	}
	return s.region
}

// recordHead is what a record has in front of its data: the length of all of them.
const recordHead = 8

// write writes a record for a rank of another node, which says that this rank has n bytes, with room for
// those of them that come in the stream.
func (p *Member) write(rank, n, room int) []byte {
	at := p.r.stream.Out.To(rank).Record(p.Pid, 16+recordHead+memory.Pad(room))
	w := (*[3]uint64)(at)
	w[0], w[1], w[2] = stream.Word0(stream.KindShelf, 0, p.Pid), uint64(recordHead+room), uint64(n)
	return unsafe.Slice((*byte)(unsafe.Add(at, 16+recordHead)), room)
}

// longShelf is the length from which data between nodes are runs: less than for Puts, as no
// copy is made of it.
const longShelf = 32 << 10

// offer brings what has been laid to all ranks with processes. All of them do that.
func (p *Member) offer(s *side, t *layout) {
	for _, rank := range t.members {
		switch {
		case p.r.reads(s, rank):
		case len(s.data) >= longShelf:
			p.write(rank, len(s.data), 0)
			s.announced = true
		default:
			p.send(rank, s.data)
		}
	}
}

// offerTo brings what has been laid to one rank.
func (p *Member) offerTo(s *side, rank int) {
	if !p.r.reads(s, rank) {
		p.send(rank, s.data)
	}
}

// reads reports whether a rank can read what this one has laid where it lies.
func (r *Rank) reads(s *side, rank int) bool {
	return rank == r.comm.Rank() || r.stream.Peers.Shares(rank) && (s.shelfHead.ref != 0 || len(s.data) <= len(s.inline))
}

// send sends data to a rank of another node.
func (p *Member) send(rank int, data []byte) {
	memory.Copy(memory.At(p.write(rank, len(data), len(data))), memory.At(data), len(data))
}

// Arrived takes in a record from a rank of another node.
func (r *Rank) Arrived(src int, bytes []byte) {
	c, n := &r.shelf(r.step()).came[src], int(*memory.Word(bytes, 16))
	if *c = (record{}); n > 0 && *memory.Word(bytes, 8) == recordHead {
		c.awaited = n
		r.awaits += lines(n)
	} else {
		c.data = bytes[16+recordHead : 16+recordHead+n]
	}
}

// from returns what a rank has laid in this collective.
func (r *Rank) from(s *side, rank int) []byte {
	if rank == r.comm.Rank() {
		return s.data
	}
	if head := r.headOf(rank, s.step); head != nil {
		n := int(head.bytes)
		if head.ref != 0 {
			if x := &s.reached[rank]; x.ref != head.ref {
				*x = reached{head.ref, r.comm.Reach(rank, head.ref)}
			}
			return unsafe.Slice((*byte)(s.reached[rank].at), n)
		}
		if n <= len(head.inline) {
			return head.inline[:n]
		}
	}
	return s.came[rank].data
}

// longGiven is the length from which the memory that a process gives is read where it
// lies: it is too long for a stack, which may move.
const longGiven = stream.ShareCopy

// give enters what the process gives to its rank.
func (p *Member) give(s *side, data []byte) {
	if len(data) >= longGiven {
		s.given = append(s.given, given{p.Pid, memory.OnHeap(memory.At(data))})
		return
	}
	words := memory.Pad(len(data)) / 8
	if need := words * p.r.here(); len(s.values) < need {
		s.values = make([]uint64, need)
	}
	at := unsafe.Pointer(unsafe.SliceData(s.values[len(s.given)*words:]))
	memory.Copy(at, memory.At(data), len(data))
	s.given = append(s.given, given{p.Pid, at})
}

// lasts reports whether the library may read this memory of the process after the exchange: the memory
// is not in a message that has come, which the exchange takes away, and no Get is written there.
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
	memory.Copy(memory.At(s.resultRoom(len(x))), memory.At(x), len(x))
}

// resultRoom is memory for n bytes that the rank's processes take.
func (s *side) resultRoom(n int) []byte {
	if words := memory.Pad(n) / 8; len(s.results) < words {
		s.results = make([]uint64, words)
	}
	return memory.Bytes(s.results)[:n]
}

// land makes room for n bytes that come as runs.
func (r *Rank) land(s *side, n int) []byte {
	if len(s.landed) < n {
		s.landed = r.comm.Alloc(n, true)
	}
	return s.landed[:n]
}
