package bsplib

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/mpi"
)

// This file holds areas and queues as ranks know them: without the types that
// programs give them, in slots that mean the same on all ranks.
//
// A process numbers what it makes by itself, for all processes make the same in the
// same order. At the barrier it tells all ranks what it made and popped
// (sendRegistrations), with the length and, where memory is shared, the name of an
// area's memory. Each rank checks that all processes did the same, enters where the
// area of each process is (checkRegistrations), and has its own processes use it from
// the next superstep on (applyRegistrations). Put and Get then need to ask no other
// rank: the sender knows the bounds and, where it can, the address.
//
// Invariant: between supersteps registry.views[slot] is the same on all ranks, but for
// base, which is nil where the rank cannot address the memory.

// queue is a process's end of a Queue.
type queue struct {
	handle
	key      uint64 // of a message for the slot, without pid
	tagBytes int
	current  messageRun   // the next messages
	later    []messageRun // what follows them: the end of waiting
	waiting  []messageRun // all that arrived, or were kept, after the first
	count    int          // messages not yet taken
	burst    *burst       // of messages for it that goes on, nil if none does
}

// messageRun are messages of n bytes each that lie one behind the other: in a buffer of
// the engine, which holds them until the rank's next exchange on that lane, or in memory
// of their own. Each has its padded tag before it. Pairs have both tags in the word
// before the first one's payload.
type messageRun struct {
	at    unsafe.Pointer // of the next tag
	count int
	n     int
	room  int  // from a tag to its payload
	step  int  // from a tag to the next
	pairs bool // of words: room and step are others for the second of a pair
	own   bool // in memory of their own
}

// Of pairs the first tag is so far from its payload and from the second one, which is so
// far from its own and from the next pair.
const (
	pairRoom, pairStep     = 8, 4
	secondRoom, secondStep = 12, 20
)

// runOf is the messages of a record.
func runOf(at unsafe.Pointer, count, tag, n int) messageRun {
	if tag == pairTag {
		return messageRun{at: at, count: count, n: n, room: pairRoom, step: pairStep, pairs: true}
	}
	return messageRun{at: at, count: count, n: n, room: tag, step: tag + pad8(n)}
}

// next takes a message of the run, of which there is one. data is nil if it has none: behind
// the last tag there may be no memory.
func (run *messageRun) next() (tag, data unsafe.Pointer) {
	tag = run.at
	if run.n > 0 {
		data = unsafe.Add(run.at, run.room)
	}
	if run.count--; run.count > 0 {
		run.at = unsafe.Add(tag, run.step)
	}
	if run.pairs {
		run.room ^= pairRoom ^ secondRoom
		run.step ^= pairStep ^ secondStep
	}
	return tag, data
}

// nextOfPair is next of pairs, of which another message is left behind it.
func (run *messageRun) nextOfPair() (tag, data unsafe.Pointer) {
	tag = run.at
	run.count--
	if run.room == pairRoom {
		run.room, run.step = secondRoom, secondStep
		run.at = unsafe.Add(tag, pairStep)
		return tag, unsafe.Add(tag, pairRoom)
	}
	run.room, run.step = pairRoom, pairStep
	run.at = unsafe.Add(tag, secondStep)
	return tag, unsafe.Add(tag, secondRoom)
}

// single is the run with a padded tag before each message.
func (run messageRun) single() messageRun {
	if !run.pairs {
		return run
	}
	mem := make([]uint64, 2*run.count)
	to := messageRun{at: raw(mem), count: run.count, n: run.n, room: 8, step: 16, own: true}
	for ; run.count > 0; mem = mem[2:] {
		tag, data := run.next()
		*(*uint32)(raw(mem)) = *(*uint32)(tag)
		mem[1] = *(*uint64)(data)
	}
	return to
}

// area is a registration as its own process sees it.
type area struct {
	handle
	base   unsafe.Pointer
	count  int      // elements
	elem   int      // bytes of an element
	types  uint64   // hash of the element's type
	view   []extent // all processes' memory by pid; nil until the registration holds
	burst  *burst   // that goes on in the area, nil if none does
	popped bool     // pop has been called
	dead   bool     // pop has taken effect
	owned  bool     // the memory is Alloc's
	kept   int      // elements that travel with the process, see Keep
	ref    mpi.Ref
	madeAt string // where it was registered
}

// extent is one process's part of an area as its peers see it.
type extent struct {
	base  unsafe.Pointer // nil where this rank cannot address it
	count int            // elements
	box   *outbox        // to the process's rank
}

