//go:build mpi && cgo

package mpi

import (
	"cmp"
	"math/bits"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// blocks hands out the memory of areas (Comm.Alloc): other ranks of the node can address it, and
// the garbage collector frees it.
//
// A block is an object on the Go heap over whose pages a part of the arena's file is mapped. The
// program holds ordinary slices of it. The collector sees them, because it uses addresses only;
// other ranks reach the same bytes through the file.
//
// Invariants:
//
//   - A block, and its part of the file, is used again only after the collector has found that no
//     slice of it is left. Then the object's finalizer gives it to the rank. The rank hands it out
//     again or, if it has many, maps ordinary pages, frees the part of the file and drops the
//     object, in this order: the heap never gets pages back that another process can write.
//   - Blocks hold no pointers, because the collector does not scan them.
//   - The heap does not move objects, so a block's offset in the file holds as long as
//     the block.
//
// Small requests share a block, which lives as long as any of them.
//
// Rejected: memory outside the heap, where the collector sees no slice. The addresses of a popped
// area could then never be used again, and a program that still holds a slice of it would run on
// one engine and crash on another.
//
// Not safe for concurrent use, but for finalizers.
type blocks struct {
	arena  *arena
	mapped []mapping       // in order of address
	spare  map[int][]block // unused ones, by size
	kept   int             // bytes of these
	chunk  []byte          // the unused rest of the block that small requests share
	handed int             // bytes handed out since the last call of collect
	pace   int             // bytes handed out that make alloc collect

	mu   sync.Mutex
	dead []block // found by the collector; under mu
	lost []block // whose pages the system did not put back: held for ever
}

// block is a block that this package keeps alive, by its object.
type block struct {
	object *byte
	mapping
}

// mapping records the location of a block. It does not keep the block alive.
type mapping struct {
	at    uintptr // of its pages, which are somewhere in the object
	size  int
	part  int // of the arena
	place int // arena offset of its pages
}

func (b block) start() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(b.object), b.at-uintptr(unsafe.Pointer(b.object)))
}

const (
	// blockBytes is the size of the smallest block, which small requests share. Objects of that
	// size have pages of the heap for themselves. Larger blocks waste more memory when one small
	// area keeps a block alive.
	blockBytes = 64 << 10
	// smallRequest is the length up to which requests share a block: a quarter of it, to limit the
	// loss at the end of a block.
	smallRequest = blockBytes / 4
	// leastPace is the minimum number of bytes handed out between two collections. To write these
	// takes several times as long as to collect a small heap; to wait longer would leave more
	// memory unused.
	leastPace = 16 << 20
	// mostBlocks limits the mappings of a process: each block takes two, and the limit is half of
	// the 65530 mappings that the system allows by default. Requests beyond it get memory of the
	// heap alone, which other ranks cannot address.
	mostBlocks = 16 << 10
)

func newBlocks(a *arena) *blocks {
	return &blocks{arena: a, spare: make(map[int][]block), pace: leastPace}
}

// alloc returns n bytes that start at a cache line, or nil if no shared memory is left. They are
// zeroed unless dirty is set.
func (s *blocks) alloc(n int, dirty bool) []byte {
	if n > smallRequest {
		return s.take(n, dirty)
	}
	need := roundUp(max(n, 1), lineBytes)
	if len(s.chunk) < need {
		if s.chunk = s.take(blockBytes, false); s.chunk == nil {
			return nil
		}
	}
	mem := s.chunk[:n:n]
	s.chunk = s.chunk[need:]
	return mem
}

// take returns n bytes of a block for itself.
func (s *blocks) take(n int, dirty bool) []byte {
	size := sizeClass(n)
	b, clean := s.reuse(size), false
	if b.object == nil {
		if b, clean = s.make(size); b.object == nil {
			return nil
		}
	}
	s.handed += size
	m := b.mapping
	runtime.SetFinalizer(b.object, func(object *byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dead = append(s.dead, block{object, m})
	})
	mem := unsafe.Slice((*byte)(b.start()), n)
	if !clean && !dirty {
		clear(mem)
	}
	return mem
}

