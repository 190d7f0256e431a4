//go:build mpi && cgo

package mpi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// arena is memory of this rank that the other ranks of its node can address: boards, outgoing
// buffers, mail, and the blocks of Alloc. It is one large, sparse mapping of a memory file, made
// once. Processes map it at different addresses, so they exchange offsets into the arena.
//
// Only the owner takes and gives parts. A reader gets an offset from a board or a message and keeps
// it no longer than the contract of that board or message allows. The mapping is outside the Go
// heap: the garbage collector neither moves nor frees its contents, and does not see pointers in
// it. Pages that were never written take no memory. If more than keep bytes of pages are free, the
// excess goes back to the system.
//
// Not safe for concurrent use.
type arena struct {
	mem     []byte
	base    unsafe.Pointer
	fd      int // of the memory file, -1 if other processes cannot map it
	extents *extents
	keep    int // dirty free bytes beyond which memory goes back to the system
}

// arenaHead is the length of the header in front of all parts: a random key, by which another
// process verifies that it has mapped this arena. No part has offset 0.
const arenaHead = 2 * lineBytes

// smallestArena is tried last, if the system refuses larger mappings.
const smallestArena = 64 << 20

// newArena maps the arena of one of nodeRanks ranks of this node. All of them
// together fit into a process's address space; each may grow to the machine's memory.
func newArena(nodeRanks int) (*arena, error) {
	ram := physicalMemory()
	size := max(min(ram, addressSpace()/nodeRanks)&^(coalesceBelow-1), smallestArena)
	mem, fd, err := mapOwn(size)
	for err != nil && size > smallestArena {
		size = max(size/2, smallestArena)
		mem, fd, err = mapOwn(size)
	}
	if err != nil {
		return nil, fmt.Errorf("mpi: no memory to share: %w", err)
	}
	a := &arena{mem: mem, base: unsafe.Pointer(unsafe.SliceData(mem)), fd: fd}
	a.extents = newExtents(arenaHead, size-arenaHead)
	a.keep = max(ram/8/nodeRanks, 64<<20)
	*a.key() = rand.Uint64() >> 1
	return a, nil
}

func (a *arena) key() *uint64 { return (*uint64)(a.base) }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// at returns this process's address of an offset.
func (a *arena) at(place int) unsafe.Pointer { return unsafe.Add(a.base, place) }

// place returns the offset of an address, and whether the address is in the arena.
func (a *arena) place(p unsafe.Pointer) (place int, inside bool) {
	place = int(uintptr(p) - uintptr(a.base))
	return place, uintptr(p) >= uintptr(a.base) && place < len(a.mem)
}

// take returns the offset of n free bytes that start at a cache line, and whether they are all zero
// (clean). ok is false if the arena is full.
func (a *arena) take(n int) (place int, clean, ok bool) {
	return a.extents.take(roundUp(max(n, 1), lineBytes))
}

// zeroed returns n zeroed bytes that start at a cache line, or nil.
func (a *arena) zeroed(n int) []byte {
	place, clean, ok := a.take(n)
	if !ok {
		return nil
	}
	mem := unsafe.Slice((*byte)(a.at(place)), n)
	if !clean {
		clear(mem)
	}
	return mem
}

// give frees a part returned by take or zeroed.
func (a *arena) give(place int) {
	if _, ours := a.extents.used[place]; !ours {
		return
	}
	f := a.extents.give(place)
	if a.extents.dirty > a.keep && f.n >= coalesceBelow && !f.clean {
		if discard(a.mem[f.at : f.at+f.n]) {
			a.extents.cleaned(f)
		}
	}
}

// extents records which parts of an arena are free. It allocates from the first
// free part that is large enough, and joins neighbours that come back. It does not
// touch the memory itself.
//
// Invariants: each byte is in one free part or one used part; a clean part was not
// used since its pages came from the system; dirty counts the bytes of all free parts
// that are not clean.
type extents struct {
	free  []extent    // in order of address
	used  map[int]int // length by address
	dirty int         // bytes of free parts that are not clean
}

// extent is a free part. A clean one holds zeros only, and takes no memory.
type extent struct {
	at, n int
	clean bool
}

