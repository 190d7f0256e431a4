package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Image is an encoded state. Spans view the state's own memory: they are valid
// until it changes.
type Image struct {
	Skeleton []byte
	Spans    [][]byte
}

// Bytes returns the size of the image.
func (m Image) Bytes() int64 {
	n := int64(len(m.Skeleton))
	for _, s := range m.Spans {
		n += int64(len(s))
	}
	return n
}

// A skeleton is a head, the extra memories, the blocks, the ranges and the
// body. Numbers in it are uvarints, but for the first fields of the head:
//
//	magic (4 bytes), version (4), layout hash (8), bytes to allocate (8),
//	length of the type's name, name
//	number of extra memories; each: number, bytes, number of them that are
//	    kept, [content if small]
//	number of blocks; each: type (0 for plain, else node + 1), bytes or count,
//	    skew if plain, number of segments; each: gap, bytes, [content if small]
//	number of ranges; each: block, offset, elements used, elements unused
//	body: the objects' contents, in the order of first reference
//
// Content of spanBytes and more is a span. Blocks and ranges are numbered on
// from the state itself, which is block 0 and range 0 and not in the lists.
const (
	magic     = "bspS"
	version   = 2
	fixedHead = 4 + 4 + 8 + 8
)

// A reference in the body is one of these numbers: nil, a slice without memory, or toRange plus the
// number of a range.
const (
	toNothing = 0
	toNoBytes = 1
	toRange   = 2
)

// spanBytes is the size in bytes from which plain memory is a span instead of being copied.
const spanBytes = 4 << 10

// largestImage is the maximum size in bytes that a skeleton may request.
const largestImage = 1 << 46

// head is the beginning of a skeleton.
type head struct {
	layout uint64
	total  int64
	name   string
}

// ImageBytes returns the number of bytes that Decode will allocate for a skeleton, extra memories
// included. It reads only the head, and accepts skeletons of any type. Compare the result with the
// available memory before decoding.
func ImageBytes(skeleton []byte) (int64, error) {
	r := reader{data: skeleton}
	h, err := r.head()
	return h.total, err
}

// head reads the head.
func (r *reader) head() (head, error) {
	if len(r.data) < fixedHead || string(r.data[:4]) != magic {
		return head{}, errors.New("not a skeleton of a state")
	}
	if v := binary.LittleEndian.Uint32(r.data[4:]); v != version {
		return head{}, fmt.Errorf("a skeleton of format %d; this program reads format %d", v, version)
	}
	total := binary.LittleEndian.Uint64(r.data[16:])
	if total > largestImage {
		return head{}, fmt.Errorf("a skeleton of %d bytes: a state has %d at most", total, int64(largestImage))
	}
	r.at = fixedHead
	name, ok := r.take(r.number())
	if !ok {
		return head{}, errors.New("a skeleton that ends in its head")
	}
	return head{binary.LittleEndian.Uint64(r.data[8:]), int64(total), string(name)}, nil
}

// reader reads numbers and bytes. It sets bad if the data end too early.
type reader struct {
	data []byte
	at   int
	bad  bool
}

func (r *reader) left() int { return len(r.data) - r.at }

func (r *reader) number() uint64 {
	if r.at < len(r.data) && r.data[r.at] < 0x80 {
		r.at++
		return uint64(r.data[r.at-1])
	}
	x, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return x
}

// count reads a number that is at most limit.
func (r *reader) count(limit int) int {
	x := r.number()
	if x > uint64(limit) {
		r.bad = true
		return 0
	}
	return int(x)
}

// size reads a number of bytes or elements.
func (r *reader) size() int { return r.count(math.MaxInt) }

func (r *reader) take(n uint64) ([]byte, bool) {
	if r.bad || n > uint64(r.left()) {
		r.bad = true
		return nil, false
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at], true
}

// Encoders and decoders keep memory for the next state: at most this many bytes, ranges and map
// entries.
const (
	keepBytes  = 1 << 20
	keepRanges = 1 << 14
	keepSeen   = 1 << 10
)

// headWriter writes the part of a skeleton before the body.
type headWriter struct {
	text  []byte
	views [][]byte // spans
	total int64    // bytes that decoding will allocate, including the body's
}

// write writes the head of an image with these places and memories.
func (w *headWriter) write(l *layout, places *resolver, extra []Memory) {
	w.text = append(w.text[:0], magic...)
	w.text = binary.LittleEndian.AppendUint32(w.text, version)
	w.text = binary.LittleEndian.AppendUint64(w.text, l.hash)
	w.text = binary.LittleEndian.AppendUint64(w.text, 0)
	w.numbers(len(l.name))
	w.text = append(w.text, l.name...)
	w.writeExtra(extra)
	w.writeBlocks(places, len(extra))
	w.writeRanges(places)
	binary.LittleEndian.PutUint64(w.text[16:], uint64(w.total))
}

func (w *headWriter) numbers(numbers ...int) {
	for _, x := range numbers {
		w.text = binary.AppendUvarint(w.text, uint64(x))
	}
}

// content writes bytes to the head or makes them a span.
func (w *headWriter) content(p unsafe.Pointer, size uintptr) {
	if size >= spanBytes {
		w.views = append(w.views, view(p, size))
	} else if size > 0 {
		w.text = append(w.text, view(p, size)...)
	}
}

func (w *headWriter) writeExtra(extra []Memory) {
	w.numbers(len(extra))
	for _, m := range extra {
		w.text = binary.AppendUvarint(w.text, m.Number)
		w.numbers(m.Bytes, m.Kept)
		w.content(m.Base, uintptr(m.Kept))
		w.total += int64(m.Bytes)
	}
}

func (w *headWriter) writeBlocks(places *resolver, extra int) {
	rest := places.order[min(len(places.order), 1+extra):]
	w.numbers(len(rest))
	for _, i := range rest {
		b := &places.blocks[i]
		bytes := int(b.to - b.from)
		if b.n != nil {
			w.numbers(1+b.n.id, bytes/int(b.n.size))
			w.total += int64(bytes)
		} else {
			skew := int(b.from % b.align)
			w.numbers(0, bytes, skew)
			w.total += plainRoom(bytes, skew)
		}
		w.numbers(b.last - b.segments)
		end := b.from
		for _, s := range places.segments[b.segments:b.last] {
			w.numbers(int(s.from-end), int(s.to-s.from))
			w.content(s.base, s.to-s.from)
			end = s.to
		}
	}
}

func (w *headWriter) writeRanges(places *resolver) {
	w.numbers(len(places.ranges) - 1)
	for i := 1; i < len(places.ranges); i++ {
		r := &places.ranges[i]
		b := &places.blocks[r.block]
		w.numbers(b.number, int(uintptr(r.base)-b.from), r.used, r.capacity-r.used)
	}
}