// sizeClass returns the size of a block for n bytes: whole pages, and an eighth more
// than needed at most, so that similar lengths use the same blocks. Pages that
// are not needed are not touched.
func sizeClass(n int) int {
	step := 1 << max(0, bits.Len(uint(n))-4)
	return max(blockBytes, roundUp(roundUp(n, step), os.Getpagesize()))
}

// reuse takes an unused block of that size. It returns the zero block if none is left.
func (s *blocks) reuse(size int) (b block) {
	s.reclaim()
	if len(s.spare[size]) == 0 && s.handed >= s.pace {
		s.collect()
	}
	if all := s.spare[size]; len(all) > 0 {
		b, s.spare[size] = all[len(all)-1], all[:len(all)-1]
		s.kept -= size
	}
	return b
}

// collect runs the garbage collector to find dead blocks. The collector by itself runs only when
// the heap has doubled, and does not count reused blocks. As in the collector, the pace spreads the
// cost of a collection over as many bytes as are alive.
func (s *blocks) collect() {
	runtime.GC()
	runtime.Gosched() // to the finalizers
	s.reclaim()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	s.handed, s.pace = 0, max(leastPace, int(live[0].Value.Uint64())-s.kept)
}

// make maps a part of the arena over a new object.
func (s *blocks) make(size int) (b block, clean bool) {
	page := os.Getpagesize()
	s.trim(leastPace) // blocks of other sizes, which may never be asked for again
	if len(s.mapped) >= mostBlocks {
		return block{}, false
	}
	part, clean, ok := s.arena.take(size + page)
	if !ok && s.kept > 0 {
		s.trim(0)
		part, clean, ok = s.arena.take(size + page)
	}
	if !ok {
		return block{}, false
	}
	b.object = unzeroed(size + page)
	at := (uintptr(unsafe.Pointer(b.object)) + uintptr(page) - 1) &^ uintptr(page-1)
	b.mapping = mapping{at, size, part, roundUp(part, page)}
	i, _ := s.find(b.at)
	s.mapped = slices.Insert(s.mapped, i, b.mapping)
	if !mapOver(b.start(), size, s.arena.fd, b.place) {
		s.release(b)
		return block{}, false
	}
	return b, clean
}

// unzeroed returns an object of n bytes without pointers, with any contents, so
// that its pages are not touched.
func unzeroed(n int) *byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.StringData(b.String())
}

// empty releases the unused blocks, and reports whether no block is left.
func (s *blocks) empty() bool {
	s.chunk = nil
	s.collect()
	s.trim(0)
	return len(s.mapped) == 0
}

// reclaim makes spare blocks of those that the collector has found.
func (s *blocks) reclaim() {
	s.mu.Lock()
	dead := s.dead
	s.dead = nil
	s.mu.Unlock()
	for _, b := range dead {
		s.spare[b.size] = append(s.spare[b.size], b)
		s.kept += b.size
	}
	s.trim(s.arena.keep)
}

// trim releases unused blocks until at most most bytes of them are left.
func (s *blocks) trim(most int) {
	for size, all := range s.spare {
		for len(all) > 0 && s.kept > most {
			s.release(all[len(all)-1])
			all = all[:len(all)-1]
			s.kept -= size
		}
		s.spare[size] = all
	}
}

// release gives the object ordinary pages again and the arena its part, and drops the object. If
// the pages cannot be replaced, it keeps the object in lost.
func (s *blocks) release(b block) {
	if !mapPrivate(b.start(), b.size) {
		s.lost = append(s.lost, b)
	}
	i, _ := s.find(b.at)
	s.mapped = slices.Delete(s.mapped, i, i+1)
	s.arena.give(b.part)
}

// find returns the index in mapped of the block at that address, or its insertion point.
func (s *blocks) find(at uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(s.mapped, at, func(m mapping, at uintptr) int { return cmp.Compare(m.at, at) })
}

// place returns the arena offset of p, and whether p points into a block.
func (s *blocks) place(p unsafe.Pointer) (place int, inside bool) {
	i, found := s.find(uintptr(p))
	if !found {
		i--
	}
	if i < 0 || uintptr(p)-s.mapped[i].at >= uintptr(s.mapped[i].size) {
		return 0, false
	}
	return s.mapped[i].place + int(uintptr(p)-s.mapped[i].at), true
}
