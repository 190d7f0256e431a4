package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Area is memory of one process that all processes can write to with Put and
// read with Get: BSPlib's registered memory. All processes register their
// areas in the same order, and the n-th registrations of all processes belong
// together. Their lengths may differ.
//
// Offsets and lengths count elements of T. T has no pointers in it: numbers,
// booleans, arrays and structs of them.
//
// An Area is used by its own process only. The zero Area belongs to none.
type Area[T any] struct{ at *stream.Area }

// Register makes mem accessible to all processes from the next superstep on
// (bsp_push_reg). The area uses mem itself, not a copy. A process that takes
// part without memory passes nil.
//
// Rules: all processes call it in the same order with the same T.
//
// BSP cost: p words to every process in this superstep, once.
//
//go:noinline
func Register[T any](p *Proc, mem []T) Area[T] {
	at := site.OfCall()
	a := newArea(p, memory.At(mem), len(mem), memory.Size[T](), plainHash[T](p, "an area"), at)
	if len(mem) > 0 {
		a.Ref = p.process.Home.Comm.Share(memory.Bytes(mem))
	}
	return Area[T]{a}
}

// Alloc registers n new elements, all zero. The engine chooses their memory: if
// ranks of a node can share memory, HPPut and HPGet between them copy once.
//
// When a Pop takes effect, the library releases the memory. On every engine it
// is reused only when the program holds no slice of it.
//
// Rules and cost are as for Register.
//
//go:noinline
func Alloc[T any](p *Proc, n int) Area[T] {
	at, types := site.OfCall(), plainHash[T](p, "an area")
	if n < 0 {
		p.fail(KindOutOfBounds, "Alloc of %d elements", n)
	}
	if !process.Fits(n, memory.Size[T]()) {
		p.fail(KindOutOfMemory, "Alloc of %d elements of %d bytes: there is not that much memory", n, memory.Size[T]())
	}
	mem := p.process.Home.Comm.Alloc(n*memory.Size[T](), false)
	a := newArea(p, memory.At(mem), n, memory.Size[T](), types, at)
	a.Owned = true
	if n > 0 {
		a.Ref = p.process.Home.Comm.Share(mem)
	}
	return Area[T]{a}
}

func newArea(p *Proc, base unsafe.Pointer, count, elem int, types uint64, at uintptr) *stream.Area {
	if p.process.At != 0 {
		at = p.process.At
	}
	if int64(count) > stream.LargestArea/int64(elem) {
		p.refuseArea(count, elem)
	}
	p.mustNotCompute("an area or a queue is made or popped")
	a := &stream.Area{Process: &p.process.Data, Base: base, Count: count, Elem: elem, Kept: count, Types: types, MadeAt: p.process.Rank.Looked.Sites.Of(at)}
	if !p.process.Home.Stream.Registry.Push(&p.process.Data, a) {
		p.refuseSlot("areas")
	}
	return a
}

//go:noinline
func (p *Proc) refuseArea(count, elem int) {
	p.fail(KindOutOfMemory, "an area of %d elements of %d bytes: it can have %d bytes at most", count, elem, int64(stream.LargestArea))
}

//go:noinline
func (p *Proc) refuseSlot(what string) {
	p.fail(KindOutOfMemory, "there are %d %s already, which is the most there can be", stream.MostSlots, what)
}

// Pop ends the registration from the next superstep on (bsp_pop_reg); until
// then the area can be used, also when it was registered in this superstep.
//
// Rules: all processes pop the same areas in the same order.
func (a Area[T]) Pop() {
	h := a.at
	if h == nil {
		panic(&Error{Kind: KindNotRegistered, Pid: -1, Site: site.OfProgram(), Text: "Pop of the zero Area"})
	}
	p := procOf(h.Process)
	if h.Popped {
		p.fail(KindNotRegistered, "Pop: the area registered at %s has been popped before", h.MadeAt)
	}
	p.mustNotCompute("an area or a queue is made or popped")
	h.Popped = true
	p.process.Home.Stream.Registry.Pop(h.Process, h)
}

// Slice returns this process's own memory of the area. It may be read and
// written like any slice; values that other processes Put into it appear after
// Sync. After a Pop, no process writes to a slice that the program has kept,
// and Slice of an area from Alloc is empty. A move gives the process's areas
// other memory: call Slice again after it.
func (a Area[T]) Slice() []T {
	if a.at == nil {
		return nil
	}
	return unsafe.Slice((*T)(a.at.Base), a.at.Count)
}

// Keep declares that, from now on, only the first n of this process's elements
// are needed after the end of a stage. The others are work space that each
// stage fills before it reads it. They are neither moved nor written to a
// checkpoint, and are zero afterwards. Moves then cost less, so more of them
// pay. All elements are kept at first.
//
// Keep affects this process's memory only: processes may keep different
// numbers. Memory given to Register always travels if slices of the state
// refer to it.
//
// Errors: an n outside 0 to the area's length ends the run.
func (a Area[T]) Keep(n int) {
	h := a.at
	if h == nil {
		panic(&Error{Kind: KindNotRegistered, Pid: -1, Site: site.OfProgram(), Text: "Keep of an Area that was never registered"})
	}
	if uint(n) > uint(h.Count) {
		procOf(h.Process).fail(KindOutOfBounds, "Keep of %d elements of the area registered at %s, which has %d elements", n, h.MadeAt, h.Count)
	}
	h.Kept = n
}

