//go:build cgo && linux && (amd64 || arm64)

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// program is what each process runs.
func (l *launcher) program(b *bsplib.Proc, s *state) error {
	r := &runner{l: l, b: b, s: s}
	if b.Fresh() {
		if err := r.begin(); err != nil {
			return err
		}
	}
	r.c = s.process()
	if l.resumed && !b.Fresh() && r.c.open > 0 {
		return fmt.Errorf("it cannot go on from a checkpoint: it had what %s gave it at %s", C.GoString(&r.c.pin[0]), names.find(slotZero(r.c.pinSite)))
	}
	if _, just := b.Runtime().Arrived(); just && !inProcess(b) || l.resumed && !b.Fresh() {
		C.migbsp_arrives(r.c)
	}
	if _, just := b.Runtime().Arrived(); just && s.Input != "" {
		if err := inputClient.arrive(s.Input); err != nil {
			return fmt.Errorf("the standard input: %w", err)
		}
		C.migbsp_knows(r.c)
	}
	for range b.Runtime().OpenStages() {
		if r.superstep() {
			break
		}
	}
	return r.end()
}

func severalHosts(b *bsplib.Proc) bool {
	for rank := range b.NRanks() {
		if b.Runtime().Host(rank) != b.Runtime().Host(0) {
			return true
		}
	}
	return false
}

// runner is a process on a rank.
type runner struct {
	l *launcher
	b *bsplib.Proc
	s *state
	c *C.process

	kept  [][]byte    // messages of this superstep, where another superstep of the engine came in between,
	inbox []C.message // and where each is
}

// begin runs the process up to bsp_begin.
func (r *runner) begin() (err error) {
	b, s := r.b, r.s
	s.Pid = b.Pid()
	s.Queue, s.Talk = bsplib.NewQueue[uint64, byte](b), bsplib.NewQueue[uint64, byte](b)
	c := r.l.first
	if s.Pid > 0 || c == nil {
		if c, err = begin(s.Pid, r.l.args); err != nil {
			return err
		}
		r.c = c
		for op := C.int(C.OP_NONE); op != C.OP_BEGIN; {
			switch op = C.migbsp_resume(c); op {
			case C.OP_BEGIN:
			case C.OP_EXIT:
				return fmt.Errorf("the process has ended without a call of bsp_begin")
			default:
				r.fail(op)
			}
		}
	}
	s.Begun, s.Made = true, thisBuild
	if !inProcess(b) {
		s.Stay = r.compare()
		if s.Pid == 0 && !s.Stay && C.migbsp_reads() != 0 {
			if s.Input, err = serveInput(b.Runtime().Host(0), severalHosts(b)); err != nil {
				return fmt.Errorf("the standard input: %w", err)
			}
		}
	}
	c.n = C.int(b.NProcs())
	return nil
}

// superstep runs the process up to its next bsp_sync, or to bsp_end, which is the last.
func (r *runner) superstep() (last bool) {
	c := r.c
	r.receive()
	for {
		*r.s.memory() = nil
		op := C.migbsp_resume(c)
		if c.used > 0 {
			r.take()
		}
		switch op {
		case C.OP_FLUSH:
		case C.OP_SYNC:
			r.at(int(c.syncs))
			r.state()
			r.kept, r.inbox = nil, nil
			r.pin()
			return false
		case C.OP_END:
			return true
		case C.OP_EXIT:
			if c.multicore != 0 && c.a == 0 {
				return true
			}
			r.fail(op)
		default:
			r.fail(op)
		}
	}
}

// end runs what the process does after bsp_end.
func (r *runner) end() error {
	for {
		switch op := C.migbsp_resume(r.c); op {
		case C.OP_EXIT:
			r.l.exited(int(r.c.a))
			return nil
		default:
			r.fail(op)
		}
	}
}

// fail ends the run with what the process says.
func (r *runner) fail(op C.int) {
	c, b := r.c, r.b
	r.at(int(c.syncs) + 1)
	switch op {
	case C.OP_EXIT:
		b.Abort("bsp_end: was not called before end of program: exit(%d)", int(c.a))
	default:
		b.Abort("%s", C.GoString(&c.text[0]))
	}
}

// take gives the process's records to the engine.
func (r *runner) take() {
	c := r.c
	at, end := unsafe.Pointer(c.records), unsafe.Add(unsafe.Pointer(c.records), int(c.used))
	for at != end {
		x := (*C.record)(at)
		data := unsafe.Add(at, unsafe.Sizeof(*x))
		pid, offset, size := int(x.pid), int(x.offset), int(x.size)
		switch x.kind {
		case C.REC_PUT:
			putFrom(r.s.Areas[x.what], pid, offset, data, size)
			at = unsafe.Add(data, (size+7)&^7)
		case C.REC_SEND:
			sendFrom(r.s.Queue, pid, uint64(x.what), data, offset)
			at = unsafe.Add(data, (offset+7)&^7)
		default:
			r.takeAddressed(x, pid, *(*unsafe.Pointer)(data))
			at = unsafe.Add(data, 8)
		}
	}
}

// takeAddressed gives the engine what has an address.
func (r *runner) takeAddressed(x *C.record, pid int, at unsafe.Pointer) {
	area, offset, memory := r.s.Areas[x.what], int(x.offset), unsafe.Slice((*byte)(at), int(x.size))
	switch x.kind {
	case C.REC_PUT_FROM:
		putFrom(area, pid, offset, at, len(memory))
	case C.REC_HPPUT:
		area.HPPut(pid, offset, memory...)
	case C.REC_GET:
		area.Get(pid, offset, memory)
	case C.REC_HPGET:
		area.HPGet(pid, offset, memory)
	case C.REC_GET_NOW:
		if !readNow(area, pid, offset, memory) {
			r.at(int(r.c.syncs) + 1)
			r.b.Abort("bsp_direct_get: process %d is on another rank, whose memory cannot be read before bsp_sync: use bsp_get", pid)
		}
	}
}

// receive has the process see what the last superstep has brought: registrations and messages.
func (r *runner) receive() {
	c, s := r.c, r.s
	n := s.Queue.Len()
	c.nmessages = C.int64_t(n)
	stated := s.Talk.Len() > 0
	if n > 0 {
		if stated { // the thread's memory is for the process that runs next
			r.inbox = make([]C.message, n)
			c.messages = &r.inbox[0]
		} else {
			c.messages = C.migbsp_inbox(C.int64_t(n))
		}
		inbox := unsafe.Slice(c.messages, n)
		for i := range inbox {
			m := &inbox[i]
			tag, data, _ := s.Queue.Next()
			if stated { // another superstep of the engine comes before the process sees it
				data = slices.Clone(data)
				r.kept = append(r.kept, data)
			}
			m.tag, m.size = C.uint64_t(tag), C.int64_t(len(data))
			m.data = (*C.char)(unsafe.Pointer(unsafe.SliceData(data)))
		}
	}
	if stated {
		r.agree(r.statements())
	}
}

// pin has the engine know whether the process can move.
func (r *runner) pin() {
	c := r.c
	if r.s.Stay || c.open > 0 {
		r.b.Runtime().Pin()
		if c.open > 0 && c.pinned == 0 {
			c.pinned = 1
			processOf(r.b).Rank.Timing.Account.Warn(fmt.Sprintf("process %d stays on its rank while it has what %s gave it at %s", r.s.Pid, C.GoString(&c.pin[0]), names.find(slotZero(c.pinSite))))
		}
	} else {
		r.b.Runtime().Unpin()
	}
}
