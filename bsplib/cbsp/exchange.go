//go:build cgo && linux && (amd64 || arm64)

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// mismatch is the error of a run in which some processes have ended and others go on.
const mismatch = "bsp_sync/bsp_end: Some processes have called bsp_sync, while others have called bsp_end instead"

// state is the part of a process that bsplib holds between two supersteps.
type state struct {
	Pid   int
	Areas []area // by number
	Free  []int  // numbers
	Queue queue
	Talk  bsplib.Queue[uint64, byte] // statements: agree.go
}

// begin is called when the process has reached bsp_begin.
func (s *state) begin(b *bsplib.Proc) {
	s.Pid = b.Pid()
	s.Queue, s.Talk = queueOf(bsplib.NewQueue[uint64, byte](b)), bsplib.NewQueue[uint64, byte](b)
}

// runner is a process on a rank.
type runner struct {
	b *bsplib.Proc
	p *driver.Process // of b
	s *state
	c *C.process

	op      C.int        // the operation that is carried out
	section string       // of direct reads
	kept    [][]byte     // messages of this superstep, if another superstep of the engine came in between,
	inbox   []C.messages // and where they are
}

// synchronise sends the process's statement on the superstep that ends.
func (r *runner) synchronise() {
	r.at(int(r.c.syncs))
	r.state()
	r.kept, r.inbox = nil, nil
}

// current returns the number of the superstep that the process is in or is ending.
func (r *runner) current() int {
	if r.op == C.OP_SYNC {
		return int(r.c.syncs)
	}
	return int(r.c.syncs) + 1
}

// fail ends the run with the process's error.
func (r *runner) fail(op C.int) {
	c, b := r.c, r.b
	r.at(int(c.syncs) + 1)
	if p := r.p; p.At == 0 { // the call came from outside the object: no line is better than a line of this file
		p.At = C.SLOT_BASE
	}
	switch op {
	case C.OP_EXIT:
		b.Abort("bsp_end: was not called before end of program: exit(%d)", int(c.a))
	default:
		b.Abort("%s", C.GoString(&c.text[0]))
	}
}

// take passes the process's records to the engine.
func (r *runner) take() {
	c := r.c
	at, end := unsafe.Pointer(c.records), unsafe.Add(unsafe.Pointer(c.records), int(c.used))
	for at != end {
		x := (*C.record)(at)
		data := unsafe.Add(at, unsafe.Sizeof(*x))
		pid, offset, size := int(x.pid), int(x.offset), int(x.size)
		switch x.kind {
		case C.REC_PUT:
			putFrom(r.s.Areas[x.what].engine.at, pid, offset, data, size)
			at = unsafe.Add(data, (size+7)&^7)
		case C.REC_SENDS:
			sendRow(r.s.Queue.engine.at, pid, data, offset/16)
			at = unsafe.Add(data, offset)
		case C.REC_SEND:
			sendFrom(r.s.Queue.engine.at, pid, uint64(x.what), data, offset)
			at = unsafe.Add(data, (offset+7)&^7)
		default:
			r.takeAddressed(x, pid, *(*unsafe.Pointer)(data))
			at = unsafe.Add(data, 8)
		}
	}
}

// takeAddressed passes a record with an address to the engine.
func (r *runner) takeAddressed(x *C.record, pid int, at unsafe.Pointer) {
	area, offset, memory := r.s.Areas[x.what], int(x.offset), unsafe.Slice((*byte)(at), int(x.size))
	switch x.kind {
	case C.REC_PUT_FROM:
		putFrom(area.engine.at, pid, offset, at, len(memory))
	case C.REC_HPPUT:
		area.bsp.HPPut(pid, offset, memory...)
	case C.REC_GET:
		area.bsp.Get(pid, offset, memory)
	case C.REC_HPGET:
		area.bsp.HPGet(pid, offset, memory)
	case C.REC_GET_NOW:
		if err := r.readNow(area.engine.at, pid, offset, memory); err != nil {
			r.at(int(r.c.syncs) + 1)
			r.b.Abort("bsp_direct_get: the memory of process %d cannot be read before bsp_sync: %v", pid, err)
		}
	}
}

// storePointer writes a pointer into memory of C without Go's collector. In an assignment the collector looks
// at the previous pointer. That may be from an earlier superstep, or from the process's previous rank,
// to memory that Go no longer uses.
func storePointer(at, pointer unsafe.Pointer) { *(*uintptr)(at) = uintptr(pointer) }

// receive passes the deliveries of the last superstep to the process: registrations and messages.
func (r *runner) receive() {
	c, s := r.c, r.s
	c.nmessages = C.int64_t(s.Queue.bsp.Len())
	stated := s.Talk.Len() > 0
	if q := s.Queue.engine.at; q.Rows() > 0 {
		if n := q.Rows(); stated { // the thread's memory is for the process that runs next
			r.inbox = make([]C.messages, n)
			storePointer(unsafe.Pointer(&c.inbox), unsafe.Pointer(&r.inbox[0]))
		} else {
			storePointer(unsafe.Pointer(&c.inbox), unsafe.Pointer(C.migbsp_inbox(C.int64_t(n))))
		}
		inbox := unsafe.Slice(c.inbox, q.Rows())
		for i := range inbox {
			row := q.TakeRow()
			if stated { // another superstep of the engine comes before the process sees it
				row.At = r.keep(row)
			}
			m := &inbox[i]
			storePointer(unsafe.Pointer(&m.at), row.At)
			m.room, m.step = C.int64_t(row.Room), C.int64_t(row.Step)
			m.count, m.size = C.int64_t(row.Count), C.int64_t(row.N)
		}
	}
	if stated {
		r.agree(r.statements())
	}
}

// keep copies messages, and returns the address of the copy.
func (r *runner) keep(row stream.Row) unsafe.Pointer {
	n := (row.Count-1)*row.Step + row.Room + row.N
	words := make([]uint64, (n+7)/8)
	data := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
	copy(data, unsafe.Slice((*byte)(row.At), n))
	r.kept = append(r.kept, data)
	return unsafe.Pointer(&words[0])
}
