package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// All processes call the collectives in the same order, with the same types, operations and
// roots: what differs ends the run (collective_call.go). Each contains the Syncs
// that its cost shows. Like any Sync they deliver what else was put or sent;
// unlike others they drop no message of the program's queues: what was not read
// stays, in front of what they deliver. n is the number of bytes of the data.
//
// What goes from each process to each other is made of messages, in a queue that each
// process has for them. What is the same for all goes by ranks (collective_shelf.go).

// Broadcast copies root's data to all processes; data has the same length on
// all.
//
// Within a node all read it where root's rank has laid it. Little data goes to all ranks
// of other nodes, much to one rank of each or, over three nodes and more, a part to each,
// and then from node to node and within the nodes. If all nodes are on one machine, whose
// cores they share, much goes from node to node in one superstep.
//
// BSP cost: (r-1)*n*g + l on r ranks for little data and on one node, where reading the
// others' copies takes n*g each at the same time; for much data on N nodes n*(N-1)*g + l,
// 2*n*g + 2*l, or log2(N)*n*g + l on one machine, and n*g + l more where nodes have several ranks. The call may have one more
// barrier of its node's ranks in it, where they read the root's own memory.
//
//go:noinline
func Broadcast[T any](p *Proc, root int, data []T) {
	c := callOf[T](p, broadcast, nil, site.OfCall())
	p.checkRoot("Broadcast from", root)
	p.broadcast(c, root, memory.Bytes(data))
}

// Gather brings all processes' values to root, which gets them by pid; the
// others get nil. Lengths may differ.
//
// BSP cost: (sum of all n)*g + l.
//
//go:noinline
func Gather[T any](p *Proc, root int, values []T) [][]T {
	c := callOf[T](p, gather, nil, site.OfCall())
	s := p.gather(c, root, memory.Bytes(values))
	if p.pid != root {
		return nil
	}
	return receiveAll[T](p, s, c)
}

// GatherInto is Gather into root's slices: into[pid] becomes what pid has sent, in the
// memory of into[pid] if that has room. The others may give nil.
//
//go:noinline
func GatherInto[T any](p *Proc, root int, values []T, into [][]T) {
	c := callOf[T](p, gather, nil, site.OfCall())
	if p.pid == root {
		p.checkInto("GatherInto", len(into))
	}
	s := p.gather(c, root, memory.Bytes(values))
	if p.pid == root {
		receiveInto(p, s, c, into)
	}
}

func (p *Proc) gather(c call, root int, values []byte) *side {
	p.checkRoot("Gather to", root)
	s := p.join(c, root, 0)
	p.post(c, root, values)
	p.exchange(c)
	if p.pid != root {
		p.compareAway(s, int(p.rank.where[root]))
		p.finish(c)
	}
	return s
}

// Allgather brings all processes' values to all processes, by pid. Lengths may
// differ.
//
// BSP cost: (sum of all n)*g + l for each rank to receive, and (r-1) times what its
// processes give to send.
//
//go:noinline
func Allgather[T any](p *Proc, values []T) [][]T {
	parts := p.allgather(callOf[T](p, allgather, nil, site.OfCall()), memory.Bytes(values))
	total := 0
	for _, b := range parts {
		total += len(b) / memory.Size[T]()
	}
	all, room := make([][]T, p.n), make([]T, total)
	for from, b := range parts {
		all[from], room = split(room, len(b)/memory.Size[T]())
		memory.Copy(memory.At(all[from]), memory.At(b), len(b))
	}
	return all
}

// AllgatherInto is Allgather into the caller's slices: into[pid] becomes what pid has
// given, in the memory of into[pid] if that has room.
//
//go:noinline
func AllgatherInto[T any](p *Proc, values []T, into [][]T) {
	c := callOf[T](p, allgather, nil, site.OfCall())
	p.checkInto("AllgatherInto", len(into))
	for from, b := range p.allgather(c, memory.Bytes(values)) {
		into[from] = resized(into[from], len(b)/memory.Size[T]())
		memory.Copy(memory.At(into[from]), memory.At(b), len(b))
	}
}

// AllToAll sends values[pid] to each pid and returns what each pid has sent
// here. values has an element for each process; their lengths may differ.
//
// BSP cost: max over the processes of the bytes sent or received *g + l.
//
//go:noinline
func AllToAll[T any](p *Proc, values [][]T) [][]T {
	c := callOf[T](p, allToAll, nil, site.OfCall())
	return receiveAll[T](p, exchangeEach(p, c, values), c)
}

