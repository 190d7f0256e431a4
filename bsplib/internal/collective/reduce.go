package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Reduce is the function of that name of package bsplib, called at a line of the program.
func Reduce[T any](p *Member, at uintptr, root int, x T, op func(a, b T) T) T {
	c := callOf(p, reduction, op, at)
	p.checkRoot("Reduce to", root)
	r, t := p.r, p.r.layout()
	s := p.join(c, root, memory.Size[T]())
	one, o := [1]T{x}, with(p, op)
	p.give(s, memory.Bytes(one[:]))
	to := int(r.where[root])
	if s.last(r) {
		layOwn(p, s, &o, 1)
		p.offerTo(s, to)
	}
	p.exchange(c)
	if p.Pid != root {
		p.compareAway(s, to)
		var zero T
		return zero
	}
	p.sourcesOf(s, t.members, memory.Size[T]())
	combine(r, &o, subtree{0, p.Procs()}, 0, one[:])
	return one[0]
}

// Allreduce is the function of that name of package bsplib, called at a line of the program.
func Allreduce[T any](p *Member, at uintptr, x T, op func(a, b T) T) T {
	one := [1]T{x}
	allreduce(p, callOf(p, allreduction, op, at), one[:], with(p, op))
	return one[0]
}

// AllreduceSlice is the function of that name of package bsplib, called at a line of the program.
func AllreduceSlice[T any](p *Member, at uintptr, x []T, op func(a, b T) T) {
	allreduce(p, callOf(p, allreductionSlice, op, at), x, with(p, op))
}

// Sum is the function of that name of package bsplib, called at a line of the program.
func Sum[T Number](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, sum, nil, at), x, addition)
}

// Min is the function of that name of package bsplib, called at a line of the program.
func Min[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, least, nil, at), x, minimum)
}

// Max is the function of that name of package bsplib, called at a line of the program.
func Max[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, greatest, nil, at), x, maximum)
}

// SumSlice is the function of that name of package bsplib, called at a line of the program.
func SumSlice[T Number](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, sumSlice, nil, at), x, byLoop[T](addition))
}

// MinSlice is the function of that name of package bsplib, called at a line of the program.
func MinSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, leastSlice, nil, at), x, byLoop[T](minimum))
}

// MaxSlice is the function of that name of package bsplib, called at a line of the program.
func MaxSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, greatestSlice, nil, at), x, byLoop[T](maximum))
}

func reduceOne[T Number](p *Member, c call, x T, l loop) T {
	one := [1]T{x}
	allreduce(p, c, one[:], byLoop[T](l))
	return one[0]
}

// allreduce is all of these.
func allreduce[T any](p *Member, c call, x []T, o operation[T]) {
	r, n := p.r, len(x)*memory.Size[T]()
	w := r.shape().reduction(n)
	t := r.layout()
	w.fold, w.tree = w.fold && r.folds(n), w.tree && r.folds(0)
	s := p.join(c, 0, n)
	p.give(s, memory.Bytes(x))
	if w.fold {
		reduceByFold(p, s, c, x, &o)
		return
	}
	if w.inner || w.scatter || w.tree {
		reduceInLevels(p, s, w, c, x, &o)
		return
	}
	if s.last(r) {
		layOwn(p, s, &o, len(x))
		s.letGo()
		p.offer(s, t)
	}
	p.exchange(c)
	if !s.lead() {
		memory.Copy(unsafe.Pointer(unsafe.SliceData(x)), memory.At(s.result), n)
		return
	}
	p.sourcesOf(s, t.members, n)
	combine(r, &o, subtree{0, p.Procs()}, 0, x)
	s.keep(r, memory.Bytes(x))
}

// levels is allreduce of much data, by a wayOfReduction. With k rails, the vector is
// cut into k parts, and member i of each node carries part i between nodes.
type levels[T any] struct {
	p      *Member
	t      *layout
	o      *operation[T]
	call   call
	n      int   // elements
	x      []T   // the process's own
	lo, hi int   // of this rank's rail
	s      *side // of the superstep before
	works  bool  // this process does its rank's work of the superstep
	runs   bool  // what comes from other nodes goes straight to x
}

