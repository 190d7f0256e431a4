package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// This file transfers data that are the same for all processes of a rank: they are sent once to each
// rank, regardless of its number of processes.
//
// A rank publishes such data in a slot: memory that all ranks of its node read in place, so that
// no data are sent within a node. A header, at an address that all ranks know, describes the
// data. A rank of another node receives a record in the stream (stream.KindCollective) with the length
// and the data. Long data follow the record as a run, after both ranks have verified that they are
// in the same collective (between.go).
//
// Writes are synchronized as follows. A rank has two slots, for even and odd supersteps. Other
// ranks read the data published in superstep k from the barrier at the end of k until they enter the
// next barrier. The rank uses that slot again in k+2, after the barrier at the end of k+1, which
// all ranks have entered by then.
//
// The processes of a rank run one after another, by pid (package bsplib). The last to enter a
// collective combines the data of all of them. The first to return does the rank's work with the
// received data (lead), and the others read the result.

// open resets this superstep's exchange for a collective.
func (r *Rank) open(in part) *exchange {
	s := r.exchangeOf(r.step())
	if s.step, s.count, s.bytes = r.step(), 0, 0; s.in != in {
		s.in, s.code = in, in.code()
	}
	s.begun, r.lastStep = true, r.step()
	s.slotHeader.ref, s.led, s.announced, s.folded = 0, false, false, false
	s.data, s.contributions, s.kept = s.inline[:0], s.contributions[:0], nil
	s.crossing = crossing{}
	return s
}

// openNext is like open, but for later supersteps of a collective. All processes participate in them.
func (r *Rank) openNext(c call, size int) *exchange {
	s := r.open(part{call: c, size: size})
	s.begun = false
	s.count = r.here()
	return s
}

// last reports whether the process is the last of its rank to join.
func (s *exchange) last(r *Rank) bool { return s.count == r.here() }

// lead reports whether the process is the first of its rank to return.
func (s *exchange) lead() bool {
	first := !s.led
	s.led = true
	return first
}

// reserve allocates n bytes in the slot.
func (r *Rank) reserve(s *exchange, n int) []byte {
	at := memory.Pad(len(s.data))
	if at+n > cap(s.data) {
		laid := s.data
		s.data = r.regionOf(s, at+n)
		if len(laid) > 0 && memory.At(laid) != memory.At(s.data) {
			copy(s.data, laid)
		}
		s.slotHeader.ref = s.ref
	}
	s.data = s.data[:at+n]
	s.bytes = uint64(at + n)
	return s.data[at:]
}

// regionOf returns the slot's memory, at least n bytes. The memory of the next superstep's slot may
// be written after the exchange has ended, because other ranks have finished reading it.
func (r *Rank) regionOf(s *exchange, n int) []byte {
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
	w[0], w[1], w[2] = stream.Word0(stream.KindCollective, 0, p.Pid), uint64(recordHead+room), uint64(n)
	return unsafe.Slice((*byte)(unsafe.Add(at, 16+recordHead)), room)
}

// longData is the minimum length of data that are sent as runs between nodes. It is less than for
// Puts, because the data are not copied.
const longData = 32 << 10

// publish sends the published data to all ranks with processes. All of these ranks call it.
func (p *Member) publish(s *exchange, t *layout) {
	for _, rank := range t.members {
		switch {
		case p.r.reads(s, rank):
		case len(s.data) >= longData:
			p.write(rank, len(s.data), 0)
			s.announced = true
		default:
			p.send(rank, s.data)
		}
	}
}

// publishTo sends the published data to a rank.
func (p *Member) publishTo(s *exchange, rank int) {
	if !p.r.reads(s, rank) {
		p.send(rank, s.data)
	}
}

// reads reports whether a rank can read this rank's published data in place.
func (r *Rank) reads(s *exchange, rank int) bool {
	return rank == r.comm.Rank() || r.stream.Peers.Shares(rank) && (s.slotHeader.ref != 0 || len(s.data) <= len(s.inline))
}

// send sends data to a rank of another node.
func (p *Member) send(rank int, data []byte) {
	memory.Copy(memory.At(p.write(rank, len(data), len(data))), memory.At(data), len(data))
}

// Arrived stores a record from a rank of another node.
func (r *Rank) Arrived(src int, bytes []byte) {
	c, n := &r.exchangeOf(r.step()).received[src], int(*memory.Word(bytes, 16))
	if *c = (record{}); n > 0 && *memory.Word(bytes, 8) == recordHead {
		c.announced = n
		r.announcedBytes += cacheLines(n)
	} else {
		c.data = bytes[16+recordHead : 16+recordHead+n]
	}
}

// from returns the data that a rank has published in this collective.
func (r *Rank) from(s *exchange, rank int) []byte {
	if rank == r.comm.Rank() {
		return s.data
	}
	if header := r.headerOf(rank, s.step); header != nil {
		n := int(header.bytes)
		if header.ref != 0 {
			if x := &s.reached[rank]; x.ref != header.ref {
				*x = reached{header.ref, r.comm.Reach(rank, header.ref)}
			}
			return unsafe.Slice((*byte)(s.reached[rank].at), n)
		}
		if n <= len(header.inline) {
			return header.inline[:n]
		}
	}
	return s.received[rank].data
}

// longContribution is the minimum length of data that are read in place from a process's memory. Such data
// are too long to be on a stack, which may move.
const longContribution = stream.ShareCopy

// contribute adds the process's data to its rank's contributions.
func (p *Member) contribute(s *exchange, data []byte) {
	if len(data) >= longContribution {
		s.contributions = append(s.contributions, contribution{p.Pid, memory.OnHeap(memory.At(data))})
		return
	}
	words := memory.Pad(len(data)) / 8
	if need := words * p.r.here(); len(s.values) < need {
		s.values = make([]uint64, need)
	}
	at := unsafe.Pointer(unsafe.SliceData(s.values[len(s.contributions)*words:]))
	memory.Copy(at, memory.At(data), len(data))
	s.contributions = append(s.contributions, contribution{p.Pid, at})
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

// dropReferences drops references to memory of the program.
func (s *exchange) dropReferences() { clear(s.contributions) }

// ownRoom returns n bytes of the rank's memory, valid until the next call.
func (r *Rank) ownRoom(n int) []byte {
	if len(r.mine) < n {
		r.mine = r.comm.Alloc(n, true)
	}
	return r.mine[:n]
}

// keep stores a result for the rank's other processes.
func (s *exchange) keep(r *Rank, x []byte) {
	if r.here() == 1 {
		return
	}
	memory.Copy(memory.At(s.resultRoom(len(x))), memory.At(x), len(x))
}

// resultRoom returns memory for a result of n bytes that the rank's processes read.
func (s *exchange) resultRoom(n int) []byte {
	if words := memory.Pad(n) / 8; len(s.results) < words {
		s.results = make([]uint64, words)
	}
	return memory.Bytes(s.results)[:n]
}

// receiveRoomOf returns memory for n bytes received as runs.
func (r *Rank) receiveRoomOf(s *exchange, n int) []byte {
	if len(s.receiveRoom) < n {
		s.receiveRoom = r.comm.Alloc(n, true)
	}
	return s.receiveRoom[:n]
}
