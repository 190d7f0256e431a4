package bsplib

import (
	"math"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// This file is about bytes that do not go through a stream. Between nodes long Puts, HPPuts
// and Gets are runs (mpi.Direct): a record of the stream announces the bytes, and they go
// from the memory of the one rank into the area of the other. Within a node the kernel
// copies to and from memory that ranks do not share (mpi.Attach).
//
// A run of an HPPut leaves at the call, from the program's memory; that of a Put too, from
// a copy. The receiver takes it when deliver comes to its record, so that Puts write in the
// order of a stream: whoever writes to bytes that a run is still on its way to waits for it
// (awaitLandings). What a Get asks for leaves when all have come to the barrier, and is
// there before anyone writes.

// landing is a run on its way into an area.
type landing struct {
	at  unsafe.Pointer
	n   int
	run mpi.Run
}

// longShelf is the length from which what a collective has for a rank of another node is a
// run: less than for Puts, as no copy is made of it.
const longShelf = 32 << 10

// connectRuns finds out which ranks this one gives runs to.
func (r *rank) connectRuns() {
	runs, _ := r.comm.(mpi.Direct)
	r.direct.attach, _ = r.comm.(mpi.Attach)
	for to := range r.boxes {
		o := &r.boxes[to]
		o.to, o.runFrom, o.shelfFrom = to, math.MaxInt, math.MaxInt
		if runs == nil {
			continue
		}
		if n := runs.DirectFrom(to); n > 0 {
			o.runs, o.runFrom, o.shelfFrom, r.runs = runs, n, min(n, longShelf), runs
		}
	}
}

// putRun is put of a run, unless there is no memory for its copy.
func (o *outbox) putRun(pid int, key uint64, offset int, from unsafe.Pointer, n int) bool {
	if !o.runs.GiveCopy(o.to, mpi.Puts, unsafe.Slice((*byte)(memory.OnHeap(from)), n)) {
		return false
	}
	o.words(pid, key-kindPut+kindRun, uint64(offset), uint64(n))
	o.past += n
	return true
}

// giveRun is putRun of memory that does not change. It is too large for a stack.
func (o *outbox) giveRun(pid int, key uint64, offset int, from unsafe.Pointer, n int) {
	o.words(pid, key, uint64(offset), uint64(n))
	o.past += n
	o.runs.Give(o.to, mpi.Puts, unsafe.Slice((*byte)(memory.OnHeap(from)), n))
}

// land takes the run that record b of rank src announces.
func (r *rank) land(src int, b []byte) {
	w, offset, n := *memory.Word(b, 0), *memory.Word(b, 8), int(*memory.Word(b, 16))
	p := r.local[pidOf(w)]
	to := unsafe.Add(p.areas[slotOf(w)].base, offset)
	r.awaitLandings(to, n)
	run := r.runs.Take(src, mpi.Puts, unsafe.Slice((*byte)(to), n))
	r.landings = append(r.landings, landing{to, n, run})
	p.did.Received += n
	r.ways.received(src, n)
}

// awaitLandings returns when no run is on its way to any of these bytes. An error is kept
// for settle.
func (r *rank) awaitLandings(to unsafe.Pointer, n int) {
	for _, l := range r.landings {
		if memory.Overlap(to, n, l.at, l.n) {
			r.runs.Landed(l.run, l.n)
		}
	}
}

// settle returns when this rank's runs on a channel are complete.
func (r *rank) settle(on mpi.Channel) *Error {
	if r.runs == nil {
		return nil
	}
	if on == mpi.Puts {
		r.landings = r.landings[:0]
	}
	if err := r.runs.Settle(on); err != nil {
		return r.engineError(err)
	}
	return nil
}

// noteRef keeps the name of process pid's memory in a slot, on rank src, if the kernel
// copies from and to it.
func (r *rank) noteRef(src, slot, pid int, ref mpi.Ref) {
	refs := r.registry.refs
	if r.direct.attach == nil || !r.direct.attach.Attaches(src, ref) {
		if slot < len(refs) && refs[slot] != nil {
			refs[slot][pid] = 0
		}
		return
	}
	for slot >= len(refs) {
		refs = append(refs, nil)
	}
	if refs[slot] == nil {
		refs[slot] = make([]mpi.Ref, r.n)
	}
	refs[slot][pid] = ref
	r.registry.refs = refs
}

// far returns the name of process pid's memory in a slot, 0 if the kernel does not copy
// from and to it.
func (d *registry) far(slot, pid int) mpi.Ref {
	if slot >= len(d.refs) || d.refs[slot] == nil {
		return 0
	}
	return d.refs[slot][pid]
}

func (d *registry) forgetRefs(slot int) {
	if slot < len(d.refs) {
		d.refs[slot] = nil
	}
}
