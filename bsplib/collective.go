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
		p.receive(broadcast, "Broadcast", bytesOf(data))
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
	p.receive(broadcastTwoPhase, "BroadcastTwoPhase", part(p.pid))
	for to := range p.n {
		if to != p.pid && to != root {
			p.post(broadcastTwoPhase, to, part(p.pid))
		}
	}
	p.exchange(site)
	for from := range p.n {
		if from != p.pid && p.pid != root {
			p.receive(broadcastTwoPhase, "BroadcastTwoPhase", part(from))
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
		p.fail(OutOfBounds, "AllToAll of %d slices for %d processes", len(values), p.n)
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
		p.fail(CollectiveMismatch, "this process is in %s, in which others do not take part", collectiveNames[kind])
	}
	at, n := p.mail.take()
	if other := *(*collective)(at); other != kind {
		p.fail(CollectiveMismatch, "this process is in %s, while others are in %s", collectiveNames[kind], collectiveNames[other])
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(at, 8)), n)
}

// receive takes the next message, which must have the length of to.
func (p *Proc) receive(kind collective, what string, to []byte) {
	b := p.payload(kind)
	if len(b) != len(to) {
		p.fail(OutOfBounds, "%s: %d bytes arrived for data of %d bytes; all processes must give the same length", what, len(b), len(to))
	}
	copy(to, b)
}

// finish ends the run if there are messages left: processes do not agree on a
// collective or on its root.
func (p *Proc) finish(kind collective) {
	if p.mail.count > 0 {
		p.fail(CollectiveMismatch, "more processes sent to this one than take part in its %s; all must call the same collectives with the same root", collectiveNames[kind][strings.Index(collectiveNames[kind], " ")+1:])
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
		p.fail(PidOutOfRange, "%s process %d; there are processes 0 to %d", what, root, p.n-1)
	}
}