// What a process can do with areas and queues in a superstep. All processes do
// the same, in the same order.
const (
	pushArea = iota
	popArea
	makeQueue
)

// action is one of these, told to all ranks at the next barrier.
type action struct {
	pid        int
	what, slot int
	count      int
	types      uint64 // a hash of the element type, and a queue's tag type
}

// act notes what the process that runs has done.
//
//go:noinline
func (p *Proc) act(a action) {
	p.mustNotCompute("an area or a queue is made or popped")
	a.pid = p.pid
	p.rank.actions = append(p.rank.actions, a)
}

// checkSlot ends the run if there is no slot of that number.
func (p *Proc) checkSlot(slot int, what string) {
	if slot >= 1<<slotBits {
		p.refuseSlot(slot, what)
	}
}

//go:noinline
func (p *Proc) refuseSlot(slot int, what string) {
	p.fail(KindOutOfMemory, "there are %d %s already, which is the most there can be", slot, what)
}

func (p *Proc) addArea(a *area) {
	if n := len(p.freeAreas); n > 0 {
		a.slot = p.freeAreas[n-1]
		p.freeAreas = p.freeAreas[:n-1]
		p.areas[a.slot] = a
	} else {
		a.slot = len(p.areas)
		p.checkSlot(a.slot, "areas")
		p.areas = append(p.areas, a)
	}
	p.act(action{what: pushArea, slot: a.slot, count: a.count, types: a.types})
}

func (p *Proc) popArea(a *area) {
	p.act(action{what: popArea, slot: a.slot, types: a.types})
}

// sendRegistrations puts the process's actions into the streams to all ranks: those that
// are not announced, for processes run one after the other.
func (p *Proc) sendRegistrations() {
	r := p.rank
	for _, act := range r.actions[r.announced:] {
		ref := mpi.Ref(0)
		if act.what == pushArea {
			ref = p.areas[act.slot].ref
		}
		for _, d := range r.here {
			r.boxes[d].words(p.pid, word0(kindRegister, act.slot, p.pid),
				uint64(act.what), uint64(act.count), act.types, uint64(ref))
		}
	}
	r.announced = len(r.actions)
	r.flags |= flagRegister
}

// registry is what a rank knows of all processes' areas, by slot.
type registry struct {
	views     [][]extent
	refs      [][]mpi.Ref // of memory by slot and pid that the kernel copies from and to, nil if none
	actions   []action    // of this rank's processes in this superstep
	announced int         // how many of them are in the streams
}

// registrations sums up a process's actions of one superstep.
type registrations struct {
	count int
	hash  uint64
}

// checkRegistrations takes in all announcements of this superstep and checks that all
// processes did the same.
func (r *rank) checkRegistrations() *Error {
	sent := make([]registrations, r.n) // by pid
	for src, in := range r.data.In {
		for i := 0; i < len(in); i = recordEnd(in, i) {
			if w := *wordAt(in, i); kindOf(w) == kindRegister {
				r.enterRegistration(src, pidOf(w), slotOf(w), unsafe.Slice(wordAt(in, i+8), 4), &sent[pidOf(w)])
			}
		}
	}
	for pid, its := range sent {
		if first := sent[0]; its != first {
			return r.mismatch(pid, its, first)
		}
	}
	return nil
}

// enterRegistration takes in what process pid, on rank src, did with a slot.
func (r *rank) enterRegistration(src, pid, slot int, w []uint64, s *registrations) {
	what, count, types, ref := int(w[0]), int(w[1]), w[2], mpi.Ref(w[3])
	s.count++
	for _, x := range [...]uint64{uint64(what), uint64(slot), types} {
		s.hash = (s.hash ^ x) * 0x100000001b3
	}
	if what != pushArea {
		return
	}
	e := extent{count: count, box: r.route[pid]}
	if own := r.local[pid]; own != nil && slot < len(own.areas) {
		e.base = own.areas[slot].base
	} else if ref != 0 {
		e.base = r.comm.Reach(src, ref)
	}
	r.viewsOf(slot)[pid] = e
	r.noteRef(src, slot, pid, ref)
}

// viewsOf is what the rank knows of all processes' areas in a slot.
func (r *rank) viewsOf(slot int) []extent {
	for slot >= len(r.views) {
		r.views = append(r.views, nil)
	}
	if r.views[slot] == nil {
		r.views[slot] = make([]extent, r.n)
	}
	return r.views[slot]
}

