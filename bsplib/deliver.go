package bsplib

import "unsafe"

// recordEnd is where the record at i of stream b ends. For segment headers
// that is the first record in the segment.
func recordEnd(b []byte, i int) int {
	switch kindOf(*wordAt(b, i)) {
	case kindPut:
		return i + 16 + pad8(int(*wordAt(b, i+8)&(shortLimit-1)))
	case kindPutLong:
		pad, n := longSizes(*wordAt(b, i+16))
		return i + 24 + pad + pad8(n)
	case kindSend:
		count, tag, n := messages(*wordAt(b, i+8), *wordAt(b, i+16))
		return i + 24 + count*(tag+pad8(n))
	case kindGet:
		return i + 24
	case kindTake:
		return i + 32
	case kindRegister:
		return i + 40
	case kindSegment, kindReceived, kindServed:
		return i + 16
	default:
		panic("bsplib: unknown record in a stream between ranks")
	}
}

// cursor is how far the stream of one source rank has been delivered.
type cursor struct {
	src  int
	pid  int // of the next segment
	rest []byte
}

// advance moves to the next segment and says whether there is one.
func (c *cursor) advance() bool {
	if len(c.rest) == 0 {
		return false
	}
	c.pid = pidOf(*wordAt(c.rest, 0))
	return true
}

// take removes the next segment and returns its records.
func (c *cursor) take() []byte {
	end := 16 + int(*wordAt(c.rest, 8))
	records := c.rest[16:end]
	c.rest = c.rest[end:]
	return records
}

// deliver applies all that has arrived in the order of the sending processes.
func (r *rank) deliver() {
	cs := r.cursors[:0]
	for src, in := range r.data.In {
		c := cursor{src: src, rest: in}
		if c.advance() {
			cs = insert(cs, c)
		}
	}
	r.cursors = cs
	for len(cs) > 0 {
		c := &cs[0]
		r.apply(c.src, c.take())
		if !c.advance() {
			cs = cs[1:]
			continue
		}
		for i := 1; i < len(cs) && cs[i].pid < cs[i-1].pid; i++ {
			cs[i], cs[i-1] = cs[i-1], cs[i]
		}
	}
}

// insert keeps the cursors sorted by pid.
func insert(cs []cursor, c cursor) []cursor {
	cs = append(cs, c)
	for i := len(cs) - 1; i > 0 && cs[i].pid < cs[i-1].pid; i-- {
		cs[i], cs[i-1] = cs[i-1], cs[i]
	}
	return cs
}

// apply carries out the records of a segment from rank src. Their senders have
// checked all pids, offsets and lengths.
func (r *rank) apply(src int, b []byte) {
	for i := 0; i < len(b); {
		w := *wordAt(b, i)
		p := r.local[pidOf(w)]
		switch kindOf(w) {
		case kindPut:
			i = r.applyPuts(b, i)
			continue
		case kindPutLong:
			pad, n := longSizes(*wordAt(b, i+16))
			copyBytes(unsafe.Add(p.areas[slotOf(w)].base, *wordAt(b, i+8)), unsafe.Pointer(&b[i+24+pad]), n)
			p.did.Received += n
		case kindSend:
			count, tag, n := messages(*wordAt(b, i+8), *wordAt(b, i+16))
			r.enqueue(p.queues[slotOf(w)], letters{at: unsafe.Pointer(&b[i+24]), count: count, n: n, step: tag + pad8(n)})
			p.did.Received += count * (tag + n)
		case kindReceived:
			p.did.Received += int(*wordAt(b, i+8))
		case kindServed:
			p.did.Sent += int(*wordAt(b, i+8))
		case kindTake:
			r.take(src, b[i:])
		}
		i = recordEnd(b, i)
	}
}

// applyPuts writes the short puts from byte i of b on that are for one area of
// one process, and returns where they end.
func (r *rank) applyPuts(b []byte, i int) int {
	base := unsafe.Pointer(unsafe.SliceData(b))
	key := *(*uint64)(unsafe.Add(base, i))
	p := r.local[pidOf(key)]
	to := p.areas[slotOf(key)].base
	received := 0
	for i < len(b) {
		record := (*[3]uint64)(unsafe.Add(base, i))
		if record[0] != key {
			break
		}
		w := record[1]
		n := int(w & (shortLimit - 1))
		received += n
		if n == 8 {
			*(*uint64)(unsafe.Add(to, w>>shortBits)) = record[2]
			i += 24
			continue
		}
		copyBytes(unsafe.Add(to, w>>shortBits), unsafe.Pointer(&record[2]), n)
		i += 16 + pad8(n)
	}
	p.did.Received += received
	return i
}
