package bsplib

import (
	"iter"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Queue carries messages between processes: bsp_send and its receiving side.
// A message has a tag and any number of values. All processes make their
// queues in the same order; messages for the n-th queue arrive in the n-th.
//
// Messages sent in a superstep can be read in the next one, and only then: the
// Sync that ends it drops unread messages, and so does the end of a stage.
// Messages arrive in the order of their senders' pids, and messages of one
// sender in the order they were sent.
//
// A collective drops no messages, though it contains Syncs: messages that were
// not read before it stay, in front of those that its Syncs deliver, until the
// program's next Sync or end of a stage.
//
// A Queue is used by its own process only.
type Queue[Tag, T any] struct{ at *stream.Queue }

// NewQueue makes a queue, which messages can be sent to at once
// (bsp_set_tagsize: here each queue has its own tag type, and keeps it).
//
// Rules: all processes call it in the same order with the same types; neither
// has pointers in it. If Tag is struct{}, messages have no tag.
//
// BSP cost: p words to every process, once.
func NewQueue[Tag, T any](p *Proc) Queue[Tag, T] {
	mustBePlainTag[Tag](p)
	mustBePlain[T](p, "a queue")
	q := p.makeQueue(tagRoom[Tag](), memory.TypeHash[Tag]()^3*memory.TypeHash[T]())
	return Queue[Tag, T]{q}
}

// tagRoom returns the size of a tag in a message: at least a word.
func tagRoom[Tag any]() int { return max(8, memory.Pad(memory.Size[Tag]())) }

func (p *Proc) makeQueue(tagBytes int, types uint64) *stream.Queue {
	p.mustNotCompute("an area or a queue is made or popped")
	q := p.process.Home.Stream.Registry.MakeQueue(&p.process.Data, tagBytes, types)
	if q == nil {
		p.refuseSlot("queues")
	}
	return q
}

// Send sends values with a tag to process pid (bsp_send). They are copied at
// once. A message may have no values.
//
// Errors: a pid that does not exist ends the run.
// BSP cost: tag and values in h of this process and of pid.
func (q Queue[Tag, T]) Send(pid int, tag Tag, values ...T) {
	if h := q.at; h != nil && len(values) == 1 && memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 {
		if b := h.Burst; b != nil && b.Takes(pid) {
			b.Pair(halfWord(tag), *(*uint64)(memory.At(values)))
			return
		}
	}
	q.send(pid, tag, values)
}

// halfWord returns a tag of half a word or less as an integer.
func halfWord[Tag any](tag Tag) (half uint32) {
	*(*Tag)(unsafe.Pointer(&half)) = tag
	return half
}

// send is the slow path of Send, for messages that do not extend the current burst.
//
//go:noinline
func (q Queue[Tag, T]) send(pid int, tag Tag, values []T) {
	h := q.made("Send")
	p := h.Process
	if uint(pid) >= uint(len(p.Out.Route)) {
		procOf(p).fail(KindPidOutOfRange, "Send to process %d; there are processes 0 to %d", pid, len(p.Out.Route)-1)
	}
	box, key := p.Out.Route[pid], h.Key|uint64(pid)<<stream.PidShift
	if memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 && len(values) == 1 {
		p.Did.Sent += 16
		if value := *(*uint64)(memory.At(values)); box.Follows(p.Pid, key, 8, 16) {
			box.JoinPairs(halfWord(tag), value)
			if b := p.Out.Burst(); b.Enough(box) {
				h.Lend(b, pid, box)
			}
		} else {
			box.SendPairs(p.Pid, key, halfWord(tag), value)
		}
		return
	}
	if memory.Size[Tag]() <= 8 && memory.Size[T]() == 8 && len(values) == 1 {
		var word uint64
		*(*Tag)(unsafe.Pointer(&word)) = tag
		p.Did.Sent += 16
		if value := *(*uint64)(memory.At(values)); box.Follows(p.Pid, key, 8, 16) {
			box.JoinWords(word, value)
		} else {
			box.SendWords(p.Pid, key, word, value)
		}
		return
	}
	size := len(values) * memory.Size[T]()
	p.Did.Sent += size + h.TagBytes
	box.Send(p.Pid, key, unsafe.Pointer(&tag), memory.Size[Tag](), tagRoom[Tag](), memory.At(values), size)
}

// made returns the stream queue. It ends the run if q is the zero Queue.
func (q Queue[Tag, T]) made(what string) *stream.Queue {
	if q.at == nil {
		panic(&Error{Kind: KindNotRegistered, Pid: -1, Site: site.OfProgram(), Text: what + ": this Queue was never made by NewQueue"})
	}
	return q.at
}

// Len returns the number of messages that have not been taken yet, and Bytes
// the number of bytes in their values (bsp_qsize).
func (q Queue[Tag, T]) Len() int { return q.made("Len").Count }

// Bytes: see Len.
func (q Queue[Tag, T]) Bytes() int { return q.made("Bytes").Payload() }

// Peek returns the tag of the next message and the number of its values
// without taking it, or ok false if the queue is empty (bsp_get_tag).
func (q Queue[Tag, T]) Peek() (tag Tag, values int, ok bool) {
	h := q.made("Peek")
	if h.Count == 0 {
		return tag, -1, false
	}
	return *(*Tag)(h.Current.At), h.Current.N / memory.Size[T](), true
}

// Next takes the next message and returns it without copying (bsp_hpmove):
// values may be read until the next Sync, which may be within a collective,
// and must not be changed.
func (q Queue[Tag, T]) Next() (tag Tag, values []T, ok bool) {
	h := q.at
	if h == nil || h.Count == 0 {
		q.made("Next")
		return tag, nil, false
	}
	if run := &h.Current; memory.Size[Tag]() <= 4 && memory.Size[T]() == 8 && run.Pairs && run.Count > 1 {
		h.Count--
		tag, word := run.NextOfPair()
		return *(*Tag)(tag), unsafe.Slice((*T)(word), 1), true
	}
	at, data, n := h.Take()
	if n > 0 {
		values = unsafe.Slice((*T)(data), n/memory.Size[T]())
	}
	return *(*Tag)(at), values, true
}

// Receive takes the next message, copies its values into to up to len(to), and
// returns the number of values copied (bsp_move). On an empty queue it ends the
// run.
func (q Queue[Tag, T]) Receive(to []T) int {
	h := q.made("Receive")
	if h.Count == 0 {
		procOf(h.Process).fail(KindQueueEmpty, "Receive: the queue is empty")
	}
	_, data, n := h.Take()
	values := min(n/memory.Size[T](), len(to))
	if values > 0 {
		memory.Copy(memory.At(to), data, values*memory.Size[T]())
	}
	return values
}

// All takes the messages one by one, as Next does.
func (q Queue[Tag, T]) All() iter.Seq2[Tag, []T] {
	return func(yield func(Tag, []T) bool) {
		for h := q.made("All"); h.Count > 0; {
			tag, values, _ := q.Next()
			if !yield(tag, values) {
				return
			}
		}
	}
}

// A program compiles the generic methods of this package for its own types. The compiler inlines
// into them only functions of other packages whose bodies are in this package's export data:
// those that this package has inlined somewhere itself. These instances, which are never called,
// make it do so. Without them a Send of a word takes an eighth longer.
var (
	_ = Queue[uint32, uint64].Send
	_ = Queue[uint64, uint64].Send
	_ = Queue[uint64, uint64].Next
	_ = Queue[uint64, uint64].Receive
	_ = Queue[uint64, uint64].Peek
	_ = Area[uint64].Put
	_ = Area[uint64].Get
)
