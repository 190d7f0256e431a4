package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Messages is a contiguous run of messages of n bytes each: in a buffer of the engine, which holds
// them until the rank's next exchange on that lane, or in memory of their own. Each is preceded by
// its padded tag. Pairs have both tags in the word before the first one's payload.
type Messages struct {
	At    unsafe.Pointer // of the next tag
	Count int
	N     int  // bytes of each
	room  int  // from a tag to its payload
	step  int  // from a tag to the next
	Pairs bool // of words: room and step differ for the second of a pair
	own   bool // in memory of their own
}

// Distances within pairs: from the first tag to its payload and to the second tag, and from the
// second tag to its payload and to the next pair.
const (
	pairRoom, pairStep     = 8, 4
	secondRoom, secondStep = 12, 20
)

// messagesOf returns the messages of a record.
func messagesOf(at unsafe.Pointer, count, tag, n int) Messages {
	if tag == PairTag {
		return Messages{At: at, Count: count, N: n, room: pairRoom, step: pairStep, Pairs: true}
	}
	return Messages{At: at, Count: count, N: n, room: tag, step: tag + memory.Pad(n)}
}

// next takes a message of the run, which must not be empty. data is nil if messages have no payload,
// because the address behind the last tag may be invalid.
func (run *Messages) next() (tag, data unsafe.Pointer) {
	tag = run.At
	if run.N > 0 {
		data = unsafe.Add(run.At, run.room)
	}
	if run.Count--; run.Count > 0 {
		run.At = unsafe.Add(tag, run.step)
	}
	if run.Pairs {
		run.room ^= pairRoom ^ secondRoom
		run.step ^= pairStep ^ secondStep
	}
	return tag, data
}

// NextOfPair is next for a run of pairs with at least two messages left.
func (run *Messages) NextOfPair() (tag, data unsafe.Pointer) {
	tag = run.At
	run.Count--
	if run.room == pairRoom {
		run.room, run.step = secondRoom, secondStep
		run.At = unsafe.Add(tag, pairStep)
		return tag, unsafe.Add(tag, pairRoom)
	}
	run.room, run.step = pairRoom, pairStep
	run.At = unsafe.Add(tag, secondStep)
	return tag, unsafe.Add(tag, secondRoom)
}

// single returns the run with a padded tag before each message.
func (run Messages) single() Messages {
	if !run.Pairs {
		return run
	}
	mem := make([]uint64, 2*run.Count)
	to := Messages{At: memory.At(mem), Count: run.Count, N: run.N, room: 8, step: 16, own: true}
	for ; run.Count > 0; mem = mem[2:] {
		tag, data := run.next()
		*(*uint32)(memory.At(mem)) = *(*uint32)(tag)
		mem[1] = *(*uint64)(data)
	}
	return to
}

// keep copies the messages out of the engine's buffer.
func (run *Messages) keep() {
	if run.own {
		return
	}
	if run.Pairs {
		*run = run.single()
		return
	}
	mem := make([]uint64, run.Count*run.step/8)
	memory.Copy(memory.At(mem), run.At, 8*len(mem))
	run.At, run.own = memory.At(mem), true
}
