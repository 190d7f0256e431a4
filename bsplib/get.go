package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// getRequest is a Get that waits for the barrier.
type getRequest struct {
	from  unsafe.Pointer // the owner's memory, nil if it cannot be addressed
	ref   mpi.Ref        // its name, where the kernel copies from it
	at    int            // an offset there
	to    unsafe.Pointer
	apart unsafe.Pointer // what a run is taken into, if not to where it belongs
	bytes int
	rank  int // of the owner
	pid   int // who asked
	state getState
}

type getState uint8

const (
	reachable getState = iota // its owner's memory can be read
	waiting                   // for a reply
	buffered                  // its bytes are in the rank's read buffer
	done
	unbuffered // from HPGet: copied straight to its destination
	asked      // for a run
	askedHP    // for one by HPGet
	taken      // as a run
)

// gets are the Gets of a rank's processes in this superstep, in the order of the
// calls.
type gets struct {
	requests  []getRequest
	read      []byte          // what has been read and not yet written
	readSlots map[uint64]bool // areas of this rank that Gets read from, once looked for
	replyAt   []int           // by rank: how much of its replies has been used
}

// requestGet notes a Get of n bytes at offset of process pid's part of a.
func (p *Proc) requestGet(a *area, pid, offset int, to unsafe.Pointer, n int, hp bool) {
	r := p.rank
	owner, box := r.where[pid], r.route[pid]
	q := getRequest{to: to, bytes: n, rank: int(owner), pid: p.pid}
	if hp {
		q.state = unbuffered
	}
	r.flags |= flagGet
	if base := a.view[pid].base; base != nil {
		q.from = unsafe.Add(base, offset)
		box.count(p.pid, word0(kindServed, a.slot, pid), n)
	} else if ref := r.registry.far(a.slot, pid); ref != 0 && n >= attachFrom {
		q.ref, q.at = ref, offset
		box.count(p.pid, word0(kindServed, a.slot, pid), n)
	} else {
		r.flags |= flagReply
		kind := kindGet
		if q.state = waiting; n >= box.runFrom {
			kind, q.state = kindGetRun, asked
			if hp {
				q.state = askedHP
			}
		}
		box.words(p.pid, word0(kind, a.slot, pid), uint64(offset), uint64(n))
	}
	p.did.Received += n
	if q.state != waiting { // a reply goes by a lane
		r.ways.received(int(owner), n)
	}
	if r.recording {
		p.did.Record(pid, n)
	}
	r.requests = append(r.requests, q)
}

// largeGet is the length from which it pays to look whether a Get can do
// without its buffer.
const largeGet = 8 << 10

// readGets reads for all Gets that can reach their owner's memory, while no
// rank writes: between the superstep's two barriers. Runs that were asked for are taken
// to where they belong, if nobody reads there.
func (r *rank) readGets() {
	r.read = r.read[:0]
	clear(r.readSlots)
	for i := range r.requests {
		q := &r.requests[i]
		switch q.state {
		case waiting:
			continue
		case asked, askedHP:
			r.takeGet(i)
			continue
		}
		if q.state == unbuffered || q.bytes >= largeGet && r.mayWriteNow(i) {
			r.fetch(q, q.to)
			q.state = done
			continue
		}
		q.state = buffered
		if n := len(r.read) + memory.Pad(q.bytes); n > cap(r.read) {
			r.read = append(make([]byte, 0, max(2*cap(r.read), n)), r.read...)
		}
		at := len(r.read)
		r.read = r.read[:at+memory.Pad(q.bytes)]
		r.fetch(q, unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.read)), at))
	}
}

// takeGet takes the run that request i has asked for.
func (r *rank) takeGet(i int) {
	q := &r.requests[i]
	to := q.to
	if q.state == asked && !r.mayWriteNow(i) {
		q.apart = memory.At(make([]byte, q.bytes))
		to = q.apart
	}
	r.runs.Take(q.rank, mpi.Gets, unsafe.Slice((*byte)(to), q.bytes))
	q.state = taken
}

