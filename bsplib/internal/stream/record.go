// Package stream is the data path of a program: it carries puts, gets and messages from the call to
// the destination process. Records for another rank wait in an Outbox until the superstep ends; an
// exchange of the data lane transfers them (package mpi), and the receiver executes them
// (Stream.Deliver).
//
// All communication of a superstep between two ranks is one message. The order of delivery is a
// contract of the library (results do not depend on the mapping), and the stream keeps it at no cost:
// records of a process are in program order, processes of a rank by pid, and the receiver merges the
// ranks' streams by pid.
package stream

import "github.com/migbsp/migbsp/bsplib/internal/memory"

// A stream contains the data that one rank sends to another in a superstep. All code that writes to
// an outbox or reads a stream, in any language, must keep to the following layout.
//
// A stream is a sequence of records, in words of 8 bytes of the machine's byte order. A record
// begins at a whole word, and its words count from 0. Word 0 is
//
//	kind (4 bits, the lowest) | slot (20 bits) | pid (40 bits)
//
// where pid is the addressed process, or the sender for KindSegment, KindRegister and KindCollective, and
// slot the number of the area or queue. The rest depends on the kind:
//
//	kind      words that follow                               bytes that follow
//	Segment   1: bytes of the records that follow
//	Put       1: offset<<24 | n                               n, padded to a word
//	PutLong   1: offset  2: pad<<56 | n                       pad, then n, padded to a word
//	Get       1: offset  2: n
//	Send      1: messages<<24 | bytes of tag  2: n            of each message its tag, then n, padded to a word
//	Received  1: n received outside the stream
//	Served    1: n sent outside the stream
//	Pull      1: offset  2: n  3: ref to copy them from
//	Register  1: action  2: count  3: hash of types  4: ref
//	Collective  1: n                                          n, padded to a word
//	Run       1: offset  2: n, which are sent as an mpi.Run
//	GetRun    1: offset  2: n, to be sent as an mpi.Run
//
// Offsets and n count bytes. Invariants:
//
//   - A stream begins with a Segment, and the records of one process follow its Segment.
//     Segments are in the order of pids.
//   - n of a Put is less than ShortLimit, and its offset less than 1<<(64-ShortBits). Longer
//     data go as PutLong, whose bytes begin at a line of the cache for that pad.
//   - The messages of a Send are of one length. Their tags take whole words, at least one,
//     unless the number of tag bytes is PairTag: then n is 8, tags have 4 bytes, and messages
//     are in pairs, both tags (the first one in the lower bytes) and then both words of data. The
//     last pair may have its first message only.
//   - A record is valid when it is written: delivery does not check it.
const (
	KindNone       = 0
	KindSegment    = 1
	KindPut        = 2
	KindPutLong    = 3
	KindGet        = 4
	KindSend       = 5
	KindReceived   = 6
	KindServed     = 7
	KindPull       = 8
	KindRegister   = 9
	KindCollective = 10
	KindRun        = 11
	KindGetRun     = 12
)

// Layout of the words of records.
const (
	KindBits = 4
	SlotBits = 20
	PidShift = KindBits + SlotBits

	ShortBits  = 24
	ShortLimit = 1 << ShortBits // a Put has fewer bytes
	LongPut    = 4 << 10        // data of at least this length are sent as PutLong
	PadShift   = 56

	MessageBits = 24
	OneMessage  = 1 << MessageBits // in word 1 of a Send
	PairTag     = 4
)

// Word0 returns the first word of a record.
func Word0(kind, slot, pid int) uint64 {
	return uint64(kind) | uint64(slot)<<KindBits | uint64(pid)<<PidShift
}

// KindOf, SlotOf and PidOf return the fields of word 0.
func KindOf(w uint64) int { return int(w & (1<<KindBits - 1)) }

// SlotOf: see KindOf.
func SlotOf(w uint64) int { return int(w >> KindBits & (1<<SlotBits - 1)) }

// PidOf: see KindOf.
func PidOf(w uint64) int { return int(w >> PidShift) }

// longSizes splits word 2 of a PutLong.
func longSizes(w uint64) (pad, n int) { return int(w >> PadShift), int(w & (1<<PadShift - 1)) }

// putWords splits word 1 of a Put.
func putWords(w uint64) (offset, n int) { return int(w >> ShortBits), int(w & (ShortLimit - 1)) }

// messages splits words 1 and 2 of a message record.
func messages(w1, w2 uint64) (count, tag, n int) {
	return int(w1 >> MessageBits), int(w1 & (OneMessage - 1)), int(w2)
}

// messageBytes returns the size of count messages in a record.
func messageBytes(count, tag, n int) int {
	if tag == PairTag {
		return 8 * (count + (count+1)/2)
	}
	return count * (tag + memory.Pad(n))
}

// pairsIn returns the number of messages in n bytes of pairs.
func pairsIn(n int) int { return n/24*2 + n%24/16 }

// messageWords returns the size of messages as counted in h.
func messageWords(count, tag, n int) int { return count * (memory.Pad(tag) + n) }

// RecordEnd returns the end of the record at i of stream b. For segment headers that is the first
// record in the segment.
func RecordEnd(b []byte, i int) int {
	switch KindOf(*memory.Word(b, i)) {
	case KindPut:
		return i + 16 + memory.Pad(int(*memory.Word(b, i+8)&(ShortLimit-1)))
	case KindPutLong:
		pad, n := longSizes(*memory.Word(b, i+16))
		return i + 24 + pad + memory.Pad(n)
	case KindSend:
		count, tag, n := messages(*memory.Word(b, i+8), *memory.Word(b, i+16))
		return i + 24 + messageBytes(count, tag, n)
	case KindGet, KindRun, KindGetRun:
		return i + 24
	case KindPull:
		return i + 32
	case KindRegister:
		return i + 40
	case KindSegment, KindReceived, KindServed:
		return i + 16
	case KindCollective:
		return i + 16 + memory.Pad(int(*memory.Word(b, i+8)))
	default:
		panic("bsplib: unknown record in a stream between ranks")
	}
}
