package stream

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// advance moves to the next segment and reports whether the stream has one.
func (c *cursor) advance() bool {
	if len(c.rest) == 0 {
		return false
	}
	c.pid = PidOf(*memory.Word(c.rest, 0))
	return true
}

// take removes the next segment and returns its records.
func (c *cursor) take() []byte {
	end := 16 + int(*memory.Word(c.rest, 8))
	records := c.rest[16:end]
	c.rest = c.rest[end:]
	return records
}

// Deliver applies all received records in the order of the sending processes.
func (s *Stream) Deliver() {
	cs := s.cursors[:0]
	for _, src := range s.Out.Here {
		c := cursor{src: src, rest: s.Data.In[src]}
		if c.advance() {
			cs = append(cs, c)
		}
	}
	if len(cs) > 1 {
		slices.SortFunc(cs, func(a, b cursor) int { return a.pid - b.pid })
	}
	s.cursors = cs
	for len(cs) > 0 {
		c := &cs[0]
		s.apply(c.src, c.take())
		if !c.advance() {
			cs = cs[1:]
			continue
		}
		for i := 1; i < len(cs) && cs[i].pid < cs[i-1].pid; i++ {
			cs[i], cs[i-1] = cs[i-1], cs[i]
		}
	}
}

// apply executes the records of a segment from rank src. Their senders have checked all pids, offsets
// and lengths.
func (s *Stream) apply(src int, b []byte) {
	for i := 0; i < len(b); {
		w := *memory.Word(b, i)
		p := s.Local[PidOf(w)]
		switch KindOf(w) {
		case KindPut:
			i = s.applyPuts(b, i)
			continue
		case KindPutLong:
			pad, n := longSizes(*memory.Word(b, i+16))
			to := unsafe.Add(p.Areas[SlotOf(w)].Base, *memory.Word(b, i+8))
			s.Landings.await(to, n)
			memory.Copy(to, unsafe.Pointer(&b[i+24+pad]), n)
			p.Did.Received += n
		case KindSend:
			count, tag, n := messages(*memory.Word(b, i+8), *memory.Word(b, i+16))
			if q := p.queue(SlotOf(w)); q != nil {
				s.enqueue(q, messagesOf(unsafe.Pointer(&b[i+24]), count, tag, n))
			}
			p.Did.Received += messageWords(count, tag, n)
		case KindReceived:
			p.Did.Received += int(*memory.Word(b, i+8))
			s.Ways.Received(src, int(*memory.Word(b, i+8)))
		case KindServed:
			p.Did.Sent += int(*memory.Word(b, i+8))
			s.Ways.Sent(src, int(*memory.Word(b, i+8)))
		case KindPull:
			s.pull(src, b[i:])
		case KindCollective:
			s.Collectives.Arrived(src, b[i:])
		case KindRun:
			s.land(src, b[i:])
		}
		i = RecordEnd(b, i)
	}
}

// applyPuts writes the consecutive short puts from byte i of b on to one area of one process, and
// returns the offset of their end.
func (s *Stream) applyPuts(b []byte, i int) int {
	base := unsafe.Pointer(unsafe.SliceData(b))
	key := *(*uint64)(unsafe.Add(base, i))
	p := s.Local[PidOf(key)]
	to := p.Areas[SlotOf(key)].Base
	received := 0
	for i < len(b) {
		record := (*[3]uint64)(unsafe.Add(base, i))
		if record[0] != key {
			break
		}
		w := record[1]
		n := int(w & (ShortLimit - 1))
		received += n
		if len(s.Landings.all) > 0 {
			s.Landings.await(unsafe.Add(to, w>>ShortBits), n)
		}
		if n == 8 {
			*(*uint64)(unsafe.Add(to, w>>ShortBits)) = record[2]
			i += 24
			continue
		}
		memory.Copy(unsafe.Add(to, w>>ShortBits), unsafe.Pointer(&record[2]), n)
		i += 16 + memory.Pad(n)
	}
	p.Did.Received += received
	return i
}

// RecordTraffic records for each process the senders of its data in this superstep and the number of
// bytes. Gets are recorded by the requesting rank.
func (s *Stream) RecordTraffic() {
	for _, in := range s.Data.In {
		sender := 0
		for i := 0; i < len(in); i = RecordEnd(in, i) {
			w := *memory.Word(in, i)
			bytes := 0
			switch KindOf(w) {
			case KindSegment:
				sender = PidOf(w)
				continue
			case KindPut:
				bytes = int(*memory.Word(in, i+8) & (ShortLimit - 1))
			case KindPutLong:
				_, bytes = longSizes(*memory.Word(in, i+16))
			case KindSend:
				count, tag, n := messages(*memory.Word(in, i+8), *memory.Word(in, i+16))
				bytes = messageWords(count, tag, n)
			case KindReceived:
				bytes = int(*memory.Word(in, i+8))
			case KindRun:
				bytes = int(*memory.Word(in, i+16))
			default:
				continue
			}
			s.Local[PidOf(w)].Did.Record(sender, bytes)
		}
	}
}

// Refill puts messages that were packed into a queue of a process that has arrived.
func (s *Stream) Refill(q *Queue, all []Packed) {
	for i := range all {
		s.enqueue(q, all[i].messages())
	}
}

// enqueue delivers messages for the coming superstep.
func (s *Stream) enqueue(q *Queue, run Messages) {
	if q.add(run) {
		s.filled = append(s.filled, q)
	}
}

// DropMessages empties the queues of the rank's processes before an exchange. It keeps the messages
// of a process whose Sync is part of a collective.
func (s *Stream) DropMessages() {
	kept := s.filled[:0]
	for _, q := range s.filled {
		if q.Count > 0 && q.Process.Collecting && q.Slot != 0 {
			q.keep()
			kept = append(kept, q)
			continue
		}
		q.drop()
	}
	s.filled = kept
}

// Writes reports whether any arrived data will be written to memory for which interest returns true.
func (s *Stream) Writes(interest func(to unsafe.Pointer, n int) bool) bool {
	for _, src := range s.Out.Here {
		in := s.Data.In[src]
		for i := 0; i < len(in); i = RecordEnd(in, i) {
			w, offset, n := *memory.Word(in, i), 0, 0
			switch KindOf(w) {
			case KindPut:
				offset, n = putWords(*memory.Word(in, i+8))
			case KindPutLong:
				offset = int(*memory.Word(in, i+8))
				_, n = longSizes(*memory.Word(in, i+16))
			case KindRun, KindPull:
				offset, n = int(*memory.Word(in, i+8)), int(*memory.Word(in, i+16))
			default:
				continue
			}
			if interest(unsafe.Add(s.Local[PidOf(w)].Areas[SlotOf(w)].Base, offset), n) {
				return true
			}
		}
	}
	return false
}
