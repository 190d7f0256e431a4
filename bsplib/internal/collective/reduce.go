package collective

import "github.com/migbsp/migbsp/bsplib/internal/memory"

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
	r.sourcesOf(p, s, t.members, memory.Size[T]())
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
	return reduceOne(p, callOf[T](p, sum, nil, at), x, adding[T]{})
}

// Min is the function of that name of package bsplib, called at a line of the program.
func Min[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, least, nil, at), x, lesser[T]{})
}

// Max is the function of that name of package bsplib, called at a line of the program.
func Max[T Real](p *Member, at uintptr, x T) T {
	return reduceOne(p, callOf[T](p, greatest, nil, at), x, greater[T]{})
}

// SumSlice is the function of that name of package bsplib, called at a line of the program.
func SumSlice[T Number](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, sumSlice, nil, at), x, byLoop[T](adding[T]{}))
}

// MinSlice is the function of that name of package bsplib, called at a line of the program.
func MinSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, leastSlice, nil, at), x, byLoop[T](lesser[T]{}))
}

// MaxSlice is the function of that name of package bsplib, called at a line of the program.
func MaxSlice[T Real](p *Member, at uintptr, x []T) {
	allreduce(p, callOf[T](p, greatestSlice, nil, at), x, byLoop[T](greater[T]{}))
}

func reduceOne[T Number](p *Member, c call, x T, l loop) T {
	one := [1]T{x}
	allreduce(p, c, one[:], byLoop[T](l))
	return one[0]
}

// allreduce is all of these.
func allreduce[T any](p *Member, c call, x []T, o operation[T]) {
	r, t, n := p.r, p.r.layout(), len(x)*memory.Size[T]()
	w := r.shape().reduction(n)
	s := p.join(c, 0, n)
	p.give(s, memory.Bytes(x))
	if w.much {
		reduceInLevels(p, s, w, c, x, &o)
		return
	}
	fold := w.fold && r.folds(n)
	if s.last(r) {
		layOwn(p, s, &o, len(x))
		s.letGo()
		if s.folded = fold; fold {
			reducerFor(r, &o, len(x))
		} else {
			p.offer(s, t)
		}
	}
	p.exchange(c)
	switch {
	case !s.lead():
		memory.Copy(memory.At(x), memory.At(s.results), n)
		return
	case fold:
		memory.Copy(memory.At(x), memory.At(p.agree(s)), n)
	default:
		r.sourcesOf(p, s, t.members, n)
		combine(r, &o, subtree{0, p.Procs()}, 0, x)
	}
	s.keep(r, memory.Bytes(x))
}