// coalesceBelow is the length in bytes up to which a clean part gives up being clean to join a
// neighbor that is not clean. Small parts would otherwise stay apart for ever, while zeroing that
// much again takes a fraction of a millisecond.
const coalesceBelow = 1 << 20

func newExtents(at, n int) *extents {
	return &extents{free: []extent{{at, n, true}}, used: make(map[int]int)}
}

// take allocates n bytes, a multiple of lineBytes.
func (e *extents) take(n int) (at int, clean, ok bool) {
	for i := range e.free {
		if f := e.free[i]; f.n >= n {
			e.cut(i, n)
			e.used[f.at] = n
			return f.at, f.clean, true
		}
	}
	return 0, false, false
}

// extend grows the allocated part at that offset to n bytes, if the space behind it is free.
func (e *extents) extend(at, n int) bool {
	end, more := at+e.used[at], n-e.used[at]
	i, found := e.find(end)
	if !found || e.free[i].n < more {
		return false
	}
	e.cut(i, more)
	e.used[at] = n
	return true
}

// cut removes the first n bytes of free part i.
func (e *extents) cut(i, n int) {
	f := &e.free[i]
	if !f.clean {
		e.dirty -= n
	}
	f.at += n
	f.n -= n
	if f.n == 0 {
		e.free = slices.Delete(e.free, i, i+1)
	}
}

// find returns the index in free of the part at that offset, or its insertion point.
func (e *extents) find(at int) (i int, found bool) {
	return slices.BinarySearchFunc(e.free, at, func(f extent, at int) int { return f.at - at })
}

// give frees the allocated part at that address, and returns the free part it
// has become or joined.
func (e *extents) give(at int) extent {
	n := e.used[at]
	delete(e.used, at)
	e.dirty += n
	i, _ := e.find(at)
	e.free = slices.Insert(e.free, i, extent{at, n, false})
	return e.free[e.join(i)]
}

// cleaned notes that a free part holds zeros now.
func (e *extents) cleaned(f extent) {
	i, found := e.find(f.at)
	if !found || e.free[i].clean {
		return
	}
	e.dirty -= e.free[i].n
	e.free[i].clean = true
	e.join(i)
}

// join unites free part i with its neighbours and returns its new number.
func (e *extents) join(i int) int {
	if i+1 < len(e.free) {
		e.unite(i)
	}
	if i > 0 && e.unite(i-1) {
		i--
	}
	return i
}

func (e *extents) unite(i int) bool {
	a, b := &e.free[i], e.free[i+1]
	if a.at+a.n != b.at || a.clean != b.clean && max(cleanBytes(*a), cleanBytes(b)) > coalesceBelow {
		return false
	}
	if a.clean != b.clean {
		e.dirty += cleanBytes(*a) + cleanBytes(b)
		a.clean = false
	}
	a.n += b.n
	e.free = slices.Delete(e.free, i+1, i+2)
	return true
}

func cleanBytes(f extent) int {
	if f.clean {
		return f.n
	}
	return 0
}

// part is memory of an arena for a list that grows.
type part[T any] struct {
	arena          *arena
	place, n, room int
}

func (p *part[T]) at() unsafe.Pointer { return p.arena.at(p.place) }

func (p *part[T]) slice(n int) []T { return unsafe.Slice((*T)(p.at()), n) }

// reserve makes room for n elements. The old contents may be lost.
func (p *part[T]) reserve(n int) {
	if n > p.room {
		p.close()
		p.grow(n)
	}
}

func (p *part[T]) add(v T) {
	if p.n == p.room {
		old := *p
		p.grow(max(2*p.room, 16))
		copy(p.slice(p.n), old.slice(p.n))
		old.close()
	}
	p.n++
	p.slice(p.n)[p.n-1] = v
}

func (p *part[T]) grow(n int) {
	var v T
	place, _, ok := p.arena.take(n * int(unsafe.Sizeof(v)))
	if !ok {
		panic(fmt.Sprintf("mpi: out of memory: %d bytes from other nodes do not fit into the %d bytes of this rank", n*int(unsafe.Sizeof(v)), len(p.arena.mem)))
	}
	p.place, p.room = place, n
}

func (p *part[T]) close() {
	if p.room > 0 {
		p.arena.give(p.place)
		p.room = 0
	}
}
