package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// This file transfers data that are the same for all processes of a rank: they are sent once to each
// rank, regardless of its number of processes.
//
// A rank lays such data on its shelf, in memory that all ranks of its node read in place, so that
// no data are sent within a node. A head, at an address that all ranks know, describes the laid
// data. A rank of another node receives a record in the stream (stream.KindShelf) with the length
// and the data. Long data follow the record as a run, after both ranks have verified that they are
// in the same collective (between.go).
//
// Writes are synchronized as follows. A shelf has two sides, for even and odd supersteps. Other
// ranks read the data laid in superstep k from the barrier at the end of k until they enter the
// next barrier. The rank uses that side again in k+2, after the barrier at the end of k+1, which
// all ranks have entered by then.
//
// The processes of a rank run one after another, by pid (package bsplib). The last to enter a
// collective combines the data of all of them. The first to return does the rank's work with the
// received data (lead), and the others read the result.

// open resets this superstep's side for a collective.
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

// opened is like open, but for later supersteps of a collective. All processes participate in them.
func (r *Rank) opened(c call, size int) *side {
	s := r.open(part{call: c, size: size})
	s.begun = false
	s.count = r.here()
	return s
}

// last reports whether the process is the last of its rank to join.
func (s *side) last(r *Rank) bool { return s.count == r.here() }

// lead reports whether the process is the first of its rank to return.
func (s *side) lead() bool {
	first := !s.led
	s.led = true
	return first
}

// lay allocates n bytes on the shelf.
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

// regionOf returns the side's memory, at least n bytes. The memory of the next superstep's side may
// be written after the exchange has ended, because other ranks have finished reading it.
func (r *Rank) regionOf(s *side, n int) []byte {
	if n <= cap(s.region) {
		return s.region
	}
	s.region = r.comm.Alloc(max(n, 2*len(s.region), 4<<10), true)
	if s.ref = r.comm.Share(s.region); s.ref != 0 && r.comm.Reach(r.comm.Rank(), s.ref) == nil {
		s.ref = 0 // other ranks cannot address it
	}
	return s.region
}

// recordHead is the size of the total length in front of a record's data.
const recordHead = 8

// write adds a record for a rank of another node, which announces n bytes of data. It returns memory
// of room bytes for the data in the stream.
func (p *Member) write(rank, n, room int) []byte {
	at := p.r.stream.Out.To(rank).Record(p.Pid, 16+recordHead+memory.Pad(room))
	w := (*[3]uint64)(at)
	w[0], w[1], w[2] = stream.Word0(stream.KindShelf, 0, p.Pid), uint64(recordHead+room), uint64(n)
	return unsafe.Slice((*byte)(unsafe.Add(at, 16+recordHead)), room)
}

// longShelf is the minimum length of data that are sent as runs between nodes. It is less than for
// Puts, because the data are not copied.
const longShelf = 32 << 10

// offer sends the laid data to all ranks with processes. All of these ranks call it.
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

// offerTo sends the laid data to a rank.
func (p *Member) offerTo(s *side, rank int) {
	if !p.r.reads(s, rank) {
		p.send(rank, s.data)
	}
}

// reads reports whether a rank can read this rank's laid data in place.
func (r *Rank) reads(s *side, rank int) bool {
	return rank == r.comm.Rank() || r.stream.Peers.Shares(rank) && (s.shelfHead.ref != 0 || len(s.data) <= len(s.inline))
}

// send sends data to a rank of another node.
func (p *Member) send(rank int, data []byte) {
	memory.Copy(memory.At(p.write(rank, len(data), len(data))), memory.At(data), len(data))
}

// Arrived stores a record from a rank of another node.
func (r *Rank) Arrived(src int, bytes []byte) {
	c, n := &r.shelf(r.step()).came[src], int(*memory.Word(bytes, 16))
	if *c = (record{}); n > 0 && *memory.Word(bytes, 8) == recordHead {
		c.awaited = n
		r.awaits += lines(n)
	} else {
		c.data = bytes[16+recordHead : 16+recordHead+n]
	}
}

// from returns the data that a rank has laid in this collective.
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

// longGiven is the minimum length of data that are read in place from a process's memory. Such data
// are too long to be on a stack, which may move.
const longGiven = stream.ShareCopy

// give adds the process's data to its rank's side.
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

// lasts reports whether this memory of the process may be read after the exchange: it is not part
// of a received message, which the exchange frees, and not the destination of a Get.
func (p *Member) lasts(mem []byte) bool {
	for _, in := range p.r.stream.Data.In {
		if memory.Overlap(memory.At(mem), len(mem), memory.At(in), len(in)) {
			return false
		}
	}
	return !p.r.stream.Fills(p.Pid, mem)
}

// letGo drops references to memory of the program.
func (s *side) letGo() { clear(s.given) }

// ownRoom returns n bytes of the rank's memory, valid until the next call.
func (r *Rank) ownRoom(n int) []byte {
	if len(r.mine) < n {
		r.mine = r.comm.Alloc(n, true)
	}
	return r.mine[:n]
}

// keep stores a result for the rank's other processes.
func (s *side) keep(r *Rank, x []byte) {
	if r.here() == 1 {
		return
	}
	memory.Copy(memory.At(s.resultRoom(len(x))), memory.At(x), len(x))
}

// resultRoom returns memory for a result of n bytes that the rank's processes read.
func (s *side) resultRoom(n int) []byte {
	if words := memory.Pad(n) / 8; len(s.results) < words {
		s.results = make([]uint64, words)
	}
	return memory.Bytes(s.results)[:n]
}

// land returns memory for n bytes received as runs.
func (r *Rank) land(s *side, n int) []byte {
	if len(s.landed) < n {
		s.landed = r.comm.Alloc(n, true)
	}
	return s.landed[:n]
}