// Put copies values into process pid's area, from element offset on (bsp_put).
//
// Effect: values are copied at once, so they may change after the call; pid
// sees them after the next Sync, after all Gets of the superstep have read and
// written. Where Puts overlap, the process with the higher pid wins, and within
// a process the later Put.
//
// Errors: a pid or elements that do not exist end the run. A Put without
// values has no effect; its other arguments are not checked.
//
// BSP cost: len(values) elements in h of this process and of pid.
func (a Area[T]) Put(pid, offset int, values ...T) {
	if h := a.at; h != nil && len(values) == 1 && h.Burst != nil {
		if word := h.Burst.Word(pid, offset); word != nil {
			*(*T)(word) = values[0]
			return
		}
	}
	a.put(pid, offset, values)
}

// put is the slow path of Put, for writes that do not extend the current burst.
//
//go:noinline
func (a Area[T]) put(pid, offset int, values []T) {
	n := len(values)
	if n == 0 {
		return
	}
	h := a.at
	if h == nil || uint(pid) >= uint(len(h.View)) {
		refuse(h, "Put: writes", pid, offset, n)
	}
	e := &h.View[pid]
	if uint(offset) > uint(e.Count) || n > e.Count-offset {
		refuse(h, "Put: writes", pid, offset, n)
	}
	p, key := h.Process, stream.Word0(stream.KindPut, h.Slot, pid)
	if memory.Size[T]() == 8 && n == 1 {
		p.Did.Sent += 8
		if box := e.Box; box.GrowsByWord(p.Pid, key, offset*8) {
			box.GrowByWord(*(*uint64)(memory.At(values)))
			if b := p.Out.Burst(); b.Enough(box) {
				h.Lend(b, pid, offset+1, box)
			}
		} else {
			box.PutWord(p.Pid, key, offset*8, *(*uint64)(memory.At(values)))
		}
		return
	}
	p.Did.Sent += n * memory.Size[T]()
	e.Box.Put(p.Pid, key, offset*memory.Size[T](), memory.At(values), n*memory.Size[T]())
}

// HPPut is Put without buffering (bsp_hpput): from this call until the next
// Sync returns, neither values nor the elements written may be changed or read
// elsewhere; the result of such an access is undefined. HPPut copies once if
// the engine can reach pid's memory, also between nodes if values is long. If
// it cannot, HPPut is a Put.
func (a Area[T]) HPPut(pid, offset int, values ...T) {
	if len(values) == 0 {
		return
	}
	h := a.at
	if h == nil || !h.Has(pid, offset, len(values)) {
		refuse(h, "HPPut: writes", pid, offset, len(values))
	}
	if !h.Process.Out.Stream.HPPut(h, pid, offset*memory.Size[T](), memory.At(values), len(values)*memory.Size[T]()) {
		a.Put(pid, offset, values...)
	}
}

// Get copies len(to) elements of process pid's area, from offset on, into to
// (bsp_get).
//
// Effect: the next Sync fills to with the values that the elements held at the
// end of the superstep, before any Put or Get wrote to them. Gets write in
// program order, before the Puts of the superstep.
//
// Errors: as for Put. BSP cost: len(to) elements in h of pid and of this
// process; a superstep with Gets has one more barrier.
func (a Area[T]) Get(pid, offset int, to []T) { a.get("Get", pid, offset, to, false) }

// HPGet is Get without buffering (bsp_hpget): from this call until Sync returns
// the elements read may not be changed, and to may neither be changed nor read.
func (a Area[T]) HPGet(pid, offset int, to []T) { a.get("HPGet", pid, offset, to, true) }

func (a Area[T]) get(name string, pid, offset int, to []T, unbuffered bool) {
	if len(to) == 0 {
		return
	}
	h := a.at
	if h == nil || !h.Has(pid, offset, len(to)) {
		refuse(h, name+": reads", pid, offset, len(to))
	}
	h.Process.Out.Stream.Get(h.Process, h, pid, offset*memory.Size[T](), memory.At(to), len(to)*memory.Size[T](), unbuffered)
}

// refuse ends the run with the error of an invalid access.
func refuse(a *stream.Area, what string, pid, offset, n int) {
	if a == nil {
		panic(&Error{Kind: KindNotRegistered, Pid: -1, Site: site.OfProgram(), Text: what + " an Area that was never registered"})
	}
	p := procOf(a.Process)
	switch {
	case a.Dead:
		p.fail(KindNotRegistered, "%s the area registered at %s after its Pop", what, a.MadeAt)
	case a.View == nil:
		p.fail(KindNotRegistered, "%s the area registered at %s in this superstep; it can be used after the next Sync", what, a.MadeAt)
	case pid < 0 || pid >= p.NProcs():
		p.fail(KindPidOutOfRange, "%s process %d's area; there are processes 0 to %d", what, pid, p.NProcs()-1)
	default:
		p.fail(KindOutOfBounds, "%s elements [%d:%d] of process %d's area registered at %s, which has %d elements",
			what, offset, offset+n, pid, a.MadeAt, a.View[pid].Count)
	}
}
