package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// Get records that process p requests n bytes at offset of process pid's part of a. If hp is true,
// the bytes may be copied to their destination at any time until the superstep ends.
func (s *Stream) Get(p *Process, a *Area, pid, offset int, to unsafe.Pointer, n int, hp bool) {
	box := s.Out.Route[pid]
	q := getRequest{to: to, bytes: n, rank: box.Rank, pid: p.Pid}
	if hp {
		q.state = unbuffered
	}
	s.Out.Flags |= FlagGet
	if base := a.View[pid].Base; base != nil {
		q.from = unsafe.Add(base, offset)
		box.Count(p.Pid, Word0(KindServed, a.Slot, pid), n)
	} else if ref := a.View[pid].Far; ref != 0 && n >= attachFrom {
		q.ref, q.at = ref, offset
		box.Count(p.Pid, Word0(KindServed, a.Slot, pid), n)
	} else {
		s.Out.Flags |= FlagReply
		kind := KindGet
		if q.state = waiting; n >= box.runFrom {
			kind, q.state = KindGetRun, asked
			if hp {
				q.state = askedHP
			}
		}
		box.Words(p.Pid, Word0(kind, a.Slot, pid), uint64(offset), uint64(n))
	}
	p.Did.Received += n
	if q.state != waiting { // a reply goes by a lane
		s.Ways.Received(box.Rank, n)
	}
	if s.Recording {
		p.Did.Record(pid, n)
	}
	s.gets.requests = append(s.gets.requests, q)
}

// largeGet is the length, in bytes, above which a Get is checked for whether it can bypass the
// buffer.
const largeGet = 8 << 10

// readGets reads for all Gets whose owner's memory this rank can reach, between the superstep's two
// barriers, while no rank writes. It receives requested runs at their destination, unless a Get reads
// there.
func (s *Stream) readGets() {
	s.gets.read = s.gets.read[:0]
	clear(s.gets.readSlots)
	for i := range s.gets.requests {
		q := &s.gets.requests[i]
		switch q.state {
		case waiting:
			continue
		case asked, askedHP:
			s.takeGet(i)
			continue
		}
		if q.state == unbuffered || q.bytes >= largeGet && s.mayWriteNow(i) {
			s.fetch(q, q.to)
			q.state = done
			continue
		}
		q.state = buffered
		if n := len(s.gets.read) + memory.Pad(q.bytes); n > cap(s.gets.read) {
			s.gets.read = append(make([]byte, 0, max(2*cap(s.gets.read), n)), s.gets.read...)
		}
		at := len(s.gets.read)
		s.gets.read = s.gets.read[:at+memory.Pad(q.bytes)]
		s.fetch(q, unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.gets.read)), at))
	}
}

// takeGet takes the run that request i has asked for.
func (s *Stream) takeGet(i int) {
	q := &s.gets.requests[i]
	to := q.to
	if q.state == asked && !s.mayWriteNow(i) {
		q.apart = memory.At(make([]byte, q.bytes))
		to = q.apart
	}
	s.Out.Runs.Take(q.rank, mpi.Gets, unsafe.Slice((*byte)(to), q.bytes))
	q.state = taken
}

// fetch copies the bytes of a Get to a local address.
func (s *Stream) fetch(q *getRequest, to unsafe.Pointer) {
	if q.from != nil {
		memory.Copy(to, q.from, q.bytes)
	} else {
		s.Peers.copyFrom(q.rank, q.ref, q.at, unsafe.Slice((*byte)(to), q.bytes))
	}
}

// mayWriteNow reports whether request i may write before all Gets have been read: no Get of this
// superstep reads the destination, and no earlier pending request of its process writes to it.
func (s *Stream) mayWriteNow(i int) bool {
	q := &s.gets.requests[i]
	for _, a := range s.Local[q.pid].Areas {
		if a != nil && memory.Overlap(q.to, q.bytes, a.Base, a.Bytes()) && s.isRead(a) {
			return false
		}
	}
	for k, tries := i-1, 0; k >= 0 && s.gets.requests[k].pid == q.pid; k, tries = k-1, tries+1 {
		if tries == 16 {
			return false
		}
		if b := &s.gets.requests[k]; b.state != done && memory.Overlap(q.to, q.bytes, b.to, b.bytes) {
			return false
		}
	}
	return true
}

