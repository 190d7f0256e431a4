package state

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// decoder decodes one skeleton. It allocates all blocks first and then fills the objects in the order
// in which their references appear, as the encoder did.
type decoder struct {
	layout  *layout
	handles Handles
	trail   trail
	in      reader
	budget  int64 // bytes that may still be allocated
	spans   [][]byte
	blocks  []memory
	ranges  []arrival
	next    int // the first range without a reference to it so far
	maps    []arrivedMap
	slot    uintptr // address of the value that is being decoded
	asKey   bool
	aside   bool
	err     error
}

// memory is a block that has been allocated: count values of n, or bytes.
type memory struct {
	unzeroed bool // its bytes are arbitrary before they are filled
	base     unsafe.Pointer
	n        *node // nil for plain bytes
	count    int
	bytes    int
}

// arrival is a range in a block.
type arrival struct {
	block, off     int
	used, capacity int
	n              *node // the type of the first reference to it
}

var errDamaged = errors.New("the skeleton is damaged")

func (d *decoder) decode(l *layout, handles Handles, skeleton []byte, state unsafe.Pointer, allocate func(uint64, int) (unsafe.Pointer, error)) ([][]byte, error) {
	d.layout, d.handles, d.in.data = l, handles, skeleton
	if err := d.begin(); err != nil {
		return nil, err
	}
	d.blocks = append(d.blocks, memory{base: state, n: l.unit, count: l.units, bytes: l.units * int(l.unit.size)})
	d.ranges = append(d.ranges, arrival{used: l.units, capacity: l.units, n: l.unit})
	d.next = 1
	if err := d.readExtra(allocate); err != nil {
		return nil, err
	}
	if err := d.readBlocks(); err != nil {
		return nil, err
	}
	if err := d.readRanges(); err != nil {
		return nil, err
	}
	d.trail.objects = append(d.trail.objects, object{n: l.unit, base: state, count: l.units, shape: l.t})
	for i := 0; i < len(d.trail.objects); i++ {
		if d.object(i); d.err != nil {
			return nil, d.err
		}
	}
	if d.in.left() > 0 || d.next < len(d.ranges) || d.budget != 0 {
		return nil, fmt.Errorf("%w: it describes more than its state has room for", errDamaged)
	}
	return d.spans, nil
}

// begin checks the head.
func (d *decoder) begin() error {
	h, err := d.in.head()
	if err != nil {
		return err
	}
	if l := d.layout; h.layout != l.hash || h.name != l.name {
		return fmt.Errorf("a skeleton of a %s (layout %016x) cannot be decoded as a %s (layout %016x)", h.name, h.layout, l.name, l.hash)
	}
	d.budget = h.total
	return nil
}

// spend subtracts bytes from the budget, and reports whether the budget sufficed.
func (d *decoder) spend(bytes int64) bool {
	if bytes < 0 || bytes > d.budget {
		return false
	}
	d.budget -= bytes
	return true
}

func (d *decoder) readExtra(allocate func(uint64, int) (unsafe.Pointer, error)) error {
	for range d.in.count(d.in.left()) {
		number, bytes := d.in.number(), d.in.size()
		kept := d.in.count(bytes)
		if d.in.bad || !d.spend(int64(bytes)) || allocate == nil {
			return fmt.Errorf("%w at memory %d of %d bytes", errDamaged, number, bytes)
		}
		base, err := allocate(number, bytes)
		if err != nil {
			return fmt.Errorf("memory %d of %d bytes: %w", number, bytes, err)
		}
		if base == nil && bytes > 0 {
			return fmt.Errorf("memory %d of %d bytes: there is none", number, bytes)
		}
		d.blocks = append(d.blocks, memory{base: base, bytes: bytes})
		if !d.content(base, uintptr(kept)) {
			return fmt.Errorf("%w in memory %d", errDamaged, number)
		}
		if kept < bytes {
			clear(view(unsafe.Add(base, kept), uintptr(bytes-kept)))
		}
	}
	return d.whole("its memories")
}

// whole returns an error if the skeleton ended in the part named by what.
func (d *decoder) whole(what string) error {
	if d.in.bad {
		return fmt.Errorf("%w: it ends in %s", errDamaged, what)
	}
	return nil
}

// content reads bytes to p, or makes p a span.
func (d *decoder) content(p unsafe.Pointer, size uintptr) bool {
	if size >= spanBytes {
		d.spans = append(d.spans, view(p, size))
		return true
	}
	from, ok := d.in.take(uint64(size))
	if ok && size > 0 {
		copy(view(p, size), from)
	}
	return ok
}

