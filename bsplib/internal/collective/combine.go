package collective

import (
	"math/bits"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// sourcesGiven sets the sources to the values contributed by the rank's processes.
func (r *Rank) sourcesGiven(s *exchange) {
	r.sources = r.sources[:0]
	for _, g := range s.contributions {
		r.sources = append(r.sources, source{subtree{g.pid, g.pid + 1}, g.at})
	}
}

// sourcesOf sets the sources to the subtrees published by the given ranks, each of size bytes.
func (r *Rank) sourcesOf(s *exchange, ranks []int, size int) {
	t := r.layout()
	if r.bases == nil {
		r.bases = make([]unsafe.Pointer, r.comm.Size())
	}
	clear(r.bases)
	for _, rank := range ranks {
		r.bases[rank] = memory.At(r.from(s, rank))
	}
	r.sources = r.sources[:0]
	for _, h := range t.all {
		if base := r.bases[h.at]; base != nil {
			r.sources = append(r.sources, source{h.subtree, unsafe.Add(base, h.number*size)})
		}
	}
}

// readInPlace replaces this rank's published data among the sources by data, unless that is nil.
func (r *Rank) readInPlace(s *exchange, data []byte) {
	for i := range r.sources {
		if own := memory.At(s.data); data != nil && r.sources[i].at == own {
			r.sources[i].at = memory.At(data)
		}
	}
}

// publishSubtrees publishes the largest subtrees of this rank, each of n elements.
func publishSubtrees[T any](p *Member, s *exchange, o *operation[T], n int) {
	r := p.r
	own := r.layout().ranks[r.comm.Rank()]
	size := n * memory.Size[T]()
	to := unsafe.Slice((*T)(memory.At(r.reserve(s, len(own)*size))), len(own)*n)
	r.sourcesGiven(s)
	for i, tree := range own {
		combine(r, o, tree, 0, to[i*n:(i+1)*n])
	}
}

// reserveFor allocates n elements in the slot.
func reserveFor[T any](r *Rank, s *exchange, n int) []T {
	return unsafe.Slice((*T)(memory.At(r.reserve(s, n*memory.Size[T]()))), n)
}

// blockBytes is the block size for combining long data, so that intermediate results stay in the
// first-level cache.
const blockBytes = 4 << 10

// combine stores the reduction over the processes of a subtree in to. It combines len(to) elements
// of each source, starting at first.
func combine[T any](r *Rank, o *operation[T], tree subtree, first int, to []T) {
	c := combiner[T]{o: o, sources: r.sources}
	for c.begin < len(c.sources) && c.sources[c.begin].lo < tree.lo {
		c.begin++
	}
	if c.little(tree, first, to) {
		return
	}
	block := max(1, blockBytes/memory.Size[T]())
	if words := (bits.Len(uint(tree.hi-tree.lo)) + 2) * memory.Pad(block*memory.Size[T]()) / 8; len(r.temps) < words {
		r.temps = make([]uint64, words)
	}
	c.temps, c.room = memory.At(r.temps), memory.Pad(block*memory.Size[T]())
	apart := c.among(first, to)
	for at := 0; at < len(to); at += block {
		part := to[at:min(at+block, len(to))]
		c.next, c.first, c.n = c.begin, first+at, len(part)
		top := part
		if apart {
			top = unsafe.Slice((*T)(c.temps), len(part))
		}
		if all := c.over(tree, 1, top); memory.At(all) != memory.At(part) {
			memory.Copy(memory.At(part), memory.At(all), len(part)*memory.Size[T]())
		}
	}
}

// little combines one word from one or two sources, and reports whether that was possible.
func (c *combiner[T]) little(tree subtree, first int, to []T) bool {
	s := c.sources[c.begin:]
	if memory.Size[T]() > 8 || len(to) != 1 || len(s) == 0 {
		return false
	}
	a := unsafe.Slice((*T)(unsafe.Add(s[0].at, first*memory.Size[T]())), 1)
	if s[0].subtree == tree {
		to[0] = a[0]
		return true
	}
	mid := middle(tree.lo, tree.hi)
	if len(s) == 1 || s[0].subtree != (subtree{tree.lo, mid}) || s[1].subtree != (subtree{mid, tree.hi}) {
		return false
	}
	c.o.apply(to, a, unsafe.Slice((*T)(unsafe.Add(s[1].at, first*memory.Size[T]())), 1))
	return true
}

// combiner traverses the tree for a block of elements.
type combiner[T any] struct {
	o       *operation[T]
	sources []source
	begin   int // index of the tree's first source
	next    int // index of the next source
	first   int // first element of the block
	n       int // elements in the block
	temps   unsafe.Pointer
	room    int // bytes of a block
}

// among reports whether to overlaps the elements of a source. Then a block of the result may be
// stored only after the block has been read from all sources.
func (c *combiner[T]) among(first int, to []T) bool {
	for _, s := range c.sources {
		if memory.Overlap(memory.At(to), len(to)*memory.Size[T](), unsafe.Add(s.at, first*memory.Size[T]()), len(to)*memory.Size[T]()) {
			return true
		}
	}
	return false
}

// over returns the block of a subtree: its source, or the result that it stores in to.
func (c *combiner[T]) over(tree subtree, depth int, to []T) []T {
	if s := &c.sources[c.next]; s.subtree == tree {
		c.next++
		return unsafe.Slice((*T)(unsafe.Add(s.at, c.first*memory.Size[T]())), c.n)
	}
	mid := middle(tree.lo, tree.hi)
	a := c.over(subtree{tree.lo, mid}, depth+1, to)
	b := c.over(subtree{mid, tree.hi}, depth+1, unsafe.Slice((*T)(unsafe.Add(c.temps, depth*c.room)), c.n))
	c.o.apply(to, a, b)
	return to
}