// isRead reports whether a Get of this superstep reads from an area of one of the
// rank's processes. The first call looks through all that has arrived.
func (s *Stream) isRead(a *Area) bool {
	if s.gets.readSlots == nil {
		s.gets.readSlots = make(map[uint64]bool)
	}
	if len(s.gets.readSlots) == 0 {
		s.gets.readSlots[KindNone] = true // no area's key: it marks that the others have been looked for
		for _, in := range s.Data.In {
			for i := 0; i < len(in); i = RecordEnd(in, i) {
				if w := *memory.Word(in, i); KindOf(w) == KindServed || KindOf(w) == KindGet || KindOf(w) == KindGetRun {
					s.gets.readSlots[Word0(KindGet, SlotOf(w), PidOf(w))] = true
				}
			}
		}
	}
	return s.gets.readSlots[Word0(KindGet, a.Slot, a.Process.Pid)]
}

// answerGets appends the bytes requested by other ranks to the reply lane.
func (s *Stream) answerGets() {
	for src, in := range s.Data.In {
		out := &s.Side.Out[src]
		for i := 0; i < len(in); i = RecordEnd(in, i) {
			w := *memory.Word(in, i)
			kind := KindOf(w)
			if kind != KindGet && kind != KindGetRun {
				continue
			}
			offset, n, owner := *memory.Word(in, i+8), int(*memory.Word(in, i+16)), s.Local[PidOf(w)]
			from := unsafe.Add(owner.Areas[SlotOf(w)].Base, offset)
			owner.Did.Sent += n
			if kind == KindGetRun {
				s.Ways.Sent(src, n)
				s.Out.Runs.Give(src, mpi.Gets, unsafe.Slice((*byte)(from), n), false)
				continue
			}
			out.Grow(memory.Pad(n))
			at := len(out.Bytes)
			out.Bytes = out.Bytes[:at+memory.Pad(n)]
			memory.Copy(unsafe.Add(unsafe.Pointer(unsafe.SliceData(out.Bytes)), at), from, n)
		}
	}
}

// writeGets writes all Gets that are not done yet, in program order.
func (s *Stream) writeGets() {
	read := 0
	clear(s.gets.replyAt)
	for i := range s.gets.requests {
		q := &s.gets.requests[i]
		switch {
		case q.state == done:
		case q.state == taken:
			if q.apart != nil {
				memory.Copy(q.to, q.apart, q.bytes)
			}
		case q.state == buffered:
			memory.Copy(q.to, unsafe.Pointer(&s.gets.read[read]), q.bytes)
			read += memory.Pad(q.bytes)
		default:
			memory.Copy(q.to, unsafe.Pointer(&s.Side.In[q.rank][s.gets.replyAt[q.rank]]), q.bytes)
			s.gets.replyAt[q.rank] += memory.Pad(q.bytes)
		}
		*q = getRequest{}
	}
	s.gets.requests = s.gets.requests[:0]
}

// ServeGets reads for all Gets on all ranks before any rank writes. If asked is true, some Gets need
// a reply.
func (s *Stream) ServeGets(asked bool) error {
	if asked {
		s.answerGets()
	}
	s.readGets()
	s.Ways.Leaving(s.Side, s.Out.Here)
	if _, err := s.comm.Exchange(s.Side, 0); err != nil {
		return err
	}
	s.Ways.Arrived(s.Side, s.Out.Here)
	if err := s.Peers.Failed(); err != nil {
		return err
	}
	if err := s.Landings.Settle(mpi.Gets); err != nil {
		return err
	}
	s.writeGets()
	return nil
}

// Fills reports whether a Get of the process will write to any of these bytes.
func (s *Stream) Fills(pid int, mem []byte) bool {
	for i := range s.gets.requests {
		if q := &s.gets.requests[i]; q.pid == pid && memory.Overlap(memory.At(mem), len(mem), q.to, q.bytes) {
			return true
		}
	}
	return false
}
