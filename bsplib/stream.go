package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// This file holds the data path of a program, in the order of its life: the format
// of records, the outbox that writes them for one destination rank, and their
// delivery there. An exchange of the data lane lies in between (superstep.go).
//
// All communication of a superstep between two ranks is one message: a run of
// records, which the sender appends to as the program goes and the receiver carries
// out after the barrier. The order of delivery is a contract of the library (results
// do not depend on where processes are), and the stream keeps it for nothing: records
// of a process stand in program order, processes of a rank by pid, and the receiver
// merges the ranks' streams by pid.

// stream is a rank's end of the data path.
type stream struct {
	data, side *mpi.Lane  // of the program's data, and of what Gets and control messages need
	boxes      []outbox   // by destination rank
	route      []*outbox  // by destination process
	cursors    []cursor   // of deliver
	filled     []*queue   // with messages in them
	runs       mpi.Direct // nil if all ranks share memory
	landings   []landing  // runs that are on their way into areas
}

// What one rank sends to another in a superstep is a run of records, in words
// of 8 bytes. The records of one process follow its segment header; segments
// stand in the order of the processes on the rank, which is by pid, and the
// records within in program order. Word 0 of every record is
//
//	kind (4 bits) | slot (20 bits) | pid (40 bits)
//
// where pid is the process addressed, or for segment and registration the one
// that has sent it.
const (
	kindNone     = iota
	kindSegment  // w1: bytes of records that follow
	kindPut      // w1: offset<<24 | length, then the bytes
	kindPutLong  // w1: offset, w2: padding<<56 | length, then padding and the bytes
	kindGet      // w1: offset, w2: length
	kindSend     // w1: messages<<24 | bytes of tag, w2: length of each, then tag and bytes of each
	kindReceived // w1: bytes that came to the process by another way
	kindServed   // w1: bytes that left the process by another way
	kindPull     // w1: offset, w2: length, w3: ref of memory to copy from
	kindRegister // w1: action, w2: count, w3: hash of the types, w4: ref
	kindShelf    // w1: bytes that follow: a header, and what the rank has laid (collective_shelf.go)
	kindRun      // w1: offset, w2: length of a run that comes by itself
	kindGetRun   // w1: offset, w2: length of a run that is asked for
)

const (
	kindBits = 4
	slotBits = 20
	pidShift = kindBits + slotBits

	shortBits  = 24
	shortLimit = 1 << shortBits // a short put's length is below this
	longPut    = 4 << 10        // from this length a put is sent as a long one, whose bytes begin at a cache line
	padShift   = 56
)

// longSizes takes apart word 2 of a long put.
func longSizes(w uint64) (pad, n int) { return int(w >> padShift), int(w & (1<<padShift - 1)) }

// word0 makes the first word of a record.
func word0(kind, slot, pid int) uint64 {
	return uint64(kind) | uint64(slot)<<kindBits | uint64(pid)<<pidShift
}

// A message record holds a run of messages of one length; oneMessage counts
// them in its word 1, beside the bytes of a padded tag. Messages of a word with a tag of
// half a word or less lie in pairs (messageRun), which pairTag says in place of these bytes.
const (
	messageBits = 24
	oneMessage  = 1 << messageBits
	pairTag     = 4
)

// messages takes apart words 1 and 2 of a message record.
func messages(w1, w2 uint64) (count, tag, n int) {
	return int(w1 >> messageBits), int(w1 & (oneMessage - 1)), int(w2)
}

// messageBytes is how long so many messages are in a record.
func messageBytes(count, tag, n int) int {
	if tag == pairTag {
		return 8 * (count + (count+1)/2)
	}
	return count * (tag + memory.Pad(n))
}

// pairsIn is how many messages lie in so many bytes of pairs.
func pairsIn(n int) int { return n/24*2 + n%24/16 }

// messageWords is what they count in h.
func messageWords(count, tag, n int) int { return count * (memory.Pad(tag) + n) }