func (d *decoder) readBlocks() error {
	for range d.in.count(d.in.left()) {
		m, ok := d.readBlock()
		if ok {
			d.blocks = append(d.blocks, m)
			ok = d.readSegments(m)
		}
		if !ok {
			return fmt.Errorf("%w at block %d", errDamaged, len(d.blocks))
		}
	}
	return d.whole("its blocks")
}

// readBlock reads the kind of the next block and allocates it.
func (d *decoder) readBlock() (m memory, ok bool) {
	kind := d.in.count(len(d.layout.nodes))
	if kind == 0 {
		bytes, skew := d.in.size(), d.in.count(7)
		if d.in.bad || bytes > largestImage || !d.spend(plainRoom(bytes, skew)) {
			return m, false
		}
		if bytes >= fresh.Many && skew == 0 {
			return memory{base: allocateUnzeroed(bytes), bytes: bytes, unzeroed: true}, true
		}
		return memory{base: allocatePlain(bytes, skew), bytes: bytes}, true
	}
	n, count := d.layout.nodes[kind-1], d.in.size()
	if d.in.bad || n.kind == plain || count == 0 || count > largestImage/int(n.size) || !d.spend(int64(count)*int64(n.size)) {
		return m, false
	}
	return memory{base: allocateTyped(n, count), n: n, count: count, bytes: count * int(n.size)}, true
}

// readSegments reads the bytes of a block that are outside objects. The gaps between them are zero.
func (d *decoder) readSegments(m memory) bool {
	zero := func(from, to int) { // avoids a pointer to the end of the block, which may be outside memory
		if m.unzeroed && from < to {
			clear(view(unsafe.Add(m.base, from), uintptr(to-from)))
		}
	}
	at := 0
	for range d.in.count(d.in.left()) {
		gap, size := d.in.size(), d.in.size()
		if d.in.bad || size == 0 || gap > m.bytes-at || size > m.bytes-at-gap {
			return false
		}
		zero(at, at+gap)
		at += gap
		if m.n != nil && !holds(m.n, m.count, uintptr(at), byteNode, size) {
			return false
		}
		if !d.content(unsafe.Add(m.base, at), uintptr(size)) {
			return false
		}
		at += size
	}
	zero(at, m.bytes)
	return !d.in.bad
}

func (d *decoder) readRanges() error {
	for range d.in.count(d.in.left()) {
		r := arrival{block: d.in.count(len(d.blocks) - 1), off: d.in.size(), used: d.in.size()}
		r.capacity = r.used + d.in.count(math.MaxInt-r.used)
		if d.in.bad || r.capacity == 0 {
			return fmt.Errorf("%w at range %d", errDamaged, len(d.ranges))
		}
		d.ranges = append(d.ranges, r)
	}
	return d.whole("its ranges")
}

// reset prepares the decoder for another skeleton, and drops all references to the last state.
func (d *decoder) reset() {
	if cap(d.blocks)+cap(d.ranges)+cap(d.trail.objects)+cap(d.maps) > keepRanges {
		*d = decoder{}
		return
	}
	clear(d.blocks)
	clear(d.trail.objects)
	clear(d.ranges)
	clear(d.maps)
	*d = decoder{trail: trail{objects: d.trail.objects[:0]}, blocks: d.blocks[:0], ranges: d.ranges[:0], maps: d.maps[:0]}
}

// plainRoom returns the memory of a plain block in bytes.
func plainRoom(bytes, skew int) int64 { return (int64(bytes) + int64(skew) + 7) &^ 7 }

// lineBytes is the alignment of blocks that are large enough for spans.
const lineBytes = 64

// allocatePlain allocates zeroed memory without references, skew bytes behind an address that is
// aligned for all types. Large memory is aligned to lineBytes.
func allocatePlain(bytes, skew int) unsafe.Pointer {
	words := max(1, int(plainRoom(bytes, skew)/8))
	memory := make([]uint64, words)
	if bytes >= spanBytes && toLine(memory) > 0 {
		memory = make([]uint64, words+lineBytes/8)
		memory = memory[toLine(memory):]
	}
	return unsafe.Add(unsafe.Pointer(&memory[0]), skew)
}

// toLine returns the number of words before the first that is aligned to lineBytes.
func toLine(memory []uint64) int {
	return int(-uintptr(unsafe.Pointer(&memory[0])) % lineBytes / 8)
}

// allocateTyped allocates zeroed memory for count values of n. count is at least 1.
func allocateTyped(n *node, count int) unsafe.Pointer {
	if count == 1 {
		return reflect.New(n.t).UnsafePointer()
	}
	return reflect.MakeSlice(n.many, count, count).UnsafePointer()
}

// allocateUnzeroed allocates memory without references, of arbitrary content, aligned to lineBytes.
func allocateUnzeroed(bytes int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(fresh.Bytes(bytes)))
}
