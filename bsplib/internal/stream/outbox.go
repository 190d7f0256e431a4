package stream

import (
	"math"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// Flags that streams set in the exchange. Other flags begin at FlagFree.
const (
	FlagRegister mpi.Flags = 1 << iota // the streams contain registrations
	FlagGet                            // processes have called Get
	FlagReply                          // some Gets need a reply
	FlagPull                           // receivers must copy parts of HPPuts
	FlagFree
)

// Outboxes holds a rank's outboxes for all ranks in a superstep.
type Outboxes struct {
	Flags  mpi.Flags // of this superstep
	Untold bool      // the running process has unsent registrations: Registry.Tell must be called
	Here   []int     // ranks that take part
	Route  []*Outbox // by destination process
	Runs   mpi.Comm  // nil if all ranks share memory
	Stream *Stream   // nil for a process that has left its rank

	local []*Process // of Stream
	boxes []Outbox   // by destination rank
	burst Burst
}

// newOutboxes creates the outboxes of a rank. where is the rank of each process, and local has the
// rank's own.
func newOutboxes(comm mpi.Comm, where []int32, local []*Process) *Outboxes {
	o := &Outboxes{Route: make([]*Outbox, len(where)), boxes: make([]Outbox, comm.Size()), local: local}
	for pid, to := range where {
		o.Route[pid] = &o.boxes[to]
	}
	for to := range o.boxes {
		o.boxes[to].Rank, o.boxes[to].runFrom, o.boxes[to].all = to, math.MaxInt, o
	}
	for to, n := range comm.Engine().RunsFrom {
		if n > 0 {
			o.boxes[to].Runs, o.boxes[to].runFrom, o.Runs = comm, n, comm
		}
	}
	return o
}

// To returns the outbox for a rank.
func (o *Outboxes) To(rank int) *Outbox { return &o.boxes[rank] }

// Burst returns the rank's burst.
func (o *Outboxes) Burst() *Burst { return &o.burst }

// Moved changes the rank of a process.
func (o *Outboxes) Moved(pid, rank int) { o.Route[pid] = &o.boxes[rank] }

// Attend sets the ranks that take part.
func (o *Outboxes) Attend(ranks []int) { o.Here = ranks }

// Open starts a superstep with the buffers that the lane's last exchange has emptied.
func (o *Outboxes) Open(data *mpi.Lane) {
	for _, d := range o.Here {
		o.boxes[d].open(&data.Out[d])
	}
}

// Close passes all records to the engine.
func (o *Outboxes) Close() {
	for _, d := range o.Here {
		o.boxes[d].close()
	}
}

// Outbox writes the records for one destination rank. Its last record grows if the next operation
// continues it: a Put at the offset behind the last one, or a message of the same form. So a loop of
// Puts of one word takes 8 bytes for each instead of 24. The length of a record that grows word by
// word, of Puts or of pairs of messages, is stored when it is complete (seal).
//
// The processes of a rank run one after the other, so each process has one segment per superstep.
type Outbox struct {
	base  unsafe.Pointer // of the engine's buffer
	used  int
	limit int

	pid     int    // whose segment is open, -1 if none
	segment int    // where it starts
	key     uint64 // word 0 of the last record if it can grow, else 0
	last    int    // where that record starts
	next    int    // a put's offset behind its last byte; a message's length
	unsaid  bool   // the last record has grown, and its word 1 is out of date
	half    bool   // the last pair of messages lacks its second
	burst   *Burst // that its end is lent to, nil without one

	target *mpi.Buffer
	all    *Outboxes

	Rank    int      // the destination
	Runs    mpi.Comm // nil if no runs go to this rank
	runFrom int      // the length from which a Put or Get is a run
	past    int      // bytes of the runs of this superstep
}

// open starts a superstep with an empty buffer of the engine.
func (o *Outbox) open(target *mpi.Buffer) {
	o.target = target
	o.base = unsafe.Pointer(unsafe.SliceData(target.Bytes))
	o.used, o.limit = 0, cap(target.Bytes)
	o.pid = -1
	o.key = 0
}

// close passes the records to the engine.
func (o *Outbox) close() {
	if o.burst != nil {
		o.burst.Finish()
	}
	if o.unsaid {
		o.seal()
	}
	if o.pid >= 0 {
		o.closeSegment()
		o.target.Bytes = unsafe.Slice((*byte)(o.base), o.limit)[:o.used]
	}
}

// seal stores the length of the last record, of Puts or of pairs of messages, after it has grown.
func (o *Outbox) seal() {
	o.unsaid = false
	if w := o.word(o.last + 8); KindOf(*o.word(o.last)) == KindPut {
		*w = *w&^(ShortLimit-1) | uint64(o.used-o.last-16)
	} else {
		*w = uint64(pairsIn(o.used-o.last-24))<<MessageBits | PairTag
	}
}

func (o *Outbox) closeSegment() {
	*o.word(o.segment + 8) = uint64(o.used - o.segment - 16)
}

func (o *Outbox) word(at int) *uint64 { return (*uint64)(unsafe.Add(o.base, at)) }

// room extends the segment of process pid by n bytes and returns their address. The caller fills
// them.
func (o *Outbox) room(pid, n int) unsafe.Pointer {
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

// Record returns room for a record of n bytes that does not grow.
func (o *Outbox) Record(pid, n int) unsafe.Pointer {
	at := o.room(pid, n)
	o.key = 0
	return at
}

func (o *Outbox) makeRoom(pid, n int) {
	if o.burst != nil {
		o.burst.Finish()
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
	if p := o.all.local[pid]; p != nil && !p.Own() {
		p.Owner.UsedElsewhere()
	}
	if o.pid >= 0 {
		o.closeSegment()
	}
	o.pid, o.segment, o.key = pid, o.used, 0
	*o.word(o.used) = Word0(KindSegment, 0, pid)
	o.used += 16
}

// Put appends n bytes for offset of the area in key's slot of key's process.
func (o *Outbox) Put(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	if n >= o.runFrom && o.putRun(pid, key, offset, from, n) {
		return
	}
	if o.key == key && o.next == offset && o.pid == pid && n&7 == 0 && o.limit-o.used >= n {
		if o.used-o.last-16+n < ShortLimit {
			memory.Copy(unsafe.Add(o.base, o.used), from, n)
			o.used += n
			o.next += n
			o.unsaid = true
			return
		}
	}
	if n >= LongPut {
		o.putLong(pid, key, offset, from, n)
		return
	}
	at := o.room(pid, 16+memory.Pad(n))
	head := (*[2]uint64)(at)
	head[0], head[1] = key, uint64(offset)<<ShortBits|uint64(n)
	memory.Copy(unsafe.Add(at, 16), from, n)
	o.key, o.next = key, offset+n
	if n&7 != 0 {
		o.key = 0
	}
}

// GrowsByWord reports whether a Put of a word at offset can extend the last record.
func (o *Outbox) GrowsByWord(pid int, key uint64, offset int) bool {
	return o.key == key && o.next == offset && o.pid == pid && o.limit-o.used >= 8 && o.used-o.last < ShortLimit
}

// GrowByWord adds a word to the last record.
func (o *Outbox) GrowByWord(value uint64) {
	*o.word(o.used) = value
	o.used += 8
	o.next += 8
	o.unsaid = true
}

// PutWord appends a record for a Put of one word.
func (o *Outbox) PutWord(pid int, key uint64, offset int, value uint64) {
	record := (*[3]uint64)(o.room(pid, 24))
	record[0], record[1], record[2] = key, uint64(offset)<<ShortBits|8, value
	o.key, o.next = key, offset+8
}

func (o *Outbox) putLong(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	at := o.room(pid, 24+64+memory.Pad(n))
	pad := -(int(uintptr(at)) + 24) & 63
	o.used -= 64 - pad
	head := (*[3]uint64)(at)
	head[0], head[1], head[2] = key-KindPut+KindPutLong, uint64(offset), uint64(pad)<<PadShift|uint64(n)
	memory.Copy(unsafe.Add(at, 24+pad), from, n)
	o.key = 0
}

// Words appends a record of words only.
func (o *Outbox) Words(pid int, w ...uint64) {
	copy(unsafe.Slice((*uint64)(o.room(pid, 8*len(w))), len(w)), w)
	o.key = 0
}

// Count appends a record of n bytes moved outside the buffers, or adds n to the last record.
func (o *Outbox) Count(pid int, key uint64, n int) {
	if o.key == key && o.pid == pid {
		*o.word(o.last + 8) += uint64(n)
		return
	}
	head := (*[2]uint64)(o.room(pid, 16))
	head[0], head[1] = key, uint64(n)
	o.key = key
}

// Send appends a message of a tag, which takes some room, and n bytes.
func (o *Outbox) Send(pid int, key uint64, tag unsafe.Pointer, tagBytes, room int, from unsafe.Pointer, n int) {
	size := room + memory.Pad(n)
	var at unsafe.Pointer
	if o.Follows(pid, key, n, size) {
		*o.word(o.last + 8) += OneMessage
		at = unsafe.Add(o.base, o.used)
		o.used += size
	} else {
		head := o.room(pid, 24+size)
		w := (*[3]uint64)(head)
		w[0], w[1], w[2] = key, OneMessage|uint64(room), uint64(n)
		at = unsafe.Add(head, 24)
		o.key, o.next = key, n
	}
	memory.Copy(at, tag, tagBytes)
	if n > 0 {
		memory.Copy(unsafe.Add(at, room), from, n)
	}
}

// Follows reports whether a message of n bytes, with size bytes in all, can join
// the last record.
func (o *Outbox) Follows(pid int, key uint64, n, size int) bool {
	return o.key == key && o.next == n && o.pid == pid && o.limit-o.used >= size
}

// JoinWords adds a message of a tag and a payload of one word each to the last
// record, which it Follows.
func (o *Outbox) JoinWords(tag, value uint64) {
	*o.word(o.last + 8) += OneMessage
	at := (*[2]uint64)(unsafe.Add(o.base, o.used))
	at[0], at[1] = tag, value
	o.used += 16
}

// SendRow sends n contiguous messages of a tag and a payload of one word each.
func (o *Outbox) SendRow(pid int, key uint64, from unsafe.Pointer, n int) {
	for n > 0 {
		k := 1
		if o.Follows(pid, key, 8, 16) {
			k = min(n, (o.limit-o.used)/16)
			memory.Copy(unsafe.Add(o.base, o.used), from, 16*k)
			*o.word(o.last + 8) += uint64(k) * OneMessage
			o.used += 16 * k
		} else {
			first := (*[2]uint64)(from)
			o.SendWords(pid, key, first[0], first[1])
		}
		if n -= k; n > 0 { // for n == 0, from would point past the data
			from = unsafe.Add(from, 16*k)
		}
	}
}

// SendWords begins a record with a message of a tag and a payload of one word each.
func (o *Outbox) SendWords(pid int, key, tag, value uint64) {
	record := (*[5]uint64)(o.room(pid, 40))
	record[0], record[1], record[2], record[3], record[4] = key, OneMessage|8, 8, tag, value
	o.key, o.next = key, 8
}

// JoinPairs adds a message with a tag of half a word to the last record. The message completes the
// last pair if that has only its first.
func (o *Outbox) JoinPairs(tag uint32, value uint64) {
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

// SendPairs begins a record of pairs with a message.
func (o *Outbox) SendPairs(pid int, key uint64, tag uint32, value uint64) {
	record := (*[5]uint64)(o.room(pid, 40))
	record[0], record[1], record[2], record[3], record[4] = key, OneMessage|PairTag, 8, 0, value
	*(*uint32)(unsafe.Pointer(&record[3])) = tag
	o.key, o.next, o.half = key, 8, true
}

// putRun sends the data of a Put as a run. It returns false if the copy cannot be allocated.
func (o *Outbox) putRun(pid int, key uint64, offset int, from unsafe.Pointer, n int) bool {
	if o.Runs.Give(o.Rank, mpi.Puts, unsafe.Slice((*byte)(memory.OnHeap(from)), n), true) != nil {
		return false
	}
	o.Words(pid, key-KindPut+KindRun, uint64(offset), uint64(n))
	o.past += n
	return true
}

// giveRun is putRun for memory that does not change. The memory is too large for a stack.
func (o *Outbox) giveRun(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	o.Words(pid, key, uint64(offset), uint64(n))
	o.past += n
	o.Runs.Give(o.Rank, mpi.Puts, unsafe.Slice((*byte)(memory.OnHeap(from)), n), false)
}

// A Burst is a series of one-word Puts to consecutive elements, or of one-word messages in pairs,
// that the program makes in a loop. After a few such words an outbox lends its end to their area or
// queue, the borrower: Put and Send then write a word there and count it, without further checks.
// That halves the time per word.
//
// A rank has one burst at a time. During a burst the outbox appears full and has no current process,
// so any other write to the outbox reaches makeRoom, which ends the burst first. The end of the
// process's superstep ends it too. Until then the words of the burst are counted neither in the
// outbox nor in the process's sent bytes.
type Burst struct {
	pid  int            // the process that the words are for
	next int            // element of the next Put
	half bool           // the last pair of messages has only its first
	base unsafe.Pointer // of the outbox
	used int            // bytes used, words of the burst included
	last int            // maximum of used before another word

	of    lent
	ends  **Burst // the borrower's pointer to the burst, nil without one
	sent  *int    // bytes that the borrower's process has sent
	pairs bool    // the borrower is a queue

	box   *Outbox // the last box that a word was added to
	count int     // words added to it in a row
}

// lent saves the outbox's fields while it is lent.
type lent struct {
	box   *Outbox // nil if none is
	pid   int
	key   uint64
	limit int
}

// burstAfter is the number of consecutive words after which an outbox is lent. Lending takes as long
// as three or four words.
const burstAfter = 8

// Enough reports whether an outbox has grown by enough words in a row to be lent.
func (b *Burst) Enough(box *Outbox) bool {
	if b.box != box {
		b.box, b.count = box, 0
	}
	if b.count++; b.count < burstAfter {
		return false
	}
	b.count = 0
	return true
}

// Word returns the address for a Put of a word that continues the burst, nil if the Put does not.
func (b *Burst) Word(pid, offset int) unsafe.Pointer {
	if b.pid != pid || b.next != offset || b.used > b.last {
		return nil
	}
	at := unsafe.Add(b.base, b.used)
	b.used += 8
	b.next++
	return at
}

// Takes reports whether a message to process pid continues the burst.
func (b *Burst) Takes(pid int) bool { return b.pid == pid && b.used <= b.last }

// Pair adds a message of a word.
func (b *Burst) Pair(tag uint32, value uint64) {
	at := unsafe.Add(b.base, b.used)
	if b.half {
		*(*uint32)(unsafe.Add(at, pairStep-16)) = tag
		*(*uint64)(at) = value
		b.used += 8
		b.half = false
		return
	}
	*(*uint64)(at) = uint64(tag)
	*(*uint64)(unsafe.Add(at, 8)) = value
	b.used += 16
	b.half = true
}

// lend lends the end of an outbox to a borrower for process pid.
func (b *Burst) lend(box *Outbox, pid, last int, ends **Burst, sent *int) {
	b.Finish()
	b.pid, b.base, b.used, b.last = pid, box.base, box.used, last
	b.of = lent{box, box.pid, box.key, box.limit}
	b.ends, b.sent = ends, sent
	*ends = b
	box.burst, box.pid, box.key, box.limit, box.unsaid = b, -1, 0, box.used, false
}

// Finish returns the outbox, with the words in it.
func (b *Burst) Finish() {
	if b.of.box != nil {
		b.giveBack()
	}
}

func (b *Burst) giveBack() {
	box := b.of.box
	if b.pairs {
		first := box.last + 24
		*b.sent += 16 * (pairsIn(b.used-first) - pairsIn(box.used-first))
		box.half = b.half
	} else {
		*b.sent += b.used - box.used
		box.next += b.used - box.used
	}
	*b.ends = nil
	b.ends, b.sent = nil, nil
	box.used = b.used
	box.pid, box.key, box.limit, box.unsaid, box.burst = b.of.pid, b.of.key, b.of.limit, true, nil
	b.of = lent{}
}
