package state

import (
	"encoding/binary"
	"math/bits"
)

// Odd multipliers: the first 64 bits after the point of three irrational
// numbers, the golden ratio and the square roots of 2 and 3.
const (
	mixWord = 0x9e3779b97f4a7c15
	mixLane = 0x6a09e667f3bcc909
	mixLast = 0xbb67ae8584caa73b
)

// Digest is a number that tells images apart: of the skeleton and the spans,
// and where one ends and the next begins. It is the same in every process. Any
// change within one aligned word of eight bytes changes it; of other changes
// one in 2^64 goes unseen. It is no protection against forgery.
//
// Cost: about that of reading the image from memory.
func Digest(image Image) uint64 {
	h := mix(uint64(len(image.Spans)), digestPiece(image.Skeleton))
	for _, s := range image.Spans {
		h = mix(h, digestPiece(s))
	}
	return h
}

// digestPiece is the digest of bytes and their number. Given all words but
// one, each value of that one has a digest of its own: every operation on it
// can be undone.
func digestPiece(b []byte) uint64 {
	lanes := [8]uint64{0, mixWord, mixLane, mixLast, 1, ^uint64(mixWord), ^uint64(mixLane), ^uint64(mixLast)}
	n := uint64(len(b))
	b = digestLines(&lanes, b)
	for i := 0; len(b) > 0; i++ {
		var word [8]byte
		b = b[copy(word[:], b):]
		lanes[i] = mix(lanes[i], binary.LittleEndian.Uint64(word[:]))
	}
	h := n
	for _, lane := range lanes {
		h = mix(h, lane)
		h ^= h >> 32
	}
	h *= mixLast
	return h ^ h>>29
}

// mix puts a word into a lane.
func mix(lane, word uint64) uint64 {
	return bits.RotateLeft64(lane^word*mixWord, 29) * mixLane
}

// digestLines mixes as many lines of 64 bytes as there are, and returns what
// is left.
func digestLines(lanes *[8]uint64, b []byte) []byte {
	l0, l1, l2, l3 := lanes[0], lanes[1], lanes[2], lanes[3]
	l4, l5, l6, l7 := lanes[4], lanes[5], lanes[6], lanes[7]
	for ; len(b) >= 64; b = b[64:] {
		line := (*[64]byte)(b)
		l0 = mix(l0, binary.LittleEndian.Uint64(line[0:]))
		l1 = mix(l1, binary.LittleEndian.Uint64(line[8:]))
		l2 = mix(l2, binary.LittleEndian.Uint64(line[16:]))
		l3 = mix(l3, binary.LittleEndian.Uint64(line[24:]))
		l4 = mix(l4, binary.LittleEndian.Uint64(line[32:]))
		l5 = mix(l5, binary.LittleEndian.Uint64(line[40:]))
		l6 = mix(l6, binary.LittleEndian.Uint64(line[48:]))
		l7 = mix(l7, binary.LittleEndian.Uint64(line[56:]))
	}
	*lanes = [8]uint64{l0, l1, l2, l3, l4, l5, l6, l7}
	return b
}
