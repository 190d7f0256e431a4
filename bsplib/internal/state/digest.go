package state

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// Odd multipliers: the first 64 bits after the point of three irrational
// numbers, the golden ratio and the square roots of 2 and 3.
const (
	mixWord = 0x9e3779b97f4a7c15
	mixLane = 0x6a09e667f3bcc909
	mixLast = 0xbb67ae8584caa73b
)

// Digest returns a hash of an image: of the skeleton and the spans, and of their boundaries. It is
// the same in every process. Any change within one aligned word of eight bytes changes it; of other
// changes one in 2^64 goes undetected. It is no protection against forgery.
//
// Cost: about the time to read the image from memory.
func Digest(image Image) uint64 {
	sums := make([]uint64, len(image.Spans))
	for i, s := range image.Spans {
		sums[i] = Sum(s)
	}
	return DigestOf(image.Skeleton, sums)
}

// DigestOf returns the digest of an image whose spans' sums are known.
func DigestOf(skeleton []byte, sums []uint64) uint64 {
	h := mix(uint64(len(sums)), Sum(skeleton))
	for _, sum := range sums {
		h = mix(h, sum)
	}
	return h
}

// Sum returns the sum of a span.
func Sum(span []byte) uint64 {
	var d spanDigest
	d.add(span)
	return d.sum()
}

// SumInPieces returns the sum of a span, and calls do to receive, write or await each piece of at
// most bytes bytes, a multiple of DigestLine; at is the offset of the piece. Each piece is summed
// right after do, while it is in the cache. An error of do ends SumInPieces.
func SumInPieces(span []byte, bytes int, do func(at int, piece []byte) error) (sum uint64, err error) {
	var d spanDigest
	at := 0
	for piece := range slices.Chunk(span, bytes) {
		if err := do(at, piece); err != nil {
			return 0, err
		}
		d.add(piece)
		at += len(piece)
	}
	return d.sum(), nil
}

// spanDigest computes the sum of a span from pieces. Given all words but one, different values of
// that word have different sums: every operation on it is invertible. The zero spanDigest is ready
// for use.
//
// Word i of a span is mixed into lane i modulo lanes. Mixing a word takes as long as two dependent
// multiplications; a processor reads three times eight words from its cache meanwhile.
type spanDigest struct {
	lanes digestLanes
	n     uint64
}

const (
	lanes     = 32
	lineWords = 8
	// DigestLine is the number of bytes that go to all lanes once.
	DigestLine = 8 * lanes
)

type digestLanes [lanes]uint64

// beginning holds the initial values of the lanes, all different.
var beginning = func() (l digestLanes) {
	for i := range l {
		l[i] = uint64(i) * mixLast
	}
	return l
}()

// add adds the next piece, whose length is a multiple of DigestLine unless it is the last.
func (d *spanDigest) add(b []byte) {
	if d.n == 0 {
		d.lanes = beginning
	}
	d.n += uint64(len(b))
	b = digestLines(&d.lanes, b)
	for i := 0; len(b) > 0; i++ {
		var word [8]byte
		b = b[copy(word[:], b):]
		d.lanes[i] = mix(d.lanes[i], binary.LittleEndian.Uint64(word[:]))
	}
}

// sum ends the span.
func (d *spanDigest) sum() uint64 {
	h := d.n
	if h == 0 {
		d.add(nil)
	}
	for i := range lineWords {
		lane := d.lanes[i]
		for k := i + lineWords; k < lanes; k += lineWords {
			lane = mix(lane, d.lanes[k])
		}
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

// digestLines mixes all whole lines of b, and returns the rest.
func digestLines(lanes *digestLanes, b []byte) []byte {
	if n := len(b) &^ (DigestLine - 1); hasMixLines && n > 0 {
		mixLines(lanes, unsafe.Pointer(unsafe.SliceData(b)), n, mixWord, mixLane)
		return b[n:]
	}
	return digestLinesPlain(lanes, b)
}

// digestBlock bytes stay in the cache until all lanes have read them.
const digestBlock = 16 << 10

func digestLinesPlain(lanes *digestLanes, b []byte) []byte {
	for len(b) >= DigestLine {
		n := min(len(b)&^(DigestLine-1), digestBlock)
		for first := 0; first < len(lanes); first += lineWords {
			digestEight((*[lineWords]uint64)(lanes[first:]), b[8*first:n])
		}
		b = b[n:]
	}
	return b
}

// digestEight mixes words for eight lanes: the first of each line that begins in b.
func digestEight(lanes *[lineWords]uint64, b []byte) {
	l0, l1, l2, l3 := lanes[0], lanes[1], lanes[2], lanes[3]
	l4, l5, l6, l7 := lanes[4], lanes[5], lanes[6], lanes[7]
	for {
		line := (*[lineWords]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
		l0 = mix(l0, line[0])
		l1 = mix(l1, line[1])
		l2 = mix(l2, line[2])
		l3 = mix(l3, line[3])
		l4 = mix(l4, line[4])
		l5 = mix(l5, line[5])
		l6 = mix(l6, line[6])
		l7 = mix(l7, line[7])
		if len(b) <= DigestLine {
			break
		}
		b = b[DigestLine:]
	}
	*lanes = [lineWords]uint64{l0, l1, l2, l3, l4, l5, l6, l7}
}
