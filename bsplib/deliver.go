package bsplib

import "unsafe"

// recordEnd is where the record at i of stream b ends. For segment headers
// that is the first record in the segment.
func recordEnd(b []byte, i int) int {
	switch kindOf(*wordAt(b, i)) {
	case kindPut:
		return i + 16 + pad8(int(*wordAt(b, i+8)&(shortLimit-1)))
	case kindPutLong:
		return i + 24 + pad8(int(*wordAt(b, i+16)))
	case kindSend:
		tag, n := messageSizes(*wordAt(b, i+8))
		return i + 16 + tag + pad8(n)
	case kindGet:
		return i + 24
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
	for _, in := range r.data.In {
		c := cursor{rest: in}
		if c.advance() {
			cs = insert(cs, c)
		}
	}
	r.cursors = cs
	for len(cs) > 0 {
		c := &cs[0]
		r.apply(c.take())
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

// apply carries out the records of one segment.
func (r *rank) apply(b []byte) {
	var (
		key  uint64 // of the last put
		base unsafe.Pointer
		to   *Proc
	)
	for i := 0; i < len(b); {
		w := *wordAt(b, i)
		switch kindOf(w) {
		case kindPut:
			x := *wordAt(b, i+8)
			if w != key {
				key, to = w, r.local[pidOf(w)]
				base = to.areas[slotOf(w)].base
			}
			n := int(x & (shortLimit - 1))
			copyBytes(unsafe.Add(base, x>>shortBits), unsafe.Pointer(&b[i+16]), n)
			to.received += n
			i += 16 + pad8(n)
		case kindPutLong:
			n := int(*wordAt(b, i+16))
			p := r.local[pidOf(w)]
			copyBytes(unsafe.Add(p.areas[slotOf(w)].base, *wordAt(b, i+8)), unsafe.Pointer(&b[i+24]), n)
			p.received += n
			i += 24 + pad8(n)
		case kindSend:
			tag, n := messageSizes(*wordAt(b, i+8))
			p := r.local[pidOf(w)]
			r.enqueue(p.queues[slotOf(w)], message{unsafe.Pointer(&b[i+16]), n})
			p.received += tag + n
			i += 16 + tag + pad8(n)
		default:
			r.count(w, b[i:])
			i = recordEnd(b, i)
		}
	}
}

// count notes bytes that were moved past the buffers.
func (r *rank) count(w uint64, b []byte) {
	switch kindOf(w) {
	case kindReceived:
		r.local[pidOf(w)].received += int(*wordAt(b, 8))
	case kindServed:
		r.local[pidOf(w)].sent += int(*wordAt(b, 8))
	}
}
