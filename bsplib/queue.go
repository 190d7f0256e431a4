package bsplib

import (
	"iter"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Queue carries messages between processes: bsp_send and its receiving side.
// A message has a tag and any number of values. All processes make their
// queues in the same order; messages for the n-th queue arrive in the n-th.
//
// What is sent in a superstep can be read in the next one, and only there:
// the Sync that ends it drops what was not read, and so does the end of a
// stage. Messages arrive in the order of their senders' pids, those of one
// sender in the order they were sent.
//
// A collective drops nothing, though it contains Syncs: messages that were not
// read before it stay, in front of those that its Syncs deliver, until the
// program's next Sync or end of a stage.
//
// A Queue is used by its own process only.
type Queue[Tag, T any] struct{ *queue }

// NewQueue makes a queue, with which messages can be sent at once
// (bsp_set_tagsize: here each queue has its own tag type, and keeps it).
//
// Rules: all processes call it in the same order with the same types; neither
// has pointers in it. A Tag of struct{} is no tag at all.
//
// BSP cost: p words to every process, once.
func NewQueue[Tag, T any](p *Proc) Queue[Tag, T] {
	mustBePlainTag[Tag](p)
	mustBePlain[T](p, "a queue")
	q := p.makeQueue(tagRoom[Tag](), memory.TypeHash[Tag]()^3*memory.TypeHash[T]())
	return Queue[Tag, T]{q}
}

// tagRoom is the room that a tag takes in a message: at least a word.
func tagRoom[Tag any]() int { return max(8, memory.Pad(memory.Size[Tag]())) }

func (p *Proc) makeQueue(tagBytes int, types uint64) *queue {
	p.mail()
	p.checkSlot(len(p.queues), "queues")
	q := p.addQueue(new(queue), tagBytes)
	p.act(action{what: makeQueue, slot: q.slot, types: types})
	return q
}

// addQueue makes q the process's next queue.
func (p *Proc) addQueue(q *queue, tagBytes int) *queue {
	*q = queue{handle: handle{proc: p, slot: len(p.queues), kind: queueHandle}, tagBytes: tagBytes}
	q.key = word0(kindSend, q.slot, 0)
	p.queues = append(p.queues, q)
	return q
}

// mailTag is the room of a tag in the mail of the collectives. That is every process's
// first queue: no rank needs to be told of it. It is there from the first use on.
const mailTag = 8

// mail is that queue.
func (p *Proc) mail() *queue {
	if len(p.queues) == 0 {
		p.addQueue(new(queue), mailTag)
	}
	return p.queues[0]
}

// queue is the process's queue in a slot.
func (p *Proc) queue(slot int) *queue {
	if slot == 0 {
		return p.mail()
	}
	return p.queues[slot]
}

// Send sends values with a tag to process pid (bsp_send). They are copied at
// once. No values make a message too.
//
// Errors: a pid that does not exist ends the run.
// BSP cost: tag and values in h of this process and of pid.
func (q Queue[Tag, T]) Send(pid int, tag Tag, values ...T) {
	if h := q.queue; h != nil && len(values) == 1 && memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 {
		if b := h.burst; b != nil && b.pid == pid && b.used <= b.last {
			b.addPair(halfWord(tag), *(*uint64)(memory.At(values)))
			return
		}
	}
	q.send(pid, tag, values)
}

// halfWord is a tag of half a word or less.
func halfWord[Tag any](tag Tag) (half uint32) {
	*(*Tag)(unsafe.Pointer(&half)) = tag
	return half
}

// send is Send of what does not go on with a burst.
//
//go:noinline
func (q Queue[Tag, T]) send(pid int, tag Tag, values []T) {
	q.mustBeMade("Send")
	p := q.proc
	if uint(pid) >= uint(p.n) {
		p.fail(KindPidOutOfRange, "Send to process %d; there are processes 0 to %d", pid, p.n-1)
	}
	box, key := p.rank.route[pid], q.key|uint64(pid)<<pidShift
	if memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 && len(values) == 1 {
		p.did.Sent += 16
		if value := *(*uint64)(memory.At(values)); box.follows(p.pid, key, 8, 16) {
			box.joinPairs(halfWord(tag), value)
			if b := &p.rank.burst; b.enough(box) {
				b.ofMessages(q.queue, pid, box)
			}
		} else {
			box.sendPairs(p.pid, key, halfWord(tag), value)
		}
		return
	}
	if memory.Size[Tag]() <= 8 && memory.Size[T]() == 8 && len(values) == 1 {
		var word uint64
		*(*Tag)(unsafe.Pointer(&word)) = tag
		p.did.Sent += 16
		if value := *(*uint64)(memory.At(values)); box.follows(p.pid, key, 8, 16) {
			box.joinWords(word, value)
		} else {
			box.sendWords(p.pid, key, word, value)
		}
		return
	}
	size := len(values) * memory.Size[T]()
	p.did.Sent += size + q.tagBytes
	box.send(p.pid, key, unsafe.Pointer(&tag), memory.Size[Tag](), tagRoom[Tag](), memory.At(values), size)
}

// mustBeMade ends the run if q is the zero Queue's.
func (q *queue) mustBeMade(what string) {
	if q == nil {
		panic(&Error{Kind: KindNotRegistered, Pid: -1, Site: site.OfProgram(), Text: what + ": this Queue was never made by NewQueue"})
	}
}

// Len is the number of messages that have not been taken yet, and Bytes that
// of the bytes in their values (bsp_qsize).
func (q *queue) Len() int {
	q.mustBeMade("Len")
	return q.count
}

// Bytes: see Len.
func (q *queue) Bytes() int {
	q.mustBeMade("Bytes")
	return q.payload()
}

// Peek returns the tag of the next message and the number of its values
// without taking it, or ok false if there is none (bsp_get_tag).
func (q Queue[Tag, T]) Peek() (tag Tag, values int, ok bool) {
	if q.queue == nil || q.count == 0 {
		q.mustBeMade("Peek")
		return tag, -1, false
	}
	return *(*Tag)(q.current.at), q.current.n / memory.Size[T](), true
}

// Next takes the next message and returns it where it lies (bsp_hpmove):
// values may be read until the next Sync, those within collectives included,
// and must not be changed.
func (q Queue[Tag, T]) Next() (tag Tag, values []T, ok bool) {
	if q.queue == nil || q.count == 0 {
		q.mustBeMade("Next")
		return tag, nil, false
	}
	if run := &q.current; memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 && run.pairs && run.count > 1 {
		q.count--
		tag, word := run.nextOfPair()
		return *(*Tag)(tag), unsafe.Slice((*T)(word), 1), true
	}
	at, data, n := q.take()
	if n > 0 {
		values = unsafe.Slice((*T)(data), n/memory.Size[T]())
	}
	return *(*Tag)(at), values, true
}

// Receive takes the next message, copies its values into to as far as they fit,
// and returns how many it copied (bsp_move). To take from an empty queue ends
// the run.
func (q Queue[Tag, T]) Receive(to []T) int {
	if q.queue == nil || q.count == 0 {
		q.mustBeMade("Receive")
		q.proc.fail(KindQueueEmpty, "Receive: the queue is empty")
	}
	_, data, n := q.take()
	values := min(n/memory.Size[T](), len(to))
	if values > 0 {
		memory.Copy(memory.At(to), data, values*memory.Size[T]())
	}
	return values
}

// payload is the length of all messages that were not taken yet, without their tags.
func (q *queue) payload() int {
	if q.count == 0 {
		return 0
	}
	n := q.current.count * q.current.n
	for i := range q.later {
		n += q.later[i].count * q.later[i].n
	}
	return n
}

// take removes the next message, of which there is one, and returns where its
// tag is, and its payload with the length of that.
func (q *queue) take() (tag, data unsafe.Pointer, n int) {
	run := &q.current
	n = run.n
	q.count--
	if tag, data = run.next(); run.count == 0 && q.count > 0 {
		q.current, q.later = q.later[0], q.later[1:]
	}
	return tag, data, n
}

// All takes the messages one by one, as Next does.
func (q Queue[Tag, T]) All() iter.Seq2[Tag, []T] {
	return func(yield func(Tag, []T) bool) {
		q.mustBeMade("All")
		for q.count > 0 {
			tag, values, _ := q.Next()
			if !yield(tag, values) {
				return
			}
		}
	}
}
