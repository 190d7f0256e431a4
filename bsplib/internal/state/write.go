package state

import (
	"encoding/binary"
	"unsafe"
)

// headWriter writes all that stands before the body.
type headWriter struct {
	text  []byte
	views [][]byte // spans
	total int64    // bytes that decoding will allocate, those of the body included
}

// write writes the head of an image of these places and memories.
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
