//go:build mpi

package mpi

import (
	"fmt"
	"math/rand/v2"
	"unsafe"
)

// arena is memory of this rank that the other ranks of its node can address.
// It is one large, sparse mapping, so that a place in it is a number that
// holds in every process. Not safe for concurrent use.
type arena struct {
	mem     []byte
	base    unsafe.Pointer
	fd      int // of the memory file, -1 if other processes cannot map it
	extents *extents
	keep    int // dirty free bytes beyond which memory goes back to the system
}

// The first bytes of an arena tell it from others and from anything else.
const arenaHead = 2 * lineBytes

const smallestArena = 64 << 20

// newArena returns an arena for one of mates ranks of this node.
func newArena(mates int) (*arena, error) {
	ram := physicalMemory()
	size := max(min(ram, addressSpace()/mates)&^(clutter-1), smallestArena)
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
	a.keep = max(ram/8/mates, 64<<20)
	*a.key() = rand.Uint64() >> 1
	return a, nil
}

func (a *arena) key() *uint64 { return (*uint64)(a.base) }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// at returns the address of a place.
func (a *arena) at(place int) unsafe.Pointer { return unsafe.Add(a.base, place) }

// place returns where in the arena p points.
func (a *arena) place(p unsafe.Pointer) (place int, inside bool) {
	place = int(uintptr(p) - uintptr(a.base))
	return place, uintptr(p) >= uintptr(a.base) && place < len(a.mem)
}

// take returns n bytes that start at a cache line, with any contents, or false
// when the arena is full.
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

// give takes back what take or zeroed returned.
func (a *arena) give(place int) {
	if _, ours := a.extents.used[place]; !ours {
		return
	}
	f := a.extents.give(place)
	if a.extents.dirty > a.keep && f.n >= clutter && !f.clean {
		if discard(a.mem[f.at : f.at+f.n]) {
			a.extents.cleaned(f)
		}
	}
}
