package state

import (
	"cmp"
	"slices"
	"unsafe"
)

// Memory is plain memory that belongs to the state but that the caller has allocated: an area's. Its
// first Kept bytes are encoded; the others are decoded as zeros, also where slices of the state show
// them. Slices, strings and pointers of the state that refer to it still do after decoding. Memories
// must not overlap. Padding in them is sent unchanged, except where slices show it.
type Memory struct {
	Base   unsafe.Pointer
	Bytes  int
	Kept   int
	Number uint64 // identifies the memory in Decode's allocate
}

// memRange is the target of a reference: memory for capacity values of n, with the first used ones in
// use. Range 0 is the state itself.
type memRange struct {
	base           unsafe.Pointer
	n              *node
	used, capacity int
	from           place // location of the reference
	block          int   // index of its block
}

func (r *memRange) bytes() uintptr { return uintptr(r.capacity) * r.n.size }

// block is the memory of ranges that overlap.
type block struct {
	from, to uintptr
	base     unsafe.Pointer
	n        *node   // type of its elements, nil if it is plain
	kind     owner   // its allocator
	align    uintptr // the largest alignment of its ranges
	number   int     // in the skeleton, -1 before
	widest   int     // the range that ends last
	covered  uintptr // up to here a range's bytes are sent without segments
	segments int     // index of the first segment; they end at the next block's first
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

// overlap describes memory shared in an unsupported form.
type overlap struct {
	one, other int // as the index of a spot
	why        string
}

// resolver finds the blocks.
type resolver struct {
	ranges   []memRange
	extra    []Memory
	spots    []spot
	blocks   []block // by address
	order    []int   // blocks by number
	segments []segment
}

// resolve assigns all ranges to blocks, and numbers the blocks: 0 is the state, followed by the extra
// memories and then the others in the order of first reference.
func (x *resolver) resolve(extra []Memory) *overlap {
	x.extra = extra
	if len(x.ranges) == 1 && len(extra) == 0 {
		return nil
	}
	x.findSpots()
	for _, s := range x.spots {
		k := len(x.blocks) - 1
		if k < 0 || s.from >= x.blocks[k].to {
			x.openBlock(s)
		} else if wrong := x.join(&x.blocks[k], s); wrong != nil {
			return wrong
		}
	}
	x.order = append(x.order[:0], make([]int, 1+len(extra))...)
	for i := range x.blocks {
		if n := x.blocks[i].number; n >= 0 {
			x.order[n] = i
		}
	}
	for i := 1; i < len(x.ranges); i++ {
		b := &x.blocks[x.ranges[i].block]
		if b.number < 0 {
			b.number = len(x.order)
			x.order = append(x.order, x.ranges[i].block)
		}
	}
	return nil
}

// findSpots sorts all memory by address, the larger first where several parts
// begin at one.
func (x *resolver) findSpots() {
	const fixed, bytes = -1 << 30, 1
	for i := range x.ranges {
		r := &x.ranges[i]
		rank := -r.n.height
		if i == 0 {
			rank = fixed
		} else if r.n.kind == plain {
			rank = bytes
		}
		if size := r.bytes(); size > 0 {
			x.spots = append(x.spots, spot{uintptr(r.base), uintptr(r.base) + size, rank, i})
		}
	}
	for k, m := range x.extra {
		if m.Bytes > 0 {
			x.spots = append(x.spots, spot{uintptr(m.Base), uintptr(m.Base) + uintptr(m.Bytes), fixed, -1 - k})
		}
	}
	slices.SortFunc(x.spots, func(a, b spot) int {
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
func (x *resolver) openBlock(s spot) {
	b := block{from: s.from, to: s.to, widest: s.index, number: -1, kind: ownMemory, segments: len(x.segments), last: len(x.segments), align: 1}
	switch {
	case s.index < 0:
		b.kind, b.base, b.number, b.covered = extraMemory, x.extra[-1-s.index].Base, -s.index, s.to
	default:
		r := &x.ranges[s.index]
		b.base = r.base
		if s.index == 0 {
			b.kind, b.n, b.number, b.covered = stateItself, r.n, 0, s.to
		} else if r.n.kind != plain {
			b.n = r.n
		}
	}
	x.blocks = append(x.blocks, b)
	if s.index > 0 {
		x.admit(&x.blocks[len(x.blocks)-1], s)
	}
}

// join adds s to a block that it overlaps.
func (x *resolver) join(b *block, s spot) *overlap {
	if s.index <= 0 {
		return &overlap{s.index, b.widest, "this memory cannot lie in other memory"}
	}
	r := &x.ranges[s.index]
	off := s.from - b.from
	switch {
	case s.to > b.to:
		alike := b.n == nil && r.n.kind == plain || b.n == r.n && off%r.n.size == 0
		if b.kind != ownMemory || !alike {
			return &overlap{s.index, b.widest, "one reaches beyond the other"}
		}
		b.to, b.widest = s.to, s.index
	case b.n == nil && r.n.kind != plain,
		b.n != nil && !holds(b.n, int((b.to-b.from)/b.n.size), off, r.n, r.capacity):
		return &overlap{s.index, b.widest, "the one has no " + r.n.t.String() + " where the other points"}
	}
	x.admit(b, s)
	return nil
}

// admit records the block of a range and the bytes of it that must be sent.
func (x *resolver) admit(b *block, s spot) {
	r := &x.ranges[s.index]
	r.block = len(x.blocks) - 1
	b.align = max(b.align, r.n.align)
	end := s.from + uintptr(r.used)*r.n.size
	switch {
	case r.n.kind != plain:
		b.covered = max(b.covered, end)
	case end <= b.covered || end == s.from:
	case b.last > b.segments && b.continues(s.from, x.segments[b.last-1].to):
		x.segments[b.last-1].to = max(x.segments[b.last-1].to, end)
	default:
		x.segments = append(x.segments, segment{r.base, s.from, end})
		b.last = len(x.segments)
	}
}

// continues reports whether the bytes beginning at from may be sent together with those that end at
// end. In a block with references, adjacent bytes may belong to another field.
func (b *block) continues(from, end uintptr) bool {
	return from < end || from == end && b.n == nil
}