func reduceInLevels[T any](p *Member, s *side, w wayOfReduction, c call, x []T, o *operation[T]) {
	l := levels[T]{p: p, t: p.r.layout(), o: o, call: c, n: len(x), x: x, s: s, works: s.last(p.r)}
	l.runs = !w.inner && p.r.stream.Out.Runs != nil && l.bytes(l.n) >= longGiven
	if place := l.t.place[p.rank()]; place < l.t.rails {
		l.lo, l.hi = l.rail(place)
	}
	if w.inner {
		if l.works {
			l.layForNode()
		}
		l.meet()
		if l.works {
			p.sourcesOf(l.s, l.mates(), l.n*memory.Size[T]())
			l.readOwn()
		}
	} else if l.works {
		p.r.sourcesGiven(s)
	}
	if w.tree {
		l.crossByTree(w)
	} else if w.nodes {
		if l.works {
			l.crossNodes(w)
		}
		l.meet()
		if l.works {
			l.sourcesBetween(w.scatter)
		}
	}
	if w.nodes && w.scatter {
		l.crossBack()
		l.meet()
	}
	if !w.inner {
		if !w.tree {
			l.joinParts(x)
		}
		return
	}
	if l.works {
		l.layRail(w)
	}
	l.meet()
	for place, rank := range l.mates()[:l.t.rails] {
		lo, hi := l.rail(place)
		if hi > lo {
			memory.Copy(memory.At(x[lo:hi]), memory.At(p.took(l.s, rank, l.bytes(l.n))), l.bytes(hi-lo))
		}
	}
}

func (l *levels[T]) bytes(n int) int { return n * memory.Size[T]() }

// rail is the part of the vector that the members of that number carry.
func (l *levels[T]) rail(place int) (lo, hi int) {
	return cut(place, l.n, l.t.rails), cut(place+1, l.n, l.t.rails)
}

// part is the part of this rank's rail that node m combines.
func (l *levels[T]) part(m int) (lo, hi int) {
	n, k := l.hi-l.lo, len(l.t.nodes)
	return cut(m, n, k), cut(m+1, n, k)
}

func (l *levels[T]) mates() []int { return l.t.nodes[l.node()] }

func (l *levels[T]) node() int { return l.t.node[l.p.rank()] }

// peer is the rank of node m that has the same rail.
func (l *levels[T]) peer(m int) int { return l.t.nodes[m][l.t.place[l.p.rank()]] }

// open begins the side of a superstep after the first.
func (l *levels[T]) open() *side { return l.p.r.opened(l.call, l.bytes(l.n)) }

// meet ends a superstep of the collective.
func (l *levels[T]) meet() {
	l.s = l.p.r.shelf(l.p.r.step())
	l.p.exchange(l.call)
	l.works = l.s.lead()
}

// layForNode lays what this rank has for the others of its node. Its own rail it need not lay
// if that is the elements of one process which last until they are combined.
func (l *levels[T]) layForNode() {
	if x := memory.Bytes(l.x); l.hi > l.lo && len(x) >= longGiven && l.p.r.here() == 1 && l.p.lasts(x) {
		l.s.kept = memory.Long(x)
		to := memory.Bytes(layOf[T](l.p.r, l.s, l.n))
		memory.Copy(memory.At(to), memory.At(x), l.bytes(l.lo))
		memory.Copy(memory.At(to[l.bytes(l.hi):]), memory.At(x[l.bytes(l.hi):]), l.bytes(l.n-l.hi))
	} else {
		layOwn(l.p, l.s, l.o, l.n)
	}
	l.s.letGo()
	for _, rank := range l.mates() {
		l.p.offerTo(l.s, rank)
	}
}

// readOwn makes what this rank has not laid of its own a source.
func (l *levels[T]) readOwn() {
	r := l.p.r
	for i := range r.sources {
		if own := memory.At(l.s.data); l.s.kept != nil && r.sources[i].at == own {
			r.sources[i].at = memory.At(l.s.kept)
		}
	}
}