func kindOf(w uint64) int { return int(w & (1<<kindBits - 1)) }

func slotOf(w uint64) int { return int(w >> kindBits & (1<<slotBits - 1)) }

func pidOf(w uint64) int { return int(w >> pidShift) }

// outbox writes the records for one destination rank. It knows its last record
// and lets it grow where the next operation goes on from there: a Put at the
// offset where the last one ended, a message like the last one. A loop of Puts of
// one word each then costs 8 bytes a word instead of 24. What grows word by word, Puts and
// pairs of messages, says how long it is when it is complete (seal): its length is that of
// what has been written.
//
// The processes of a rank run one after the other (drive.go), so that a segment is
// opened once for each process and superstep.
type outbox struct {
	base  unsafe.Pointer // of the engine's buffer
	used  int
	limit int

	pid     int    // whose segment is open, -1 if none
	segment int    // where it starts
	key     uint64 // word 0 of the last record if it can grow, else 0
	last    int    // where that record starts
	next    int    // a put's offset behind its last byte; a message's length
	unsaid  bool   // the last record has grown, which its word 1 does not say yet
	half    bool   // the last pair of messages has only its first
	burst   *burst // that its end is lent to, nil if it is not

	target *mpi.Buffer

	runs    mpi.Direct
	to      int // the destination rank
	runFrom int // the length from which a Put or Get is a run
	past    int // bytes of the runs of this superstep

	shelfFrom int // the length from which a collective's data are one
}

// open starts a superstep with an empty buffer of the engine.
func (o *outbox) open(target *mpi.Buffer) {
	o.target = target
	o.base = unsafe.Pointer(unsafe.SliceData(target.Bytes))
	o.used, o.limit = 0, cap(target.Bytes)
	o.pid = -1
	o.key = 0
}

// close hands the records over.
func (o *outbox) close() {
	if o.burst != nil {
		o.burst.finish()
	}
	if o.unsaid {
		o.seal()
	}
	if o.pid >= 0 {
		o.closeSegment()
		o.target.Bytes = unsafe.Slice((*byte)(o.base), o.limit)[:o.used]
	}
}

// seal writes down how much the last record, of Puts or of pairs of messages, has grown to.
func (o *outbox) seal() {
	o.unsaid = false
	if w := o.word(o.last + 8); kindOf(*o.word(o.last)) == kindPut {
		*w = *w&^(shortLimit-1) | uint64(o.used-o.last-16)
	} else {
		*w = uint64(pairsIn(o.used-o.last-24))<<messageBits | pairTag
	}
}

func (o *outbox) closeSegment() {
	*o.word(o.segment + 8) = uint64(o.used - o.segment - 16)
}

func (o *outbox) word(at int) *uint64 { return (*uint64)(unsafe.Add(o.base, at)) }

// room makes place for n more bytes in the segment of process pid and returns
// where they begin; the caller fills them.
func (o *outbox) room(pid, n int) unsafe.Pointer {
	if o.unsaid {
		o.seal()
	}
	if o.pid != pid || o.limit-o.used < n {
		o.makeRoom(pid, n)
	}
	o.last = o.used
	o.used += n
	return unsafe.Add(o.base, o.last)
}

func (o *outbox) makeRoom(pid, n int) {
	if o.burst != nil {
		o.burst.finish()
		o.seal()
	}
	if o.limit-o.used < n+16 {
		o.target.Bytes = unsafe.Slice((*byte)(o.base), o.limit)[:o.used]
		o.target.Grow(n + 16)
		o.base, o.limit = unsafe.Pointer(unsafe.SliceData(o.target.Bytes)), cap(o.target.Bytes)
	}
	if o.pid == pid {
		return
	}
	if o.pid >= 0 {
		o.closeSegment()
	}
	o.pid, o.segment, o.key = pid, o.used, 0
	*o.word(o.used) = word0(kindSegment, 0, pid)
	o.used += 16
}

