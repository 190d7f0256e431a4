package bsplib

import "unsafe"

// What one rank sends to another in a superstep is a run of records, in words
// of 8 bytes. The records of one process follow its segment header; segments
// stand in the order of the processes on the rank, which is by pid, and the
// records within in program order. Word 0 of every record is
//
//	kind (4 bits) | slot (20 bits) | pid (40 bits)
//
// where pid is the process addressed, or for segment and registration the one
// that speaks.
const (
	kindNone     = iota
	kindSegment  // w1: bytes of records that follow
	kindPut      // w1: offset<<24 | length, then the bytes
	kindPutLong  // w1: offset, w2: padding<<56 | length, then padding and the bytes
	kindGet      // w1: offset, w2: length
	kindSend     // w1: messages<<24 | bytes of tag, w2: length of each, then tag and bytes of each
	kindReceived // w1: bytes that came to the process by another way
	kindServed   // w1: bytes that left the process by another way
	kindTake     // w1: offset, w2: length, w3: ref of memory to copy from
	kindRegister // w1: action, w2: count, w3: hash of the types, w4: ref
)

const (
	kindBits = 4
	slotBits = 20
	pidShift = kindBits + slotBits

	shortBits  = 24
	shortLimit = 1 << shortBits // a short put's length is below this
	longPut    = 4 << 10        // from this length a put is sent as a long one, whose bytes begin at a cache line
	padShift   = 56
)

// longSizes takes apart word 2 of a long put.
func longSizes(w uint64) (pad, n int) { return int(w >> padShift), int(w & (1<<padShift - 1)) }

// word0 makes the first word of a record.
func word0(kind, slot, pid int) uint64 {
	return uint64(kind) | uint64(slot)<<kindBits | uint64(pid)<<pidShift
}

// A message record holds a run of messages of one length; oneMessage counts
// them in its word 1, beside the bytes of a padded tag.
const (
	messageBits = 24
	oneMessage  = 1 << messageBits
)

// messages takes apart words 1 and 2 of a message record.
func messages(w1, w2 uint64) (count, tag, n int) {
	return int(w1 >> messageBits), int(w1 & (oneMessage - 1)), int(w2)
}

func kindOf(w uint64) int { return int(w & (1<<kindBits - 1)) }
func slotOf(w uint64) int { return int(w >> kindBits & (1<<slotBits - 1)) }
func pidOf(w uint64) int  { return int(w >> pidShift) }

// pad8 rounds up to a whole number of words.
func pad8(n int) int { return (n + 7) &^ 7 }

// wordAt is the word at byte offset i of b.
func wordAt(b []byte, i int) *uint64 {
	_ = b[i+7]
	return (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}