// crossNodes combines this node's subtrees in the rail, and sends other nodes the parts
// that they combine: all of it unless the parts are scattered.
func (l *levels[T]) crossNodes(w wayOfReduction) {
	r, trees, n := l.p.r, l.t.whole[l.node()], l.hi-l.lo
	s := l.s
	if w.inner {
		s = l.open()
	}
	mine, own := []byte(nil), l.runs && len(r.sources) == 1 && l.p.lasts(memory.Bytes(l.x))
	if own {
		mine = memory.Long(memory.Bytes(l.x))
	} else {
		mine = r.ownRoom(len(trees) * l.bytes(n))
	}
	for m := range l.t.nodes {
		lo, hi := 0, n
		if w.scatter {
			lo, hi = l.part(m)
		}
		part := mine[len(trees)*l.bytes(lo) : len(trees)*l.bytes(hi)]
		if !own && (w.scatter || m == 0) {
			for i, tree := range trees {
				combine(r, l.o, tree, l.lo+lo, memory.Values[T](part[i*l.bytes(hi-lo):], hi-lo))
			}
		}
		switch {
		case m == l.node():
			s.kept = part
		case hi == lo:
		case own:
			l.p.shipOwn(s, l.peer(m), part, l.bytes(l.n))
		default:
			l.p.ship(s, l.peer(m), part)
		}
	}
	if w.scatter && l.runs {
		l.expectParts(s)
	}
	s.letGo()
}

// crossByTree has the barrier bring the nodes' subtrees in the rail together, and the result to
// all: to the first process's own elements if the rank is all there is of its node.
func (l *levels[T]) crossByTree(w wayOfReduction) {
	r, n := l.p.r, l.hi-l.lo
	s := l.s
	if w.inner && l.works {
		s = l.open()
	}
	whole := l.bytes(l.n) >= longGiven && !w.inner
	if whole {
		if all, first := l.p.wants(s, memory.Bytes(l.x)); first {
			s.expect(l.top(), all)
		}
	}
	if l.works {
		trees := l.t.whole[l.node()]
		s.relayed, s.rail = upAndDown, l.bytes(n)
		if w.inner && n > 0 {
			s.expect(l.top(), r.nextShelf(s.rail))
		}
		if !w.inner && len(r.sources) == 1 && (!whole || l.p.lasts(memory.Bytes(l.x))) {
			s.kept = unsafe.Slice((*byte)(unsafe.Add(r.sources[0].at, l.bytes(l.lo))), s.rail)
		} else {
			s.kept = r.ownRoom(len(trees) * s.rail)
			for i, tree := range trees {
				combine(r, l.o, tree, l.lo, memory.Values[T](s.kept[i*s.rail:], n))
			}
		}
		s.letGo()
		reducerFor(r, l.o, n, l.t.place[l.p.rank()])
	}
	l.meet()
	if !w.inner && !l.s.placed {
		memory.Copy(memory.At(l.x), memory.At(l.p.passedOn(l.s, l.top())), l.bytes(l.n))
	}
}

// top is the rank with this one's rail at which a tree of nodes ends.
func (l *levels[T]) top() int { return l.peer(l.t.between[0].at) }

// expectParts says where this rank wants what the other nodes have in its part.
func (l *levels[T]) expectParts(s *side) {
	lo, hi := l.part(l.node())
	size := l.bytes(hi - lo)
	if need := (len(l.t.between) - len(l.t.whole[l.node()])) * (size + 63); len(s.landed) < need {
		s.landed = l.p.r.comm.Alloc(need, true)
	}
	room := s.landed
	for m := range l.t.nodes {
		if n := len(l.t.whole[m]) * size; m != l.node() && n > 0 {
			l.p.expectSoon(s, l.peer(m), room[:n])
			room = room[(n+63)&^63:]
		}
	}
}

// sourcesBetween makes what all nodes have in this rank's part the sources.
func (l *levels[T]) sourcesBetween(scatter bool) {
	r := l.p.r
	lo, hi := 0, l.hi-l.lo
	if scatter {
		lo, hi = l.part(l.node())
	}
	r.sources = r.sources[:0]
	if hi == lo {
		return
	}
	for _, h := range l.t.between {
		has := l.s.kept
		if h.at != l.node() {
			has = l.p.took(l.s, l.peer(h.at), l.bytes(l.n))
		}
		r.sources = append(r.sources, source{h.subtree, unsafe.Add(memory.At(has), h.number*l.bytes(hi-lo))})
	}
}