// put appends n bytes for offset of the area in key's slot of key's process.
func (o *outbox) put(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	if n >= o.runFrom && o.putRun(pid, key, offset, from, n) {
		return
	}
	if o.key == key && o.next == offset && o.pid == pid && n&7 == 0 && o.limit-o.used >= n {
		if o.used-o.last-16+n < shortLimit {
			memory.Copy(unsafe.Add(o.base, o.used), from, n)
			o.used += n
			o.next += n
			o.unsaid = true
			return
		}
	}
	if n >= longPut {
		o.putLong(pid, key, offset, from, n)
		return
	}
	at := o.room(pid, 16+memory.Pad(n))
	head := (*[2]uint64)(at)
	head[0], head[1] = key, uint64(offset)<<shortBits|uint64(n)
	memory.Copy(unsafe.Add(at, 16), from, n)
	o.key, o.next = key, offset+n
	if n&7 != 0 {
		o.key = 0
	}
}

// growsByWord reports whether the last record is one of Puts that a word for offset goes on
// with.
func (o *outbox) growsByWord(pid int, key uint64, offset int) bool {
	return o.key == key && o.next == offset && o.pid == pid && o.limit-o.used >= 8 && o.used-o.last < shortLimit
}

// growByWord adds a word to it.
func (o *outbox) growByWord(value uint64) {
	*o.word(o.used) = value
	o.used += 8
	o.next += 8
	o.unsaid = true
}

// putWord is put of one word that no record grows by.
func (o *outbox) putWord(pid int, key uint64, offset int, value uint64) {
	record := (*[3]uint64)(o.room(pid, 24))
	record[0], record[1], record[2] = key, uint64(offset)<<shortBits|8, value
	o.key, o.next = key, offset+8
}

func (o *outbox) putLong(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	at := o.room(pid, 24+64+memory.Pad(n))
	pad := -(int(uintptr(at)) + 24) & 63
	o.used -= 64 - pad
	head := (*[3]uint64)(at)
	head[0], head[1], head[2] = key-kindPut+kindPutLong, uint64(offset), uint64(pad)<<padShift|uint64(n)
	memory.Copy(unsafe.Add(at, 24+pad), from, n)
	o.key = 0
}

// words appends a record of words only.
func (o *outbox) words(pid int, w ...uint64) {
	copy(unsafe.Slice((*uint64)(o.room(pid, 8*len(w))), len(w)), w)
	o.key = 0
}

// count appends a record of n bytes moved past the buffers, or adds to the
// last one.
func (o *outbox) count(pid int, key uint64, n int) {
	if o.key == key && o.pid == pid {
		*o.word(o.last + 8) += uint64(n)
		return
	}
	head := (*[2]uint64)(o.room(pid, 16))
	head[0], head[1] = key, uint64(n)
	o.key = key
}

// send appends a message of a tag, which takes some room, and n bytes.
func (o *outbox) send(pid int, key uint64, tag unsafe.Pointer, tagBytes, room int, from unsafe.Pointer, n int) {
	size := room + memory.Pad(n)
	var at unsafe.Pointer
	if o.follows(pid, key, n, size) {
		*o.word(o.last + 8) += oneMessage
		at = unsafe.Add(o.base, o.used)
		o.used += size
	} else {
		head := o.room(pid, 24+size)
		w := (*[3]uint64)(head)
		w[0], w[1], w[2] = key, oneMessage|uint64(room), uint64(n)
		at = unsafe.Add(head, 24)
		o.key, o.next = key, n
	}
	memory.Copy(at, tag, tagBytes)
	if n > 0 {
		memory.Copy(unsafe.Add(at, room), from, n)
	}
}

// follows reports whether a message of n bytes, with size bytes in all, can join
// the last record.
func (o *outbox) follows(pid int, key uint64, n, size int) bool {
	return o.key == key && o.next == n && o.pid == pid && o.limit-o.used >= size
}

