package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// levels implements allreduce for much data. The vector is cut into rails, as many as the smallest
// node has ranks. Each rank publishes its vector. Rank i of each node combines rail i of all vectors of
// the node and, with the ranks i of the other nodes, rail i of all nodes. All ranks then read the
// result of each rail from the memory of the rank that computed it.
type levels[T any] struct {
	p      *Member
	t      *layout
	o      *operation[T]
	call   call
	x      []T       // the process's own
	lo, hi int       // of this rank's rail
	s      *exchange // of the previous superstep
	works  bool      // this process does its rank's work in the superstep
}

func reduceInLevels[T any](p *Member, s *exchange, w way, c call, x []T, o *operation[T]) {
	l := levels[T]{p: p, t: p.r.layout(), o: o, call: c, x: x, s: s, works: s.last(p.r)}
	place := l.t.place[p.rank()]
	if place < len(l.t.rails) {
		l.lo, l.hi = l.rail(place)
	}
	if l.works {
		if w.inner {
			l.publishForNode()
		}
		if l.hi > l.lo && (len(l.t.nodes) > 1 || !w.inner) {
			l.cross(l.t.rails[place], w)
		}
		s.dropReferences()
	}
	l.meet()
	if !w.inner {
		memory.Move(memory.Bytes(x), l.s.result)
		return
	}
	if l.works {
		l.publishRail()
	}
	l.meet()
	for place, rank := range l.mates()[:len(l.t.rails)] {
		lo, hi := l.rail(place)
		if hi > lo {
			memory.Copy(memory.At(x[lo:hi]), memory.At(p.r.from(l.s, rank)), l.bytes(hi-lo))
		}
	}
}

func (l *levels[T]) bytes(n int) int { return n * memory.Size[T]() }

// rail returns the bounds of a rail of the vector. place is the number of its ranks on their nodes.
func (l *levels[T]) rail(place int) (lo, hi int) {
	return cut(place, len(l.x), len(l.t.rails)), cut(place+1, len(l.x), len(l.t.rails))
}

func (l *levels[T]) mates() []int { return l.t.nodes[l.t.node[l.p.rank()]] }

// meet ends a superstep of the collective.
func (l *levels[T]) meet() {
	l.s = l.p.r.exchangeOf(l.p.r.step())
	l.p.exchange(l.call)
	l.works = l.s.lead()
}

// publishForNode publishes this rank's vector for the other ranks of its node. If the rank has one process,
// and the process's memory remains valid, the rank's own rail is not published but later read in place.
func (l *levels[T]) publishForNode() {
	if x := memory.Bytes(l.x); l.hi > l.lo && len(x) >= longContribution && l.p.r.here() == 1 && l.p.lasts(x) {
		l.s.kept = memory.Long(x)
		to := memory.Bytes(reserveFor[T](l.p.r, l.s, len(l.x)))
		memory.Copy(memory.At(to), memory.At(x), l.bytes(l.lo))
		memory.Copy(memory.At(to[l.bytes(l.hi):]), memory.At(x[l.bytes(l.hi):]), len(x)-l.bytes(l.hi))
	} else {
		publishSubtrees(l.p, l.s, l.o, len(l.x))
	}
	for _, rank := range l.mates() {
		l.p.publishTo(l.s, rank)
	}
}

// cross prepares the reduction of this rank's rail with the other nodes.
func (l *levels[T]) cross(group []int, w way) {
	p, r, s := l.p, l.p.r, l.s
	reduces := reducerFor(r, l.o, len(l.x))
	reduces.lo, reduces.hi, reduces.inner = l.lo, l.hi, w.inner
	c := crossing{group: group, tree: w.tree, root: l.t.between[0].at, unit: memory.Size[T](), n: l.bytes(l.hi - l.lo), reduces: reduces}
	if w.inner {
		s.crossing = c
		return
	}
	x := memory.Bytes(l.x)
	c.to = p.whole(s, x)
	s.crossing = c
	if r.sourcesGiven(s); len(r.sources) == 1 && (len(x) < longContribution || p.lasts(x)) {
		s.kept = unsafe.Slice((*byte)(r.sources[0].at), len(x))
		return
	}
	reduces.combineParts(r, s)
}

// publishRail publishes the result of this rank's rail.
func (l *levels[T]) publishRail() {
	r, before := l.p.r, l.s
	s := r.openNext(l.call, l.bytes(len(l.x)))
	r.sourcesOf(before, l.mates(), l.bytes(len(l.x)))
	switch rail := reserveFor[T](r, s, l.hi-l.lo); {
	case len(rail) == 0:
	case before.group != nil:
		memory.Move(memory.Bytes(rail), before.result)
	default:
		r.readInPlace(before, before.kept)
		combine(r, l.o, subtree{0, l.p.Procs()}, l.lo, rail)
	}
	for _, rank := range l.mates() {
		l.p.publishTo(s, rank)
	}
}