// fetch reads what a Get asks for.
func (r *rank) fetch(q *getRequest, to unsafe.Pointer) {
	if q.from != nil {
		memory.Copy(to, q.from, q.bytes)
	} else if err := r.direct.attach.CopyFrom(q.rank, q.ref, q.at, unsafe.Slice((*byte)(to), q.bytes)); err != nil {
		r.direct.failed = err
	}
}

// mayWriteNow reports whether request i may write before all others have read:
// it writes where no Get of this superstep reads, and no request of its process
// before it that is still to be written overlaps it.
func (r *rank) mayWriteNow(i int) bool {
	q := &r.requests[i]
	for _, a := range r.local[q.pid].areas {
		if a != nil && memory.Overlap(q.to, q.bytes, a.base, a.count*a.elem) && r.isRead(a) {
			return false
		}
	}
	for k, tries := i-1, 0; k >= 0 && r.requests[k].pid == q.pid; k, tries = k-1, tries+1 {
		if tries == 16 {
			return false
		}
		if b := &r.requests[k]; b.state != done && memory.Overlap(q.to, q.bytes, b.to, b.bytes) {
			return false
		}
	}
	return true
}

// isRead reports whether a Get of this superstep reads from an area of one of the
// rank's processes. The first call looks through all that has arrived.
func (r *rank) isRead(a *area) bool {
	if r.readSlots == nil {
		r.readSlots = make(map[uint64]bool)
	}
	if len(r.readSlots) == 0 {
		r.readSlots[kindNone] = true // no area's key: it marks that the others have been looked for
		for _, in := range r.data.In {
			for i := 0; i < len(in); i = recordEnd(in, i) {
				if w := *memory.Word(in, i); kindOf(w) == kindServed || kindOf(w) == kindGet || kindOf(w) == kindGetRun {
					r.readSlots[word0(kindGet, slotOf(w), pidOf(w))] = true
				}
			}
		}
	}
	return r.readSlots[word0(kindGet, a.slot, a.proc.pid)]
}

// answerGets appends to the reply lane what other ranks have asked for.
func (r *rank) answerGets() {
	for src, in := range r.data.In {
		out := &r.side.Out[src]
		for i := 0; i < len(in); {
			w, next := *memory.Word(in, i), recordEnd(in, i)
			if kindOf(w) == kindGet {
				offset, n := int(*memory.Word(in, i+8)), int(*memory.Word(in, i+16))
				owner := r.local[pidOf(w)]
				owner.did.Sent += n
				out.Grow(memory.Pad(n))
				at := len(out.Bytes)
				out.Bytes = out.Bytes[:at+memory.Pad(n)]
				memory.Copy(unsafe.Add(unsafe.Pointer(unsafe.SliceData(out.Bytes)), at),
					unsafe.Add(owner.areas[slotOf(w)].base, offset), n)
			}
			if kindOf(w) == kindGetRun {
				offset, n := int(*memory.Word(in, i+8)), int(*memory.Word(in, i+16))
				owner := r.local[pidOf(w)]
				owner.did.Sent += n
				r.ways.sent(src, n)
				r.runs.Give(src, mpi.Gets, unsafe.Slice((*byte)(unsafe.Add(owner.areas[slotOf(w)].base, offset)), n))
			}
			i = next
		}
	}
}

// writeGets writes all Gets that are not done yet, in program order.
func (r *rank) writeGets() {
	read := 0
	clear(r.replyAt)
	for i := range r.requests {
		q := &r.requests[i]
		switch {
		case q.state == done:
		case q.state == taken:
			if q.apart != nil {
				memory.Copy(q.to, q.apart, q.bytes)
			}
		case q.state == buffered:
			memory.Copy(q.to, unsafe.Pointer(&r.read[read]), q.bytes)
			read += memory.Pad(q.bytes)
		default:
			memory.Copy(q.to, unsafe.Pointer(&r.side.In[q.rank][r.replyAt[q.rank]]), q.bytes)
			r.replyAt[q.rank] += memory.Pad(q.bytes)
		}
		*q = getRequest{}
	}
	r.requests = r.requests[:0]
}