// joinWords adds a message of a tag and a payload of one word each to the last
// record, which it follows.
func (o *outbox) joinWords(tag, value uint64) {
	*o.word(o.last + 8) += oneMessage
	at := (*[2]uint64)(unsafe.Add(o.base, o.used))
	at[0], at[1] = tag, value
	o.used += 16
}

// sendWords begins a record with such a message.
func (o *outbox) sendWords(pid int, key, tag, value uint64) {
	record := (*[5]uint64)(o.room(pid, 40))
	record[0], record[1], record[2], record[3], record[4] = key, oneMessage|8, 8, tag, value
	o.key, o.next = key, 8
}

// joinPairs is joinWords of a tag of half a word, which makes a pair with the last one if
// that has none.
func (o *outbox) joinPairs(tag uint32, value uint64) {
	at := unsafe.Add(o.base, o.used)
	if o.unsaid = true; o.half {
		*(*uint32)(unsafe.Add(at, pairStep-16)) = tag
		*(*uint64)(at) = value
		o.used += 8
		o.half = false
		return
	}
	*(*uint64)(at) = 0
	*(*uint32)(at) = tag
	*(*uint64)(unsafe.Add(at, 8)) = value
	o.used += 16
	o.half = true
}

// sendPairs begins a record with such a message.
func (o *outbox) sendPairs(pid int, key uint64, tag uint32, value uint64) {
	record := (*[5]uint64)(o.room(pid, 40))
	record[0], record[1], record[2], record[3], record[4] = key, oneMessage|pairTag, 8, 0, value
	*(*uint32)(unsafe.Pointer(&record[3])) = tag
	o.key, o.next, o.half = key, 8, true
}

