package bsplib

import (
	"strings"
	"unsafe"
)

// The collectives are made of messages, in a queue that each process has for
// them. All processes call them in the same order. Each contains the Syncs
// that its cost shows. Like any Sync they deliver what else was put or sent;
// unlike others they drop no message of the program's queues: what was not read
// stays, in front of what they deliver. n is the number of bytes of the data.

// collective names what a message between collectives belongs to.
type collective int64

const (
	broadcast collective = iota
	broadcastTwoPhase
	gather
	allgather
	allToAll
	reduction
	allreduction
	allreductionSlice
	scan
)

var collectiveNames = [...]string{
	"a Broadcast", "a BroadcastTwoPhase", "a Gather", "an Allgather", "an AllToAll",
	"a Reduce", "an Allreduce", "an AllreduceSlice", "a Scan",
}

// name is the collective's name without its article.
func (c collective) name() string {
	_, name, _ := strings.Cut(collectiveNames[c], " ")
	return name
}

// Broadcast copies root's data to all processes; data has the same length on
// all. Good for short data.
//
// BSP cost: (p-1)*n*g + l.
//
//go:noinline
func Broadcast[T any](p *Proc, root int, data []T) {
	mustBePlain[T](p, "a Broadcast")
	p.checkRoot("Broadcast from", root)
	if p.pid == root {
		for to := range p.n {
			if to != root {
				p.post(broadcast, to, bytesOf(data))
			}
		}
	}
	p.exchange(callSite())
	if p.pid != root {
		p.receive(broadcast, bytesOf(data))
	}
	p.finish(broadcast)
}

// BroadcastTwoPhase is Broadcast for long data: root scatters it, and then all
// processes gather the parts.
//
// BSP cost: 2*n*g + 2*l.
//
//go:noinline
func BroadcastTwoPhase[T any](p *Proc, root int, data []T) {
	mustBePlain[T](p, "a BroadcastTwoPhase")
	p.checkRoot("BroadcastTwoPhase from", root)
	site := callSite()
	part := func(pid int) []byte { return bytesOf(data[pid*len(data)/p.n : (pid+1)*len(data)/p.n]) }
	if p.pid == root {
		for to := range p.n {
			p.post(broadcastTwoPhase, to, part(to))
		}
	}
	p.exchange(site)
	p.receive(broadcastTwoPhase, part(p.pid))
	for to := range p.n {
		if to != p.pid && to != root {
			p.post(broadcastTwoPhase, to, part(p.pid))
		}
	}
	p.exchange(site)
	for from := range p.n {
		if from != p.pid && p.pid != root {
			p.receive(broadcastTwoPhase, part(from))
		}
	}
	p.finish(broadcastTwoPhase)
}

// Gather brings all processes' values to root, which gets them by pid; the
// others get nil. Lengths may differ.
//
// BSP cost: (sum of all n)*g + l.
//
//go:noinline
func Gather[T any](p *Proc, root int, values []T) [][]T {
	mustBePlain[T](p, "a Gather")
	p.checkRoot("Gather to", root)
	p.post(gather, root, bytesOf(values))
	p.exchange(callSite())
	if p.pid != root {
		p.finish(gather)
		return nil
	}
	return receiveAll[T](p, gather)
}

// Allgather brings all processes' values to all processes, by pid. Lengths may
// differ.
//
// BSP cost: max((p-1)*n, sum of all n)*g + l.
//
//go:noinline
func Allgather[T any](p *Proc, values []T) [][]T {
	mustBePlain[T](p, "an Allgather")
	for to := range p.n {
		p.post(allgather, to, bytesOf(values))
	}
	p.exchange(callSite())
	return receiveAll[T](p, allgather)
}

// AllToAll sends values[pid] to each pid and returns what each pid has sent
// here. values has an element for each process; their lengths may differ.
//
// BSP cost: max over the processes of the bytes sent or received *g + l.
//
//go:noinline
func AllToAll[T any](p *Proc, values [][]T) [][]T {
	mustBePlain[T](p, "an AllToAll")
	if len(values) != p.n {
		p.fail(KindOutOfBounds, "AllToAll of %d slices for %d processes", len(values), p.n)
	}
	for to, v := range values {
		p.post(allToAll, to, bytesOf(v))
	}
	p.exchange(callSite())
	return receiveAll[T](p, allToAll)
}

// exchange is a collective's Sync.
func (p *Proc) exchange(site uintptr) {
	p.collective = true
	p.sync(site)
	p.collective = false
}

// post sends bytes to a process's collective queue.
func (p *Proc) post(kind collective, pid int, data []byte) {
	p.did.Sent += len(data)
	p.rank.route[pid].send(p.pid, p.mail.key|uint64(pid)<<pidShift,
		unsafe.Pointer(&kind), 8, 8, raw(data), len(data))
}

// payload takes the next message of a collective.
func (p *Proc) payload(kind collective) []byte {
	if p.mail.count == 0 {
		p.fail(KindCollectiveMismatch, "this process is in %s, in which others do not take part", collectiveNames[kind])
	}
	at, n := p.mail.take()
	if other := *(*collective)(at); other != kind {
		p.fail(KindCollectiveMismatch, "this process is in %s, while others are in %s", collectiveNames[kind], collectiveNames[other])
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(at, 8)), n)
}

// receive takes the next message, which must have the length of to.
func (p *Proc) receive(kind collective, to []byte) {
	b := p.payload(kind)
	if len(b) != len(to) {
		p.fail(KindOutOfBounds, "%s: %d bytes arrived for data of %d bytes; all processes must give the same length", kind.name(), len(b), len(to))
	}
	copy(to, b)
}

// finish ends the run if there are messages left: processes do not agree on a
// collective or on its root.
func (p *Proc) finish(kind collective) {
	if p.mail.count > 0 {
		p.fail(KindCollectiveMismatch, "more processes sent to this one than take part in its %s; all must call the same collectives with the same root", kind.name())
	}
}

// receiveAll takes one message from each process.
func receiveAll[T any](p *Proc, kind collective) [][]T {
	all := make([][]T, p.n)
	for from := range all {
		b := p.payload(kind)
		all[from] = make([]T, len(b)/sizeOf[T]())
		copy(bytesOf(all[from]), b)
	}
	p.finish(kind)
	return all
}

func (p *Proc) checkRoot(what string, root int) {
	if root < 0 || root >= p.n {
		p.fail(KindPidOutOfRange, "%s process %d; there are processes 0 to %d", what, root, p.n-1)
	}
}

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
		p.receive(allreductionSlice, bytesOf(all[from]))
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
		p.receive(allreductionSlice, bytesOf(part(from)))
	}
}

// fold combines the next n messages of one T each.
func fold[T any](p *Proc, kind collective, n int, op func(a, b T) T) T {
	all := tree(0, n, op, func(int) (x T) {
		one := [1]T{}
		p.receive(kind, bytesOf(one[:]))
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