// AllToAllInto is AllToAll into the caller's slices: into[pid] becomes what pid has
// sent here, in the memory of into[pid] if that has room. into may be values.
//
//go:noinline
func AllToAllInto[T any](p *Proc, values, into [][]T) {
	c := callOf[T](p, allToAll, nil, site.OfCall())
	p.checkInto("AllToAllInto", len(into))
	receiveInto(p, exchangeEach(p, c, values), c, into)
}

func exchangeEach[T any](p *Proc, c call, values [][]T) *side {
	if len(values) != p.n {
		p.fail(KindOutOfBounds, "AllToAll of %d slices for %d processes", len(values), p.n)
	}
	s := p.join(c, 0, 0)
	for to, v := range values {
		p.post(c, to, memory.Bytes(v))
	}
	p.exchange(c)
	return s
}

func (p *Proc) checkInto(what string, n int) {
	if n != p.n {
		p.fail(KindOutOfBounds, "%s: there are %d slices to receive into for %d processes", what, n, p.n)
	}
}

// exchange is a collective's Sync.
func (p *Proc) exchange(c call) {
	p.rank.give()
	p.data.Collecting = true
	p.sync(c.site())
	p.data.Collecting = false
	p.unbroken()
	if p.rank.folder != nil {
		p.mustAgree()
	}
}

// post sends bytes to a process's collective queue.
func (p *Proc) post(c call, pid int, data []byte) {
	p.data.Did.Sent += len(data)
	p.rank.stream.Out.Route[pid].Send(p.pid, stream.Word0(stream.KindSend, 0, pid),
		unsafe.Pointer(&c), 8, 8, memory.At(data), len(data))
}

// payload takes the next message of a collective.
func (p *Proc) payload(s *side, c call) []byte {
	mail := p.data.Mail()
	if mail.Count == 0 {
		p.absent(s, c)
	}
	tag, data, n := mail.Take()
	if other := *(*call)(tag); !c.matches(other) {
		p.mismatch(c, other)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(data), n)
}

// finish ends the run if there are messages left: processes do not agree on a
// collective or on its root.
func (p *Proc) finish(c call) {
	mail := p.data.Mail()
	if mail.Count == 0 {
		return
	}
	if other := *(*call)(mail.Current.At); !c.matches(other) {
		p.mismatch(c, other)
	}
	p.fail(KindCollectiveMismatch, "more processes sent to this one than take part in its %s; all must call the same collectives with the same root", c.name())
}

// receiveAll takes one message from each process, into new memory.
func receiveAll[T any](p *Proc, s *side, c call) [][]T {
	all, room := make([][]T, p.n), make([]T, p.data.Mail().Payload()/memory.Size[T]())
	for from := range all {
		b := p.payload(s, c)
		all[from], room = split(room, len(b)/memory.Size[T]())
		memory.Copy(memory.At(all[from]), memory.At(b), len(b))
	}
	p.finish(c)
	return all
}

// receiveInto takes one message from each process.
func receiveInto[T any](p *Proc, s *side, c call, into [][]T) {
	for from := range into {
		b := p.payload(s, c)
		into[from] = resized(into[from], len(b)/memory.Size[T]())
		memory.Copy(memory.At(into[from]), memory.At(b), len(b))
	}
	p.finish(c)
}

// split cuts the first n elements off, which cannot grow into the rest.
func split[T any](s []T, n int) (first, rest []T) { return s[:n:n], s[n:] }

// resized is a slice of n elements, with any content, in s's memory if that has room.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// allgather returns what each process has given, until the process's next Sync.
func (p *Proc) allgather(c call, values []byte) [][]byte {
	r, t := p.rank, p.rank.layout()
	s := p.join(c, 0, 0)
	to := r.lay(s, 8+len(values))
	*memory.Word(to, 0) = uint64(len(values))
	memory.Copy(memory.At(to[8:]), memory.At(values), len(values))
	if s.last(r) {
		p.offer(s, t)
	}
	p.exchange(c)
	if !s.lead() {
		return s.parts
	}
	if s.parts == nil {
		s.parts = make([][]byte, p.n)
	}
	for _, rank := range t.members {
		data := p.took(s, rank, -1)
		for _, pid := range t.procs[rank] {
			n := int(*memory.Word(data, 0))
			s.parts[pid] = data[8 : 8+n]
			data = data[min(memory.Pad(8+n), len(data)):]
		}
	}
	return s.parts
}

func (p *Proc) checkRoot(what string, root int) {
	if root < 0 || root >= p.n {
		p.fail(KindPidOutOfRange, "%s process %d; there are processes 0 to %d", what, root, p.n-1)
	}
}
