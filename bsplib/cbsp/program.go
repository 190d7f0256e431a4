//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// program is the bsplib program of each process.
func (l *launcher) program(b *bsplib.Proc, t *travels) error {
	l.prints()
	r := &resident{l: l, t: t, r: &runner{b: b, p: processOf(b), s: &t.State}}
	debug.SetPanicOnFault(true)
	defer func() {
		if v := recover(); v != nil {
			if r.r.c != nil {
				r.r.faulted(v)
			}
			panic(v)
		}
	}()
	if b.Fresh() {
		if err := r.begin(); err != nil {
			return err
		}
	}
	c := t.process()
	r.r.c = c
	if l.resumed && !b.Fresh() && c.open > 0 {
		return fmt.Errorf("it cannot go on from a checkpoint: it had what %s gave it at %s", C.GoString(&c.pin[0]), names.find(slotZero(c.pinSite)))
	}
	if _, just := b.Runtime().Arrived(); just && !inProcess(b) || l.resumed && !b.Fresh() {
		C.migbsp_arrives(c)
	}
	if err := r.input(); err != nil {
		return fmt.Errorf("the standard input: %w", err)
	}
	if err := r.directs(); err != nil {
		return fmt.Errorf("bsp_direct_get: %w", err)
	}
	for range b.Runtime().OpenStages() {
		last, err := r.superstep()
		if err != nil {
			return err
		}
		if last {
			break
		}
	}
	return r.end()
}

// input lets process 0 continue with the standard input after a move.
func (r *resident) input() error {
	b, t := r.r.b, r.t
	_, just := b.Runtime().Arrived()
	switch {
	case b.Pid() > 0:
	case r.l.resumed && !b.Fresh() && !just && C.migbsp_reads() != 0:
		if C.migbsp_reads_on((*C.char)(unsafe.Pointer(unsafe.SliceData(t.Rest))), C.size_t(len(t.Rest)), C.int64_t(t.SoFar)) != 0 {
			return errors.New("no memory is left")
		}
		r.serve()
	case just && t.Input != "":
		if err := inputClient.arrive(t.Input); err != nil {
			return err
		}
	}
	return nil
}

// directs prepares direct reads of other ranks' memory.
func (r *resident) directs() (err error) {
	_, just := r.r.b.Runtime().Arrived()
	if !just {
		r.t.Section, err = canRead(r.r.b)
	}
	r.r.section = r.t.Section
	return err
}

// serve announces the input to ranks that process 0 may move to. If some cannot have the input
// the process stays on its rank.
func (r *resident) serve() {
	b, t := r.r.b, r.t
	t.Input = ""
	if !inProcess(b) && b.Pid() == 0 && !t.Stay && C.migbsp_reads() != 0 {
		own, all := networks(b)
		var err error
		if t.Input, err = serveInput(own, all); err != nil {
			t.Stay = true
			processOf(b).Rank.Timing.Account.WarnAlone(fmt.Sprintf("process 0 stays on its rank, for its standard input cannot follow it: %v", err))
		}
	}
}

// resident is a process in its slot on a rank.
type resident struct {
	l *launcher
	t *travels
	r *runner
}

// begin runs the process up to bsp_begin.
func (r *resident) begin() (err error) {
	b, t := r.r.b, r.t
	t.State.begin(b)
	c := r.l.first
	var other *C.process
	if C.migbsp_inits != 0 {
		if other, err = copied(b, r.l.first); err != nil {
			return err
		}
	}
	if b.Pid() > 0 || c == nil {
		if c = other; c == nil {
			c, err = begin(b.Pid(), r.l.args)
		}
		if err != nil {
			return err
		}
		r.r.c = c
		for op := C.int(C.OP_NONE); op != C.OP_BEGIN; {
			switch op = resume(c); op {
			case C.OP_BEGIN:
			case C.OP_EXIT:
				return fmt.Errorf("the process has ended without a call of bsp_begin")
			default:
				r.r.fail(op)
			}
		}
	}
	t.Begun, t.Made = true, thisBuild
	if !inProcess(b) {
		t.Stay = r.compare()
		C.migbsp_rank, C.migbsp_ranks = C.int(b.Rank()), C.int(ranksOf(b))
	}
	if r.l.shared != "" {
		t.Stay = true
		if b.Pid() == 0 {
			fmt.Fprintf(os.Stderr, "%s: %s\n", r.l.args[0], r.l.shared)
		}
	}
	c.n = C.int(b.NProcs())
	r.serve()
	return nil
}

// superstep runs the process up to its next bsp_sync or to bsp_end, and reports whether it was bsp_end.
func (r *resident) superstep() (last bool, err error) {
	c := r.r.c
	r.t.Rest = nil
	r.r.receive()
	if err := entersSuperstep(r.r.b, r.r.section); err != nil {
		return false, fmt.Errorf("bsp_direct_get: %w", err)
	}
	for {
		*r.t.memory() = nil
		op := resume(c)
		r.r.op = op
		if c.used > 0 {
			r.r.take()
		}
		switch op {
		case C.OP_FLUSH:
		case C.OP_SYNC:
			r.r.synchronise()
			r.pin()
			return false, nil
		case C.OP_END:
			return true, nil
		case C.OP_EXIT:
			if c.multicore != 0 && c.a == 0 {
				return true, nil
			}
			r.r.fail(op)
		default:
			r.r.fail(op)
		}
	}
}

// end runs the process after bsp_end.
func (r *resident) end() error {
	for {
		switch op := resume(r.r.c); op {
		case C.OP_EXIT:
			r.l.exited(int(r.r.c.a))
			return nil
		default:
			r.r.fail(op)
		}
	}
}

// pin pins or unpins the process.
func (r *resident) pin() {
	c, b := r.r.c, r.r.b
	if r.t.Stay || c.open > 0 {
		b.Runtime().Pin()
		if c.open > 0 && c.pinned == 0 {
			c.pinned = 1
			processOf(b).Rank.Timing.Account.WarnAlone(fmt.Sprintf("process %d stays on its rank while it has what %s gave it at %s", b.Pid(), C.GoString(&c.pin[0]), names.find(slotZero(c.pinSite))))
		}
	} else {
		b.Runtime().Unpin()
	}
	if C.migbsp_any_shared == 0 { // reading a variable is cheaper than a call
		return
	}
	var site C.uintptr_t
	if name := C.migbsp_shared(c, &site); name != nil {
		processOf(b).Rank.Timing.Account.WarnAlone(fmt.Sprintf("process %d calls %s at %s for all processes of its rank", b.Pid(), C.GoString(name), names.find(slotZero(site))))
	}
}

// compare reports whether ranks have different objects or libraries, so that no process can move.
func (r *resident) compare() bool {
	b := r.r.b
	all := bsplib.Allgather(b, append([]uint64{thisBuild.Object}, thisBuild.Libraries...))
	for pid, its := range all {
		if slices.Equal(its, all[0]) {
			continue
		}
		if b.Pid() == pid {
			zero := build{all[0][0], all[0][1:]}
			fmt.Fprintf(os.Stderr, "%s: processes stay where they are: on rank %d %v\n", r.l.args[0], b.Rank(), zero.fits(thisBuild))
		}
		return true
	}
	return false
}
