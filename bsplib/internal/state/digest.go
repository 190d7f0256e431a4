package state

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
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
	sums := make([]uint64, len(image.Spans))
	for i, s := range image.Spans {
		sums[i] = digestPiece(s)
	}
	return DigestOf(image.Skeleton, sums)
}

// DigestOf is Digest of an image whose spans' sums are known: see SpanDigest.
func DigestOf(skeleton []byte, sums []uint64) uint64 {
	h := mix(uint64(len(sums)), digestPiece(skeleton))
	for _, sum := range sums {
		h = mix(h, sum)
	}
	return h
}

func digestPiece(b []byte) uint64 {
	var d SpanDigest
	d.Add(b)
	return d.Sum()
}

// SpanDigest takes the sum of a span that comes in pieces. Given all words but
// one, each value of that one has a sum of its own: every operation on it can
// be undone. The zero SpanDigest is ready for use.
type SpanDigest struct {
	lanes [8]uint64
	n     uint64
}

// Add takes the next piece, whose length is a multiple of 64 unless it is the
// last.
func (d *SpanDigest) Add(b []byte) {
	if d.n == 0 {
		d.lanes = [8]uint64{0, mixWord, mixLane, mixLast, 1, ^uint64(mixWord), ^uint64(mixLane), ^uint64(mixLast)}
	}
	d.n += uint64(len(b))
	b = digestLines(&d.lanes, b)
	for i := 0; len(b) > 0; i++ {
		var word [8]byte
		b = b[copy(word[:], b):]
		d.lanes[i] = mix(d.lanes[i], binary.LittleEndian.Uint64(word[:]))
	}
}

// Sum ends the span.
func (d *SpanDigest) Sum() uint64 {
	h := d.n
	if h == 0 {
		d.Add(nil)
	}
	for _, lane := range d.lanes {
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
	if n := len(b) &^ 63; hasMixLines && n > 0 {
		mixLines(lanes, unsafe.Pointer(unsafe.SliceData(b)), n, mixWord, mixLane)
		return b[n:]
	}
	return digestLinesPlain(lanes, b)
}

func digestLinesPlain(lanes *[8]uint64, b []byte) []byte {
	l0, l1, l2, l3 := lanes[0], lanes[1], lanes[2], lanes[3]
	l4, l5, l6, l7 := lanes[4], lanes[5], lanes[6], lanes[7]
	for ; len(b) >= 64; b = b[64:] {
		line := (*[8]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
		l0 = mix(l0, line[0])
		l1 = mix(l1, line[1])
		l2 = mix(l2, line[2])
		l3 = mix(l3, line[3])
		l4 = mix(l4, line[4])
		l5 = mix(l5, line[5])
		l6 = mix(l6, line[6])
		l7 = mix(l7, line[7])
	}
	*lanes = [8]uint64{l0, l1, l2, l3, l4, l5, l6, l7}
	return b
}
