package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// outbox writes the records for one destination rank. It knows its last record
// and lets it grow where the next operation goes on from there: a Put at the
// offset where the last one ended, a message like the last one.
type outbox struct {
	base  unsafe.Pointer // of the engine's buffer
	used  int
	limit int

	pid     int    // whose segment is open, -1 if none
	segment int    // where it starts
	key     uint64 // word 0 of the last record if it can grow, else 0
	last    int    // where that record starts
	next    int    // a put's offset behind its last byte; a message's length

	target *mpi.Buffer
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
	if o.pid >= 0 {
		o.closeSegment()
		o.target.Bytes = unsafe.Slice((*byte)(o.base), o.limit)[:o.used]
	}
}

func (o *outbox) closeSegment() {
	*o.word(o.segment + 8) = uint64(o.used - o.segment - 16)
}

func (o *outbox) word(at int) *uint64 { return (*uint64)(unsafe.Add(o.base, at)) }

// room makes place for n more bytes in the segment of process pid and returns
// where they begin; the caller fills them.
func (o *outbox) room(pid, n int) unsafe.Pointer {
	if o.pid != pid || o.limit-o.used < n {
		o.makeRoom(pid, n)
	}
	o.last = o.used
	o.used += n
	return unsafe.Add(o.base, o.last)
}

func (o *outbox) makeRoom(pid, n int) {
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
	if o.key == key && o.next == offset && o.pid == pid && n&7 == 0 && o.limit-o.used >= n {
		if w := o.word(o.last + 8); int(*w&(shortLimit-1))+n < shortLimit {
			*w += uint64(n)
			copyBytes(unsafe.Add(o.base, o.used), from, n)
			o.used += n
			o.next += n
			return
		}
	}
	if n >= longPut {
		o.putLong(pid, key, offset, from, n)
		return
	}
	at := o.room(pid, 16+pad8(n))
	head := (*[2]uint64)(at)
	head[0], head[1] = key, uint64(offset)<<shortBits|uint64(n)
	copyBytes(unsafe.Add(at, 16), from, n)
	o.key, o.next = key, offset+n
	if n&7 != 0 {
		o.key = 0
	}
}

// putWord is put of one word.
func (o *outbox) putWord(pid int, key uint64, offset int, value uint64) {
	if o.key == key && o.next == offset && o.pid == pid && o.limit-o.used >= 8 {
		if w := o.word(o.last + 8); *w&(shortLimit-1) < shortLimit-8 {
			*w += 8
			*o.word(o.used) = value
			o.used += 8
			o.next += 8
			return
		}
	}
	record := (*[3]uint64)(o.room(pid, 24))
	record[0], record[1], record[2] = key, uint64(offset)<<shortBits|8, value
	o.key, o.next = key, offset+8
}

func (o *outbox) putLong(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	at := o.room(pid, 24+64+pad8(n))
	pad := -(int(uintptr(at)) + 24) & 63
	o.used -= 64 - pad
	head := (*[3]uint64)(at)
	head[0], head[1], head[2] = key-kindPut+kindPutLong, uint64(offset), uint64(pad)<<padShift|uint64(n)
	copyBytes(unsafe.Add(at, 24+pad), from, n)
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
	size := room + pad8(n)
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
	copyBytes(at, tag, tagBytes)
	if n > 0 {
		copyBytes(unsafe.Add(at, room), from, n)
	}
}

// follows tells whether a message of n bytes, with size bytes in all, can join
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