// mismatch is the verdict on process pid, which did otherwise than the first.
func (r *rank) mismatch(pid int, its, first registrations) *Error {
	w := membership.Wrong{Pid: pid, Rank: int(r.where[pid])}
	w.Text = fmt.Sprintf("it registered or popped areas or made queues %d times in this superstep, process 0 %d times", its.count, first.count)
	if its.count == first.count {
		w.Text = "it registered or popped areas or made queues in another order or of other types than process 0"
	}
	if err := r.recallFor(&membership.Call{Needs: membership.Misfit, Wrong: &w}); err != nil {
		return err
	}
	return r.locate(r.misfitError(&w))
}

// locate has the rank of an error's process tell all where that called Sync.
func (r *rank) locate(e *Error) *Error {
	site := ""
	if p := r.local[e.Pid]; p != nil && !p.ended {
		site = pcName(p.site)
	}
	_, sites, err := membership.Agree(r.control, r.comm.Rank(), membership.Statement{Pid: e.Pid, Text: site})
	if err != nil {
		return r.engineError(err)
	}
	e.Site = sites[e.Rank].Text
	return e
}

// applyRegistrations lets the processes' actions take effect, after the superstep's Puts.
func (r *rank) applyRegistrations() {
	for _, act := range r.actions {
		p, a := r.local[act.pid], (*area)(nil)
		if act.what != makeQueue {
			a = p.areas[act.slot]
		}
		switch act.what {
		case pushArea:
			a.view = r.views[act.slot]
		case popArea:
			p.drop(a)
		}
	}
	r.forgetActions()
}

// forgetActions keeps room for a few.
func (r *rank) forgetActions() {
	r.actions, r.announced = r.actions[:0], 0
	if cap(r.actions) > manyActions {
		r.actions = nil
	}
}

// manyActions is how many take memory that is worth giving back: 40 kB.
const manyActions = 1 << 10

func (p *Proc) drop(a *area) {
	a.dead, a.view = true, nil
	p.release(a)
	p.areas[a.slot] = nil
	p.rank.views[a.slot] = nil
	p.rank.forgetRefs(a.slot)
	p.freeAreas = append(p.freeAreas, a.slot)
}

// release lets go of an area's memory, which is then the program's alone.
func (p *Proc) release(a *area) {
	if a.ref != 0 {
		p.rank.comm.Withdraw(a.ref)
	}
	if a.owned {
		a.base, a.count, a.owned = nil, 0, false
	}
}

// handle is what a program's Area or Queue points to: a process's slot. Within
// a state that travels it is a number, kind and slot.
type handle struct {
	proc *Proc
	slot int
	kind handleKind
}

type handleKind uint8

const (
	areaHandle handleKind = iota + 1
	queueHandle
)

// handles tells the codec of states how process p's handles travel.
type handles struct{ p *Proc }

// Is finds Areas and Queues: structs of a pointer to something that begins with
// a handle.
func (handles) Is(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 1 {
		return false
	}
	held := t.Field(0).Type
	return held == reflect.TypeFor[*area]() || held == reflect.TypeFor[*queue]()
}

// The number of a handle is 0 for none, else slot, popped and kind.
const (
	handlePopped    = 1 << 8
	handleSlotShift = 16
)

func (h handles) Encode(_ reflect.Type, at unsafe.Pointer) (uint64, error) {
	held := *(**handle)(at)
	if held == nil {
		return 0, nil
	}
	if held.proc != h.p {
		return 0, fmt.Errorf("it belongs to process %d", held.proc.pid)
	}
	number := uint64(held.kind) | uint64(held.slot)<<handleSlotShift
	if held.kind == areaHandle && (*area)(unsafe.Pointer(held)).dead {
		number |= handlePopped
	}
	return number, nil
}

func (h handles) Decode(_ reflect.Type, at unsafe.Pointer, number uint64) error {
	slot := int(number >> handleSlotShift)
	switch kind := handleKind(number); {
	case number == 0:
	case number&handlePopped != 0:
		*(**area)(at) = &area{handle: handle{proc: h.p, slot: slot, kind: areaHandle}, popped: true, dead: true, madeAt: "an earlier stage"}
	case kind == areaHandle && slot < len(h.p.areas) && h.p.areas[slot] != nil:
		*(**area)(at) = h.p.areas[slot]
	case kind == queueHandle && slot < len(h.p.queues):
		*(**queue)(at) = h.p.queues[slot]
	default:
		return fmt.Errorf("there is no handle of number %#x", number)
	}
	return nil
}

// viewless reports whether there is no area in a slot.
func (d *registry) viewless(slot int) bool { return slot >= len(d.views) || d.views[slot] == nil }
