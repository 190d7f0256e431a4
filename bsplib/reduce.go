package bsplib

// Reductions combine one value of each process with an associative op, always
// in the same tree over the pids: floating-point results do not depend on
// ranks, engine or mapping. op need not be commutative.

// directLimit is the number of processes up to which everybody sends to
// everybody, and beyond which it goes through process 0.
const directLimit = 64

// Reduce returns op over all processes' x on root, and the zero T elsewhere.
//
// BSP cost: (p-1)*n*g + l, and p-1 ops on root.
//
//go:noinline
func Reduce[T any](p *Proc, root int, x T, op func(a, b T) T) T {
	mustBePlain[T](p, "a Reduce")
	p.checkRoot("Reduce to", root)
	return reduce(p, reduction, root, x, op, callSite())
}

func reduce[T any](p *Proc, kind collective, root int, x T, op func(a, b T) T, site uintptr) T {
	one := [1]T{x}
	p.post(kind, root, bytesOf(one[:]))
	p.exchange(site)
	if p.pid != root {
		p.finish(kind)
		var zero T
		return zero
	}
	return fold(p, kind, p.n, op)
}

// Allreduce returns op over all processes' x on all of them.
//
// BSP cost: (p-1)*n*g + l up to 64 processes, 2*((p-1)*n*g + l) beyond.
//
//go:noinline
func Allreduce[T any](p *Proc, x T, op func(a, b T) T) T {
	mustBePlain[T](p, "an Allreduce")
	site := callSite()
	one := [1]T{x}
	if p.n <= directLimit {
		for to := range p.n {
			p.post(allreduction, to, bytesOf(one[:]))
		}
		p.exchange(site)
		return fold(p, allreduction, p.n, op)
	}
	one[0] = reduce(p, allreduction, 0, x, op, site)
	if p.pid == 0 {
		for to := range p.n {
			p.post(allreduction, to, bytesOf(one[:]))
		}
	}
	p.exchange(site)
	return fold(p, allreduction, 1, op)
}

// Scan returns op over the x of processes 0 to Pid().
//
// BSP cost: (p-1)*n*g + l, and up to p-1 ops.
//
//go:noinline
func Scan[T any](p *Proc, x T, op func(a, b T) T) T {
	mustBePlain[T](p, "a Scan")
	one := [1]T{x}
	for to := p.pid; to < p.n; to++ {
		p.post(scan, to, bytesOf(one[:]))
	}
	p.exchange(callSite())
	return fold(p, scan, p.pid+1, op)
}

// AllreduceSlice replaces each element of x by op over all processes' elements
// there. All give the same length. Process i combines the i-th part of x for
// all, and then all gather the parts.
//
// BSP cost: 2*n*g + 2*l, and n/p * (p-1) ops.
//
//go:noinline
func AllreduceSlice[T any](p *Proc, x []T, op func(a, b T) T) {
	mustBePlain[T](p, "an AllreduceSlice")
	site := callSite()
	part := func(pid int) []T { return x[pid*len(x)/p.n : (pid+1)*len(x)/p.n] }
	for to := range p.n {
		p.post(allreductionSlice, to, bytesOf(part(to)))
	}
	p.exchange(site)
	all := make([][]T, p.n)
	for from := range all {
		all[from] = make([]T, len(part(p.pid)))
		p.receive(allreductionSlice, "AllreduceSlice", bytesOf(all[from]))
	}
	mine := part(p.pid)
	for i := range mine {
		mine[i] = tree(0, p.n, op, func(pid int) T { return all[pid][i] })
	}
	for to := range p.n {
		p.post(allreductionSlice, to, bytesOf(mine))
	}
	p.exchange(site)
	for from := range p.n {
		p.receive(allreductionSlice, "AllreduceSlice", bytesOf(part(from)))
	}
}

// fold combines the next n messages of one T each.
func fold[T any](p *Proc, kind collective, n int, op func(a, b T) T) T {
	all := tree(0, n, op, func(int) (x T) {
		one := [1]T{}
		p.receive(kind, collectiveNames[kind], bytesOf(one[:]))
		return one[0]
	})
	p.finish(kind)
	return all
}

// tree combines at(lo) to at(hi-1) in a balanced tree; it calls at in order.
func tree[T any](lo, hi int, op func(a, b T) T, at func(int) T) T {
	if hi-lo == 1 {
		return at(lo)
	}
	mid := lo + (hi-lo+1)/2
	left := tree(lo, mid, op, at)
	return op(left, tree(mid, hi, op, at))
}
