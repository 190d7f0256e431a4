package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Reduce implements bsplib.Reduce. at is the return address in the program.
func Reduce[T any](p *Member, at uintptr, root int, x T, op func(a, b T) T) T {
	c := callOf(p, reduction, op, at)
	p.checkRoot("Reduce to", root)
	r, t := p.r, p.r.layout()
	s := p.join(c, root, memory.Size[T]())
	one, o := [1]T{x}, with(p, op)
	p.contribute(s, memory.Bytes(one[:]))
	to := int(r.where[root])
	if s.last(r) {
		publishSubtrees(p, s, &o, 1)
		p.publishTo(s, to)
	}
	p.exchange(c)
	if p.Pid != root {
		var zero T
		return zero
	}
	r.sourcesOf(s, t.members, memory.Size[T]())
	combine(r, &o, subtree{0, p.Procs()}, 0, one[:])
	return one[0]
}

// Allreduce implements bsplib.Allreduce.
func Allreduce[T any](p *Member, at uintptr, x T, op func(a, b T) T) T {
	one := [1]T{x}
	allreduce(p, callOf(p, allreduction, op, at), one[:], with(p, op))
	return one[0]
}

// AllreduceSlice implements bsplib.AllreduceSlice.
func AllreduceSlice[T any](p *Member, at uintptr, x []T, op func(a, b T) T) {
	allreduce(p, callOf(p, allreductionSlice, op, at), x, with(p, op))
}

// Sum implements bsplib.Sum.
func Sum[T Number](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, sum, nil, at), x, adding[T]{})
}

// Min implements bsplib.Min.
func Min[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, least, nil, at), x, lesser[T]{})
}

// Max implements bsplib.Max.
func Max[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, greatest, nil, at), x, greater[T]{})
}

// SumSlice implements bsplib.SumSlice.
func SumSlice[T Number](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, sumSlice, nil, at), x, byLoop[T](adding[T]{}))
}

// MinSlice implements bsplib.MinSlice.
func MinSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, leastSlice, nil, at), x, byLoop[T](lesser[T]{}))
}

// MaxSlice implements bsplib.MaxSlice.
func MaxSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, greatestSlice, nil, at), x, byLoop[T](greater[T]{}))
}

func reduceOne[T Number](p *Member, c call, x T, l loop) T {
	one := [1]T{x}
	allreduce(p, c, one[:], byLoop[T](l))
	return one[0]
}

// allreduce implements reductions whose result is on all processes.
func allreduce[T any](p *Member, c call, x []T, o operation[T]) {
	r, t, n := p.r, p.r.layout(), len(x)*memory.Size[T]()
	w := r.shape().reduction(n)
	s := p.join(c, 0, n)
	p.contribute(s, memory.Bytes(x))
	if w.much {
		reduceInLevels(p, s, w, c, x, &o)
		return
	}
	fold := w.fold && r.folds(n)
	if s.last(r) {
		publishSubtrees(p, s, &o, len(x))
		s.dropReferences()
		if s.folded = fold; fold {
			reducerFor(r, &o, len(x))
			r.giveToFold(s)
		} else {
			p.publish(s, t)
		}
	}
	p.exchange(c)
	switch {
	case !s.lead():
		memory.Copy(memory.At(x), memory.At(s.results), n)
		return
	case fold:
		memory.Copy(memory.At(x), memory.At(p.folded(s)), n)
	default:
		r.sourcesOf(s, t.members, n)
		combine(r, &o, subtree{0, p.Procs()}, 0, x)
	}
	s.keep(r, memory.Bytes(x))
}

// Scan implements bsplib.Scan.
func Scan[T any](p *Member, at uintptr, x T, op func(a, b T) T) T {
	c := callOf(p, scan, op, at)
	r, t, size := p.r, p.r.layout(), memory.Size[T]()
	s := p.join(c, 0, size)
	one, o := [1]T{x}, with(p, op)
	p.contribute(s, memory.Bytes(one[:]))
	if s.last(r) {
		publishSubtrees(p, s, &o, 1)
		p.publish(s, t)
	}
	p.exchange(c)
	words := memory.Pad(size) / 8
	if s.lead() {
		r.sourcesOf(s, t.members, size)
		if need := words * r.here(); len(s.results) < need {
			s.results = make([]uint64, need)
		}
		c := scanner[T]{op: &o, t: t, own: t.procs[r.comm.Rank()], sources: r.sources, given: memory.At(s.values), to: memory.At(s.results), room: 8 * words}
		c.down(subtree{0, p.Procs()}, c.sum(subtree{0, p.Procs()}), nil, false)
	}
	return *(*T)(unsafe.Pointer(&s.results[words*t.index[p.Pid]]))
}

// scanner computes the results of a Scan for a rank's processes.
type scanner[T any] struct {
	op        *operation[T]
	t         *layout
	own       []int    // pids, in order
	sources   []source // the largest subtrees of all ranks
	given, to unsafe.Pointer
	room      int // bytes of a value in both
}

// sum returns the reduction over a subtree.
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

// has reports whether the rank has a process in [lo, hi).
func (c *scanner[T]) has(lo, hi int) bool {
	i, _ := slices.BinarySearch(c.own, lo)
	return i < len(c.own) && c.own[i] < hi
}

// down computes the results of the rank's processes in a subtree. sum is the reduction over the
// subtree, before the reduction over all earlier processes, nil if none. last is true if a larger
// subtree ends at the same process, whose result is then known.
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
