package state

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// writeHead writes all that stands before the body.
func (e *encoder) writeHead(extra []Memory) {
	e.head = append(e.head[:0], magic...)
	e.head = binary.LittleEndian.AppendUint32(e.head, version)
	e.head = binary.LittleEndian.AppendUint64(e.head, e.plan.layout)
	e.head = binary.LittleEndian.AppendUint64(e.head, 0)
	e.headNumbers(len(e.plan.name))
	e.head = append(e.head, e.plan.name...)
	e.writeExtra(extra)
	e.writeBlocks(extra)
	e.writeRanges()
	binary.LittleEndian.PutUint64(e.head[16:], uint64(e.total))
}

func (e *encoder) headNumbers(numbers ...int) {
	for _, x := range numbers {
		e.head = binary.AppendUvarint(e.head, uint64(x))
	}
}

// content writes bytes to the head or makes them a span.
func (e *encoder) content(p unsafe.Pointer, size uintptr) {
	if size >= spanBytes {
		e.headViews = append(e.headViews, view(p, size))
	} else if size > 0 {
		e.head = append(e.head, view(p, size)...)
	}
}

func (e *encoder) writeExtra(extra []Memory) {
	e.headNumbers(len(extra))
	for _, m := range extra {
		e.head = binary.AppendUvarint(e.head, m.Number)
		e.headNumbers(m.Bytes, m.Kept)
		e.content(m.Base, uintptr(m.Kept))
		e.total += int64(m.Bytes)
	}
}

func (e *encoder) writeBlocks(extra []Memory) {
	rest := e.order[min(len(e.order), 1+len(extra)):]
	e.headNumbers(len(rest))
	for _, i := range rest {
		b := &e.blocks[i]
		bytes := int(b.to - b.from)
		if b.n != nil {
			e.headNumbers(1+b.n.id, bytes/int(b.n.size))
			e.total += int64(bytes)
		} else {
			skew := int(b.from % b.align)
			e.headNumbers(0, bytes, skew)
			e.total += plainRoom(bytes, skew)
		}
		e.headNumbers(b.last - b.segments)
		end := b.from
		for _, s := range e.segments[b.segments:b.last] {
			e.headNumbers(int(s.from-end), int(s.to-s.from))
			e.content(s.base, s.to-s.from)
			end = s.to
		}
	}
}

func (e *encoder) writeRanges() {
	e.headNumbers(len(e.ranges) - 1)
	for i := 1; i < len(e.ranges); i++ {
		r := &e.ranges[i]
		b := &e.blocks[r.block]
		e.headNumbers(b.number, int(uintptr(r.base)-b.from), r.used, r.capacity-r.used)
	}
}

// image is the result, in memory of its own but for the spans.
func (e *encoder) image() Image {
	m := Image{Skeleton: slices.Concat(e.head, e.body)}
	if len(e.headViews)+len(e.bodyViews) > 0 {
		m.Spans = slices.Concat(e.headViews, e.bodyViews)
	}
	return m
}

// size is that of the image.
func (e *encoder) size() int64 {
	n := int64(len(e.head) + len(e.body))
	for _, views := range [][][]byte{e.headViews, e.bodyViews} {
		for _, v := range views {
			n += int64(len(v))
		}
	}
	return n
}

// What an encoder keeps for the next state: at most so many bytes and ranges.
const (
	keepBytes  = 1 << 20
	keepRanges = 1 << 14
	keepSeen   = 1 << 10
)

// release gives the encoder back without anything of the state.
func (e *encoder) release() {
	pool := e.plan.encoders
	if cap(e.head)+cap(e.body)+cap(e.own)+cap(e.keys) > keepBytes || cap(e.ranges)+cap(e.entries)+cap(e.objects) > keepRanges {
		*e = encoder{}
		pool.Put(e)
		return
	}
	clear(e.objects)
	clear(e.ranges)
	clear(e.blocks)
	clear(e.segments)
	clear(e.headViews)
	clear(e.bodyViews)
	old := *e
	*e = encoder{
		trail: trail{objects: old.objects[:0]}, ranges: old.ranges[:0],
		head: old.head[:0], body: old.body[:0], own: old.own[:0],
		headViews: old.headViews[:0], bodyViews: old.bodyViews[:0],
		seen: emptied(old.seen), maps: emptied(old.maps),
		sorter:   sorter{keys: old.keys[:0], entries: old.entries[:0]},
		resolver: resolver{spots: old.spots[:0], blocks: old.blocks[:0], order: old.order[:0], segments: old.segments[:0]},
	}
	pool.Put(e)
}

// emptied is the map without entries, or none if it was large.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > keepSeen {
		return nil
	}
	clear(m)
	return m
}
