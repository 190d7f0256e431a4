package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Gather implements bsplib.Gather. at is the return address in the program.
func Gather[T any](p *Member, at uintptr, root int, values []T) [][]T {
	c := callOf[T](p, gather, nil, at)
	p.gather(c, root, memory.Bytes(values))
	if p.Pid != root {
		return nil
	}
	return receiveInto(p, make([][]T, p.Procs()))
}

// GatherInto implements bsplib.GatherInto.
func GatherInto[T any](p *Member, at uintptr, root int, values []T, into [][]T) {
	c := callOf[T](p, gather, nil, at)
	if p.Pid == root {
		p.checkInto("GatherInto", len(into))
	}
	p.gather(c, root, memory.Bytes(values))
	if p.Pid == root {
		receiveInto(p, into)
	}
}

func (p *Member) gather(c call, root int, values []byte) {
	p.checkRoot("Gather to", root)
	p.join(c, root, 0)
	p.post(c, root, values)
	p.exchange(c)
}

// Allgather implements bsplib.Allgather.
func Allgather[T any](p *Member, at uintptr, values []T) [][]T {
	return fill(make([][]T, p.Procs()), p.allgather(callOf[T](p, allgather, nil, at), memory.Bytes(values)))
}

// AllgatherInto implements bsplib.AllgatherInto.
func AllgatherInto[T any](p *Member, at uintptr, values []T, into [][]T) {
	c := callOf[T](p, allgather, nil, at)
	p.checkInto("AllgatherInto", len(into))
	fill(into, p.allgather(c, memory.Bytes(values)))
}

// AllToAll implements bsplib.AllToAll.
func AllToAll[T any](p *Member, at uintptr, values [][]T) [][]T {
	c := callOf[T](p, allToAll, nil, at)
	exchangeEach(p, c, values)
	return receiveInto(p, make([][]T, p.Procs()))
}

// AllToAllInto implements bsplib.AllToAllInto.
func AllToAllInto[T any](p *Member, at uintptr, values, into [][]T) {
	c := callOf[T](p, allToAll, nil, at)
	p.checkInto("AllToAllInto", len(into))
	exchangeEach(p, c, values)
	receiveInto(p, into)
}

func exchangeEach[T any](p *Member, c call, values [][]T) {
	if len(values) != p.Procs() {
		p.Fail(OutOfBounds, "AllToAll of %d slices for %d processes", len(values), p.Procs())
	}
	p.join(c, 0, 0)
	for to, v := range values {
		p.post(c, to, memory.Bytes(v))
	}
	p.exchange(c)
}

// post sends bytes to a process's collective queue.
func (p *Member) post(c call, pid int, data []byte) {
	p.Did.Sent += len(data)
	p.r.stream.Out.Route[pid].Send(p.Pid, stream.Word0(stream.KindSend, 0, pid),
		unsafe.Pointer(&c), 8, 8, memory.At(data), len(data))
}

// receiveInto receives the message of each process into the slices of into, allocating memory for
// slices without enough capacity.
func receiveInto[T any](p *Member, into [][]T) [][]T {
	parts, mail := p.r.messages[:0], p.Mail()
	for range into {
		_, data, n := mail.Take()
		parts = append(parts, unsafe.Slice((*byte)(data), n))
	}
	fill(into, parts)
	clear(parts)
	p.r.messages = parts
	return into
}

// fill copies parts into the slices of into, allocating memory for slices without enough capacity.
func fill[T any](into [][]T, parts [][]byte) [][]T {
	need := 0
	for i, b := range parts {
		if n := len(b) / memory.Size[T](); into[i] == nil || cap(into[i]) < n {
			need += n
		}
	}
	room := make([]T, need)
	for i, b := range parts {
		n := len(b) / memory.Size[T]()
		if into[i] == nil || cap(into[i]) < n {
			into[i], room = room[:n:n], room[n:]
		}
		into[i] = into[i][:n]
		memory.Copy(memory.At(into[i]), memory.At(b), len(b))
	}
	return into
}

// allgather returns the data of each process, which are valid until the process's next Sync.
func (p *Member) allgather(c call, values []byte) [][]byte {
	r, t := p.r, p.r.layout()
	s := p.join(c, 0, 0)
	to := r.reserve(s, 8+len(values))
	*memory.Word(to, 0) = uint64(len(values))
	memory.Copy(memory.At(to[8:]), memory.At(values), len(values))
	if s.last(r) {
		p.publish(s, t)
	}
	p.exchange(c)
	if !s.lead() {
		return s.parts
	}
	if s.parts == nil {
		s.parts = make([][]byte, p.Procs())
	}
	for _, rank := range t.members {
		data := r.from(s, rank)
		for _, pid := range t.procs[rank] {
			n := int(*memory.Word(data, 0))
			s.parts[pid] = data[8 : 8+n]
			data = data[min(memory.Pad(8+n), len(data)):]
		}
	}
	return s.parts
}