// recordEnd is where the record at i of stream b ends. For segment headers
// that is the first record in the segment.
func recordEnd(b []byte, i int) int {
	switch kindOf(*memory.Word(b, i)) {
	case kindPut:
		return i + 16 + memory.Pad(int(*memory.Word(b, i+8)&(shortLimit-1)))
	case kindPutLong:
		pad, n := longSizes(*memory.Word(b, i+16))
		return i + 24 + pad + memory.Pad(n)
	case kindSend:
		count, tag, n := messages(*memory.Word(b, i+8), *memory.Word(b, i+16))
		return i + 24 + messageBytes(count, tag, n)
	case kindGet, kindRun, kindGetRun:
		return i + 24
	case kindPull:
		return i + 32
	case kindRegister:
		return i + 40
	case kindSegment, kindReceived, kindServed:
		return i + 16
	case kindShelf:
		return i + 16 + memory.Pad(int(*memory.Word(b, i+8)))
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
	c.pid = pidOf(*memory.Word(c.rest, 0))
	return true
}

// take removes the next segment and returns its records.
func (c *cursor) take() []byte {
	end := 16 + int(*memory.Word(c.rest, 8))
	records := c.rest[16:end]
	c.rest = c.rest[end:]
	return records
}

// deliver applies all that has arrived in the order of the sending processes.
func (r *rank) deliver() {
	if r.laidIn == r.step && r.runs != nil && r.clashes() {
		r.takeShelves()
	}
	cs := r.cursors[:0]
	for _, src := range r.here {
		c := cursor{src: src, rest: r.data.In[src]}
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
	if len(r.coming) > 0 || r.laidIn == r.step && len(r.shelf(r.step).early) > 0 {
		r.takeRuns()
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
		w := *memory.Word(b, i)
		p := r.local[pidOf(w)]
		switch kindOf(w) {
		case kindPut:
			i = r.applyPuts(b, i)
			continue
		case kindPutLong:
			pad, n := longSizes(*memory.Word(b, i+16))
			to := unsafe.Add(p.areas[slotOf(w)].base, *memory.Word(b, i+8))
			r.awaitLandings(to, n)
			memory.Copy(to, unsafe.Pointer(&b[i+24+pad]), n)
			p.did.Received += n
		case kindSend:
			count, tag, n := messages(*memory.Word(b, i+8), *memory.Word(b, i+16))
			r.enqueue(p.queue(slotOf(w)), runOf(unsafe.Pointer(&b[i+24]), count, tag, n))
			p.did.Received += messageWords(count, tag, n)
		case kindReceived:
			p.did.Received += int(*memory.Word(b, i+8))
			r.ways.received(src, int(*memory.Word(b, i+8)))
		case kindServed:
			p.did.Sent += int(*memory.Word(b, i+8))
			r.ways.sent(src, int(*memory.Word(b, i+8)))
		case kindPull:
			r.pull(src, b[i:])
		case kindShelf:
			r.arrivedShelf(src, unsafe.Pointer(&b[i]))
		case kindRun:
			r.land(src, b[i:])
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
		if len(r.landings) > 0 {
			r.awaitLandings(unsafe.Add(to, w>>shortBits), n)
		}
		if n == 8 {
			*(*uint64)(unsafe.Add(to, w>>shortBits)) = record[2]
			i += 24
			continue
		}
		memory.Copy(unsafe.Add(to, w>>shortBits), unsafe.Pointer(&record[2]), n)
		i += 16 + memory.Pad(n)
	}
	p.did.Received += received
	return i
}

// recordTraffic notes for each process which processes sent to it in this superstep,
// and how much. Gets are noted where they are requested.
func (r *rank) recordTraffic() {
	for _, in := range r.data.In {
		sender := 0
		for i := 0; i < len(in); i = recordEnd(in, i) {
			w := *memory.Word(in, i)
			bytes := 0
			switch kindOf(w) {
			case kindSegment:
				sender = pidOf(w)
				continue
			case kindPut:
				bytes = int(*memory.Word(in, i+8) & (shortLimit - 1))
			case kindPutLong:
				_, bytes = longSizes(*memory.Word(in, i+16))
			case kindSend:
				count, tag, n := messages(*memory.Word(in, i+8), *memory.Word(in, i+16))
				bytes = messageWords(count, tag, n)
			case kindReceived:
				bytes = int(*memory.Word(in, i+8))
			case kindRun:
				bytes = int(*memory.Word(in, i+16))
			default:
				continue
			}
			r.local[pidOf(w)].did.Record(sender, bytes)
		}
	}
}

// recordTrafficTimed records traffic, and tells who decides from it what that took.
func (r *rank) recordTrafficTimed() {
	if r.balance == nil || !r.balance.Watching() {
		r.recordTraffic()
		return
	}
	begun := r.clock.Wall()
	r.recordTraffic()
	r.balance.Recorded(r.clock.Wall() - begun)
}

// enqueue delivers messages for the coming superstep.
func (r *rank) enqueue(q *queue, run messageRun) {
	if q.count == 0 {
		q.current = run
		r.filled = append(r.filled, q)
	} else {
		q.waiting = append(q.waiting, run)
		q.later = q.waiting
	}
	q.count += run.count
}

// dropMessages empties the queues of the rank's processes before an exchange,
// but for those of a process whose Sync is part of a collective.
func (r *rank) dropMessages() {
	kept := r.filled[:0]
	for _, q := range r.filled {
		if q.count > 0 && q.proc.collective && q.slot != 0 {
			q.keep()
			kept = append(kept, q)
			continue
		}
		q.waiting = q.waiting[:0]
		q.later, q.count = nil, 0
	}
	r.filled = kept
}

// keep makes the messages that are left outlive the exchange.
func (q *queue) keep() {
	q.waiting = append(q.waiting[:0], q.later...)
	q.later = q.waiting
	q.current.keep()
	for i := range q.later {
		q.later[i].keep()
	}
}

// keep copies the messages out of the engine's buffer.
func (run *messageRun) keep() {
	if run.own {
		return
	}
	if run.pairs {
		*run = run.single()
		return
	}
	mem := make([]uint64, run.count*run.step/8)
	memory.Copy(memory.At(mem), run.at, 8*len(mem))
	run.at, run.own = memory.At(mem), true
}
