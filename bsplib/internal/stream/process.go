package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// Process is a process's end of the data path: its areas and queues in the form shared by all ranks,
// without the program's types, in slots that are the same on all ranks.
type Process struct {
	Pid        int
	Did        loads.Sample // in this superstep, or the last if that has just ended
	Out        *Outboxes    // of its rank
	Areas      []*Area      // by slot
	Queues     []*Queue     // by slot; of the collectives the first
	Free       []int        // free slots of areas, reused from the end
	Collecting bool         // it is in a Sync that is part of a collective: no message is dropped
	Computing  bool         // it runs an operation of a collective
	Goroutine  uintptr      // site.Goroutine of its goroutine, NoGoroutine while it does not run, 0 for any
	Owner      Owner
}

// Owner is the object that a program uses for a process, package bsplib's Proc. It contains the Process.
type Owner interface {
	// UsedElsewhere ends the run because a goroutine that does not run the process has used it.
	UsedElsewhere()
}

// NoGoroutine is the goroutine of a process that none runs.
const NoGoroutine = 1

// Own reports whether it is called on the goroutine that runs the process.
func (p *Process) Own() bool { return p.Goroutine == 0 || p.Goroutine == site.Goroutine() }

// MostSlots is the maximum number of a process's areas, and of its queues.
const MostSlots = 1 << SlotBits

// LargestArea is the maximum offset of a Put, in bytes.
const LargestArea = 1 << (64 - ShortBits)

// Area is a registration as its own process sees it.
type Area struct {
	Process *Process
	Slot    int
	Base    unsafe.Pointer
	Count   int      // elements
	Elem    int      // bytes of an element
	Types   uint64   // hash of the element's type
	View    []Extent // all processes' memory by pid; nil until the registration holds
	Burst   *Burst   // active burst in the area, nil without one
	Popped  bool     // Pop has been called
	Dead    bool     // Pop has taken effect
	Owned   bool     // the memory is the engine's
	Kept    int      // elements that travel with the process
	Ref     mpi.Ref
	MadeAt  string // where it was registered
}

// Extent is one process's part of an area, as stored by other processes' ranks.
type Extent struct {
	Base  unsafe.Pointer // nil where this rank cannot address it
	Count int            // elements
	Box   *Outbox        // to the process's rank
	Far   mpi.Ref        // for copies by the kernel, 0 if the kernel cannot copy
}

// Has reports whether process pid's part has n elements at offset.
func (a *Area) Has(pid, offset, n int) bool {
	return uint(pid) < uint(len(a.View)) && uint(offset) <= uint(a.View[pid].Count) && n <= a.View[pid].Count-offset
}

// Bytes returns the length of the process's own part.
func (a *Area) Bytes() int { return a.Count * a.Elem }

// Memory returns the process's own part.
func (a *Area) Memory() []byte { return unsafe.Slice((*byte)(a.Base), a.Bytes()) }

// Lend lets the outbox lend its end, whose last record holds Puts to the elements of process pid
// before next.
func (a *Area) Lend(b *Burst, pid, next int, box *Outbox) {
	words := min((box.limit-box.used)/8, (ShortLimit-(box.used-box.last))/8, a.View[pid].Count-next)
	b.lend(box, pid, box.used+8*(words-1), &a.Burst, &a.Process.Did.Sent)
	b.pairs, b.next = false, next
}

// Queue is a process's end of a queue.
type Queue struct {
	Process  *Process
	Slot     int
	Key      uint64 // word 0 of a message for the slot, without pid
	TagBytes int
	Current  Messages   // the next messages
	later    []Messages // the runs after Current: the end of waiting
	waiting  []Messages // all runs that arrived, or were kept, after the first
	Count    int        // messages not yet taken
	Burst    *Burst     // active burst of messages for it, nil without one
}

// Lend lets the outbox lend its end, whose last record holds pairs of messages for process pid.
func (q *Queue) Lend(b *Burst, pid int, box *Outbox) {
	b.lend(box, pid, box.limit-16, &q.Burst, &q.Process.Did.Sent)
	b.pairs, b.half = true, box.half
}