// crossBack combines this rank's part for all and sends it to the other nodes, from
// the first process's own elements or from the shelf. It says where the others' parts
// belong.
func (l *levels[T]) crossBack() {
	p, r := l.p, l.p.r
	if l.works {
		l.open()
	}
	s := r.shelf(r.step())
	var whole []byte
	if l.runs {
		whole, _ = p.wants(s, memory.Bytes(l.x))
	} else if l.works && r.stream.Out.Runs != nil {
		whole = r.nextShelf(l.bytes(l.hi - l.lo))
	}
	if !l.works {
		return
	}
	lo, hi := l.part(l.node())
	var mine []byte
	if l.runs {
		mine = whole[l.bytes(lo):l.bytes(hi)]
	} else {
		mine = r.lay(s, l.bytes(hi-lo))
	}
	soon := l.runs && p.lasts(whole)
	for m := range l.t.nodes {
		lo, hi := l.part(m)
		switch {
		case m == l.node() || whole == nil || hi == lo:
		case soon:
			p.expectSoon(s, l.peer(m), whole[l.bytes(lo):l.bytes(hi)])
		default:
			s.expect(l.peer(m), whole[l.bytes(lo):l.bytes(hi)])
		}
	}
	combine(r, l.o, subtree{0, p.Procs()}, 0, memory.Values[T](mine, hi-lo))
	for m := range l.t.nodes {
		if m != l.node() && hi > lo {
			p.ship(s, l.peer(m), mine)
		}
	}
}

// joinParts makes a rail of the parts that all nodes have combined, unless they have
// come to their places.
func (l *levels[T]) joinParts(x []T) {
	for m := range l.t.nodes {
		if lo, hi := l.part(m); hi > lo {
			if part := l.p.took(l.s, l.peer(m), l.bytes(l.n)); !l.s.placed {
				memory.Move(memory.Bytes(x[lo:hi]), part)
			}
		}
	}
}

// layRail lays the result of this rank's rail on the shelf.
func (l *levels[T]) layRail(w wayOfReduction) {
	r, s, all := l.p.r, l.open(), subtree{0, l.p.Procs()}
	rail := layOf[T](r, s, l.hi-l.lo)
	switch {
	case len(rail) == 0:
	case w.tree:
		memory.Move(memory.Bytes(rail), l.p.passedOn(l.s, l.top()))
	case w.nodes && w.scatter:
		l.joinParts(rail)
	case w.nodes:
		combine(r, l.o, all, 0, rail)
	default:
		combine(r, l.o, all, l.lo, rail)
	}
	for _, rank := range l.mates() {
		l.p.offerTo(s, rank)
	}
}

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
		p.sourcesOf(s, t.members, size)
		if need := words * r.here(); len(s.result) < need {
			s.result = make([]uint64, need)
		}
		c := scanner[T]{op: &o, t: t, own: t.procs[r.comm.Rank()], sources: r.sources, given: memory.At(s.values), to: memory.At(s.result), room: 8 * words}
		c.down(subtree{0, p.Procs()}, c.sum(subtree{0, p.Procs()}), nil, false)
	}
	return *(*T)(unsafe.Pointer(&s.result[words*t.index[p.Pid]]))
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

// reduceByFold is allreduce of little data by the exchange.
func reduceByFold[T any](p *Member, s *side, c call, x []T, o *operation[T]) {
	r := p.r
	if s.last(r) {
		layOwn(p, s, o, len(x))
		s.letGo()
		s.folded = true
		reducerFor(r, o, len(x), 0)
	}
	p.exchange(c)
	if !s.lead() {
		memory.Copy(unsafe.Pointer(unsafe.SliceData(x)), memory.At(s.result), len(x)*memory.Size[T]())
		return
	}
	memory.Copy(unsafe.Pointer(unsafe.SliceData(x)), memory.At(p.agree(s)), len(x)*memory.Size[T]())
	s.keep(r, memory.Bytes(x))
}
