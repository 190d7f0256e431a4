package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// outbox writes the records for one destination rank.
type outbox struct {
	buf     []byte
	pid     int    // whose segment is open, -1 if none
	segment int    // where it starts
	key     uint64 // word 0 of the last record, if a put or a count that can grow
	last    int    // where that record starts
	end     int    // a put's offset behind its last byte

	target *mpi.Buffer
}

// open starts a superstep with an empty buffer of the engine.
func (o *outbox) open(target *mpi.Buffer) {
	o.target = target
	o.buf = target.Bytes
	o.pid = -1
	o.key = 0
}

// close hands the records over.
func (o *outbox) close() {
	if o.pid >= 0 {
		o.closeSegment()
		o.target.Bytes = o.buf
	}
}

func (o *outbox) closeSegment() {
	*wordAt(o.buf, o.segment+8) = uint64(len(o.buf) - o.segment - 16)
}

// room makes place for n more bytes in the segment of process pid.
func (o *outbox) room(pid, n int) {
	if o.pid != pid {
		o.openSegment(pid)
	}
	if cap(o.buf)-len(o.buf) < n {
		o.grow(n)
	}
}

func (o *outbox) openSegment(pid int) {
	if o.pid >= 0 {
		o.closeSegment()
	}
	if cap(o.buf)-len(o.buf) < 16 {
		o.grow(16)
	}
	o.pid = pid
	o.segment = len(o.buf)
	o.key = 0
	o.buf = o.buf[:o.segment+16]
	*wordAt(o.buf, o.segment) = word0(kindSegment, 0, pid)
}

func (o *outbox) grow(n int) {
	o.target.Bytes = o.buf
	o.target.Grow(n)
	o.buf = o.target.Bytes
}

// put appends n bytes for offset of the area in word0's slot of word0's
// process, or lets the last put grow if this one goes on where it ended.
func (o *outbox) put(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	if o.pid == pid && o.key == key && o.end == offset {
		if n&7 == 0 && cap(o.buf)-len(o.buf) >= n && o.extend(n) {
			o.end += n
			copyBytes(o.append(n), from, n)
			return
		}
	}
	o.room(pid, 24+pad8(n))
	o.last = len(o.buf)
	if n < shortLimit {
		head := (*[2]uint64)(o.append(16))
		head[0], head[1] = key, uint64(offset)<<shortBits|uint64(n)
		o.key, o.end = key, offset+n
		if n&7 != 0 {
			o.key = 0
		}
	} else {
		head := (*[3]uint64)(o.append(24))
		head[0], head[1], head[2] = key-kindPut+kindPutLong, uint64(offset), uint64(n)
		o.key = 0
	}
	copyBytes(o.append(pad8(n)), from, n)
}

// extend makes the last put n bytes longer if its header has room for that.
func (o *outbox) extend(n int) bool {
	w := wordAt(o.buf, o.last+8)
	if int(*w&(shortLimit-1))+n >= shortLimit {
		return false
	}
	*w += uint64(n)
	return true
}

// append makes the buffer n bytes longer, for which there is room, and returns
// where they start.
func (o *outbox) append(n int) unsafe.Pointer {
	at := len(o.buf)
	o.buf = o.buf[:at+n]
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(o.buf)), at)
}

// words appends a record of words only.
func (o *outbox) words(pid int, w ...uint64) {
	o.room(pid, 8*len(w))
	copy(unsafe.Slice((*uint64)(o.append(8*len(w))), len(w)), w)
	o.key = 0
}

// count appends a record of n bytes moved past the buffers, or adds to the
// last one.
func (o *outbox) count(pid int, key uint64, n int) {
	if o.pid == pid && o.key == key {
		*wordAt(o.buf, o.last+8) += uint64(n)
		return
	}
	o.room(pid, 16)
	o.last = len(o.buf)
	head := (*[2]uint64)(o.append(16))
	head[0], head[1] = key, uint64(n)
	o.key = key
}

// send appends a message of a tag and n bytes.
func (o *outbox) send(pid int, key uint64, tag unsafe.Pointer, tagBytes int, from unsafe.Pointer, n int) {
	o.room(pid, 16+pad8(tagBytes)+pad8(n))
	head := (*[2]uint64)(o.append(16))
	head[0], head[1] = key, uint64(pad8(tagBytes)/8)<<lengthBits|uint64(n)
	copyBytes(o.append(pad8(tagBytes)), tag, tagBytes)
	copyBytes(o.append(pad8(n)), from, n)
	o.key = 0
}
