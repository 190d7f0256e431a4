package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Scan is the function of that name of package bsplib, called at a line of the program.
func Scan[T any](p *Member, at uintptr, x T, op func(a, b T) T) T {
	c := callOf(p, scan, op, at)
	r, t, size := p.r, p.r.layout(), memory.Size[T]()
	s := p.join(c, 0, size)
	one, o := [1]T{x}, with(p, op)
	p.give(s, memory.Bytes(one[:]))
	if s.last(r) {
		layOwn(p, s, &o, 1)
		p.offer(s, t)
	}
	p.exchange(c)
	words := memory.Pad(size) / 8
	if s.lead() {
		r.sourcesOf(p, s, t.members, size)
		if need := words * r.here(); len(s.results) < need {
			s.results = make([]uint64, need)
		}
		c := scanner[T]{op: &o, t: t, own: t.procs[r.comm.Rank()], sources: r.sources, given: memory.At(s.values), to: memory.At(s.results), room: 8 * words}
		c.down(subtree{0, p.Procs()}, c.sum(subtree{0, p.Procs()}), nil, false)
	}
	return *(*T)(unsafe.Pointer(&s.results[words*t.index[p.Pid]]))
}

// scanner finds what a rank's processes have of a Scan.
type scanner[T any] struct {
	op        *operation[T]
	t         *layout
	own       []int    // pids, in order
	sources   []source // the largest subtrees of all ranks
	given, to unsafe.Pointer
	room      int // bytes of a value in both
}

// sum is op over a subtree.
func (c *scanner[T]) sum(tree subtree) T {
	i, _ := slices.BinarySearchFunc(c.sources, tree.lo, func(s source, lo int) int { return s.lo - lo })
	if i < len(c.sources) && c.sources[i].subtree == tree {
		return *(*T)(c.sources[i].at)
	}
	if tree.hi-tree.lo == 1 {
		return *(*T)(unsafe.Add(c.given, c.room*c.t.index[tree.lo]))
	}
	mid := middle(tree.lo, tree.hi)
	left := c.sum(subtree{tree.lo, mid})
	return c.op.of(left, c.sum(subtree{mid, tree.hi}))
}

// has reports whether some of the pids are the rank's.
func (c *scanner[T]) has(lo, hi int) bool {
	i, _ := slices.BinarySearch(c.own, lo)
	return i < len(c.own) && c.own[i] < hi
}

// down finds the results of the processes in a subtree, of which it is given the sum, and
// the result of all before it, if any. last says that a larger subtree ends at the same
// process, which has its result.
func (c *scanner[T]) down(tree subtree, sum T, before *T, last bool) {
	if end := tree.hi - 1; !last && c.has(end, tree.hi) {
		if before != nil {
			sum = c.op.of(*before, sum)
		}
		*(*T)(unsafe.Add(c.to, c.room*c.t.index[end])) = sum
	}
	if !c.has(tree.lo, tree.hi-1) {
		return
	}
	mid := middle(tree.lo, tree.hi)
	left := c.sum(subtree{tree.lo, mid})
	c.down(subtree{tree.lo, mid}, left, before, false)
	if !c.has(mid, tree.hi-1) {
		return
	}
	if before != nil {
		left = c.op.of(*before, left)
	}
	c.down(subtree{mid, tree.hi}, left, &left, true)
}
