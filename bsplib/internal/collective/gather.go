package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Broadcast is the function of that name of package bsplib, called at a line of the program.
func Broadcast[T any](p *Member, at uintptr, root int, data []T) {
	c := callOf[T](p, broadcast, nil, at)
	p.checkRoot("Broadcast from", root)
	p.broadcast(c, root, memory.Bytes(data))
}

// Gather is the function of that name of package bsplib, called at a line of the program.
func Gather[T any](p *Member, at uintptr, root int, values []T) [][]T {
	c := callOf[T](p, gather, nil, at)
	s := p.gather(c, root, memory.Bytes(values))
	if p.Pid != root {
		return nil
	}
	return receiveAll[T](p, s, c)
}

// GatherInto is the function of that name of package bsplib, called at a line of the program.
func GatherInto[T any](p *Member, at uintptr, root int, values []T, into [][]T) {
	c := callOf[T](p, gather, nil, at)
	if p.Pid == root {
		p.checkInto("GatherInto", len(into))
	}
	s := p.gather(c, root, memory.Bytes(values))
	if p.Pid == root {
		receiveInto(p, s, c, into)
	}
}

func (p *Member) gather(c call, root int, values []byte) *side {
	p.checkRoot("Gather to", root)
	s := p.join(c, root, 0)
	p.post(c, root, values)
	p.exchange(c)
	if p.Pid != root {
		p.compareAway(s, int(p.r.where[root]))
		p.finish(c)
	}
	return s
}

// Allgather is the function of that name of package bsplib, called at a line of the program.
func Allgather[T any](p *Member, at uintptr, values []T) [][]T {
	parts := p.allgather(callOf[T](p, allgather, nil, at), memory.Bytes(values))
	total := 0
	for _, b := range parts {
		total += len(b) / memory.Size[T]()
	}
	all, room := make([][]T, p.Procs()), make([]T, total)
	for from, b := range parts {
		all[from], room = split(room, len(b)/memory.Size[T]())
		memory.Copy(memory.At(all[from]), memory.At(b), len(b))
	}
	return all
}

// AllgatherInto is the function of that name of package bsplib, called at a line of the program.
func AllgatherInto[T any](p *Member, at uintptr, values []T, into [][]T) {
	c := callOf[T](p, allgather, nil, at)
	p.checkInto("AllgatherInto", len(into))
	for from, b := range p.allgather(c, memory.Bytes(values)) {
		into[from] = resized(into[from], len(b)/memory.Size[T]())
		memory.Copy(memory.At(into[from]), memory.At(b), len(b))
	}
}

// AllToAll is the function of that name of package bsplib, called at a line of the program.
func AllToAll[T any](p *Member, at uintptr, values [][]T) [][]T {
	c := callOf[T](p, allToAll, nil, at)
	return receiveAll[T](p, exchangeEach(p, c, values), c)
}

// AllToAllInto is the function of that name of package bsplib, called at a line of the program.
func AllToAllInto[T any](p *Member, at uintptr, values, into [][]T) {
	c := callOf[T](p, allToAll, nil, at)
	p.checkInto("AllToAllInto", len(into))
	receiveInto(p, exchangeEach(p, c, values), c, into)
}

func exchangeEach[T any](p *Member, c call, values [][]T) *side {
	if len(values) != p.Procs() {
		p.Fail(OutOfBounds, "AllToAll of %d slices for %d processes", len(values), p.Procs())
	}
	s := p.join(c, 0, 0)
	for to, v := range values {
		p.post(c, to, memory.Bytes(v))
	}
	p.exchange(c)
	return s
}

func (p *Member) checkInto(what string, n int) {
	if n != p.Procs() {
		p.Fail(OutOfBounds, "%s: there are %d slices to receive into for %d processes", what, n, p.Procs())
	}
}

// exchange is a collective's Sync.
func (p *Member) exchange(c call) {
	p.r.give()
	p.Collecting = true
	p.EndSuperstep(c.site())
	p.Collecting = false
	p.unbroken()
	if p.r.folder != nil {
		p.mustAgree()
	}
}

// post sends bytes to a process's collective queue.
func (p *Member) post(c call, pid int, data []byte) {
	p.Did.Sent += len(data)
	p.r.stream.Out.Route[pid].Send(p.Pid, stream.Word0(stream.KindSend, 0, pid),
		unsafe.Pointer(&c), 8, 8, memory.At(data), len(data))
}

// payload takes the next message of a collective.
func (p *Member) payload(s *side, c call) []byte {
	mail := p.Mail()
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
func (p *Member) finish(c call) {
	mail := p.Mail()
	if mail.Count == 0 {
		return
	}
	if other := *(*call)(mail.Current.At); !c.matches(other) {
		p.mismatch(c, other)
	}
	p.Fail(Mismatch, "more processes sent to this one than take part in its %s; all must call the same collectives with the same root", c.name())
}

// receiveAll takes one message from each process, into new memory.
func receiveAll[T any](p *Member, s *side, c call) [][]T {
	all, room := make([][]T, p.Procs()), make([]T, p.Mail().Payload()/memory.Size[T]())
	for from := range all {
		b := p.payload(s, c)
		all[from], room = split(room, len(b)/memory.Size[T]())
		memory.Copy(memory.At(all[from]), memory.At(b), len(b))
	}
	p.finish(c)
	return all
}

// receiveInto takes one message from each process.
func receiveInto[T any](p *Member, s *side, c call, into [][]T) {
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
func (p *Member) allgather(c call, values []byte) [][]byte {
	r, t := p.r, p.r.layout()
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
		s.parts = make([][]byte, p.Procs())
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

func (p *Member) checkRoot(what string, root int) {
	if root < 0 || root >= p.Procs() {
		p.Fail(NoSuchProcess, "%s process %d; there are processes 0 to %d", what, root, p.Procs()-1)
	}
}