// AddQueue adds the process's next queue, with tagBytes of tag in each message.
func (p *Process) AddQueue(tagBytes int) *Queue {
	q := &Queue{Process: p, Slot: len(p.Queues), TagBytes: tagBytes}
	q.Key = Word0(KindSend, q.Slot, 0)
	p.Queues = append(p.Queues, q)
	return q
}

// mailTag is the size of a tag in the mail of the collectives. The mail is every process's first
// queue, so it needs no registration. It is created on first use.
const mailTag = 8

// Mail returns the collectives' mail queue.
func (p *Process) Mail() *Queue {
	if len(p.Queues) == 0 {
		p.AddQueue(mailTag)
	}
	return p.Queues[0]
}

// queue returns the process's queue in a slot, nil if the process has not made it. In that case the
// run is ending: its last superstep, or one in which registrations differ.
func (p *Process) queue(slot int) *Queue {
	switch {
	case slot == 0:
		return p.Mail()
	case slot >= len(p.Queues):
		return nil
	}
	return p.Queues[slot]
}

// Payload returns the length of all messages that were not taken yet, without their tags.
func (q *Queue) Payload() int {
	if q.Count == 0 {
		return 0
	}
	n := q.Current.Count * q.Current.N
	for i := range q.later {
		n += q.later[i].Count * q.later[i].N
	}
	return n
}

// Take removes the next message of a queue that is not empty. It returns the addresses of its tag and
// payload, and the payload's length.
func (q *Queue) Take() (tag, data unsafe.Pointer, n int) {
	run := &q.Current
	n = run.N
	q.Count--
	if tag, data = run.next(); run.Count == 0 && q.Count > 0 {
		q.Current, q.later = q.later[0], q.later[1:]
	}
	return tag, data, n
}

// Row is a row of messages of N bytes in memory: the payload is Room bytes after its tag, the next
// tag Step.
type Row struct {
	At                   unsafe.Pointer // of the first tag
	Count, N, Room, Step int
}

// Rows returns the number of rows in the queue.
func (q *Queue) Rows() int {
	if q.Count == 0 {
		return 0
	}
	return 1 + len(q.later)
}

// TakeRow removes the next row.
func (q *Queue) TakeRow() Row {
	run := q.Current.single()
	if q.Count -= run.Count; q.Count > 0 {
		q.Current, q.later = q.later[0], q.later[1:]
	}
	return Row{run.At, run.Count, run.N, run.room, run.step}
}

// add adds messages that have arrived, and reports whether they are the first.
func (q *Queue) add(run Messages) (first bool) {
	if first = q.Count == 0; first {
		q.Current = run
	} else {
		q.waiting = append(q.waiting, run)
		q.later = q.waiting
	}
	q.Count += run.Count
	return first
}

// drop empties the queue.
func (q *Queue) drop() {
	q.waiting = q.waiting[:0]
	q.later, q.Count = nil, 0
}

// keep preserves the remaining messages beyond the exchange.
func (q *Queue) keep() {
	q.waiting = append(q.waiting[:0], q.later...)
	q.later = q.waiting
	q.Current.keep()
	for i := range q.later {
		q.later[i].keep()
	}
}

// Packed is a block of messages of one length, readable in the coming superstep, that moves with its
// process.
type Packed struct {
	Count, N, Step int
	Bytes          []byte
}

// Pack returns the unread messages.
func (q *Queue) Pack() (all []Packed) {
	if q.Count == 0 {
		return nil
	}
	for _, run := range append([]Messages{q.Current}, q.later...) {
		run = run.single()
		all = append(all, Packed{
			Count: run.Count, N: run.N, Step: run.step,
			Bytes: unsafe.Slice((*byte)(run.At), run.Count*run.step),
		})
	}
	return all
}

// messages returns the unpacked messages.
func (x *Packed) messages() Messages {
	return Messages{At: memory.At(x.Bytes), Count: x.Count, N: x.N, room: x.Step - memory.Pad(x.N), step: x.Step, own: true}
}

// Slots returns the slots of the process's areas.
func (p *Process) Slots() (slots []int) {
	for slot, a := range p.Areas {
		if a != nil {
			slots = append(slots, slot)
		}
	}
	return slots
}
