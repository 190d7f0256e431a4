package state

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// memRange is memory that a reference leads to: capacity values of n, the
// first used of which count. Range 0 is the state itself.
type memRange struct {
	base           unsafe.Pointer
	n              *node
	used, capacity int
	from           place // where the reference stands
	block          int   // in which it lies
}

func (r *memRange) bytes() uintptr { return uintptr(r.capacity) * r.n.size }

// byteNode is the plan of the bytes of a large string.
var byteNode = &node{kind: plain, t: reflect.TypeFor[byte](), size: 1, align: 1, count: 1}

// block is the memory of ranges that overlap.
type block struct {
	from, to uintptr
	base     unsafe.Pointer
	n        *node   // type of its elements, nil if it is plain
	kind     owner   // who allocates it
	align    uintptr // the largest of a range in it
	number   int     // in the skeleton, -1 while it has none
	widest   int     // the range that ends last
	covered  uintptr // up to here a range's bytes are sent without segments
	segments int     // its first one; they end where those of the next block begin
	last     int
}

type owner uint8

const (
	stateItself owner = iota
	extraMemory
	ownMemory
)

// segment is a part of a block whose bytes are sent.
type segment struct {
	base     unsafe.Pointer
	from, to uintptr
}

// spot is the address of a range; index is -1-k for the extra memory k.
type spot struct {
	from, to uintptr
	rank     int // of spots with the same bytes, the lowest has the others in it
	index    int
}

// resolver finds the blocks.
type resolver struct {
	spots    []spot
	blocks   []block // by address
	order    []int   // blocks by number
	segments []segment
}

// resolve finds the blocks in which all ranges lie, and numbers them: 0 is the
// state, then come the extra memories, then the others as they are reached.
func (e *encoder) resolve(extra []Memory) error {
	if len(e.ranges) == 1 && len(extra) == 0 {
		return nil
	}
	e.findSpots(extra)
	for _, s := range e.spots {
		k := len(e.blocks) - 1
		if k < 0 || s.from >= e.blocks[k].to {
			e.openBlock(s, extra)
		} else if err := e.join(&e.blocks[k], s, extra); err != nil {
			return err
		}
	}
	e.order = append(e.order[:0], make([]int, 1+len(extra))...)
	for i := range e.blocks {
		if n := e.blocks[i].number; n >= 0 {
			e.order[n] = i
		}
	}
	for i := 1; i < len(e.ranges); i++ {
		b := &e.blocks[e.ranges[i].block]
		if b.number < 0 {
			b.number = len(e.order)
			e.order = append(e.order, e.ranges[i].block)
		}
	}
	return nil
}

// findSpots sorts all memory by address, the larger first where several parts
// begin at one.
func (e *encoder) findSpots(extra []Memory) {
	const fixed, bytes = -1 << 30, 1
	for i := range e.ranges {
		r := &e.ranges[i]
		rank := -r.n.height
		if i == 0 {
			rank = fixed
		} else if r.n.kind == plain {
			rank = bytes
		}
		if size := r.bytes(); size > 0 {
			e.spots = append(e.spots, spot{uintptr(r.base), uintptr(r.base) + size, rank, i})
		}
	}
	for k, m := range extra {
		if m.Bytes > 0 {
			e.spots = append(e.spots, spot{uintptr(m.Base), uintptr(m.Base) + uintptr(m.Bytes), fixed, -1 - k})
		}
	}
	slices.SortFunc(e.spots, func(a, b spot) int {
		switch {
		case a.from != b.from:
			return cmp.Compare(a.from, b.from)
		case a.to != b.to:
			return cmp.Compare(b.to, a.to)
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.index, b.index))
	})
}

// openBlock begins a block with s.
func (e *encoder) openBlock(s spot, extra []Memory) {
	b := block{from: s.from, to: s.to, widest: s.index, number: -1, kind: ownMemory, segments: len(e.segments), last: len(e.segments), align: 1}
	switch {
	case s.index < 0:
		b.kind, b.base, b.number, b.covered = extraMemory, extra[-1-s.index].Base, -s.index, s.to
	default:
		r := &e.ranges[s.index]
		b.base = r.base
		if s.index == 0 {
			b.kind, b.n, b.number, b.covered = stateItself, r.n, 0, s.to
		} else if r.n.kind != plain {
			b.n = r.n
		}
	}
	e.blocks = append(e.blocks, b)
	if s.index > 0 {
		e.admit(&e.blocks[len(e.blocks)-1], s)
	}
}

// join puts s into a block that it overlaps.
func (e *encoder) join(b *block, s spot, extra []Memory) error {
	if s.index <= 0 {
		return e.overlap(b, s, extra, "this memory cannot lie in other memory")
	}
	r := &e.ranges[s.index]
	off := s.from - b.from
	switch {
	case s.to > b.to:
		alike := b.n == nil && r.n.kind == plain || b.n == r.n && off%r.n.size == 0
		if b.kind != ownMemory || !alike {
			return e.overlap(b, s, extra, "one reaches beyond the other")
		}
		b.to, b.widest = s.to, s.index
	case b.n == nil && r.n.kind != plain,
		b.n != nil && !holds(b.n, int((b.to-b.from)/b.n.size), off, r.n, r.capacity):
		return e.overlap(b, s, extra, "the one has no "+r.n.t.String()+" where the other points")
	}
	e.admit(b, s)
	return nil
}

// admit notes that a range is in a block and which bytes of it are to be sent.
func (e *encoder) admit(b *block, s spot) {
	r := &e.ranges[s.index]
	r.block = len(e.blocks) - 1
	b.align = max(b.align, r.n.align)
	end := s.from + uintptr(r.used)*r.n.size
	switch {
	case r.n.kind != plain:
		b.covered = max(b.covered, end)
	case end <= b.covered || end == s.from:
	case b.last > b.segments && b.continues(s.from, e.segments[b.last-1].to):
		e.segments[b.last-1].to = max(e.segments[b.last-1].to, end)
	default:
		e.segments = append(e.segments, segment{r.base, s.from, end})
		b.last = len(e.segments)
	}
}

// continues tells whether bytes from an address on may be sent with those that
// end at another. In a block with references what only touches may belong to
// another field.
func (b *block) continues(from, end uintptr) bool {
	return from < end || from == end && b.n == nil
}

// overlap is the error about memory that is shared in a way that cannot be
// kept.
func (e *encoder) overlap(b *block, s spot, extra []Memory, why string) error {
	return fmt.Errorf("%s and %s share memory in a way that cannot be kept: %s",
		e.nameOf(s.index, extra), e.nameOf(b.widest, extra), why)
}

func (e *encoder) nameOf(index int, extra []Memory) string {
	switch {
	case index < 0:
		m := extra[-1-index]
		return fmt.Sprintf("memory %d of %d bytes", m.Number, m.Bytes)
	case index == 0:
		return "state (as a whole)"
	}
	return e.path(e.ranges[index].from, e.body)
}
