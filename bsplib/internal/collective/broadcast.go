package collective

import "github.com/migbsp/migbsp/bsplib/internal/memory"

// broadcasting is one process's state of a Broadcast.
type broadcasting struct {
	p    *Member
	t    *layout
	from int // the root's rank
	data []byte
	s    *exchange
}

// Broadcast implements bsplib.Broadcast. at is the return address in the program.
func Broadcast[T any](p *Member, at uintptr, root int, data []T) {
	c := callOf[T](p, broadcast, nil, at)
	p.checkRoot("Broadcast from", root)
	p.broadcast(c, root, memory.Bytes(data))
}

func (p *Member) broadcast(c call, root int, data []byte) {
	r, t := p.r, p.r.layout()
	s, w := p.join(c, root, len(data)), r.shape().broadcast(len(data))
	b := broadcasting{p: p, t: t, from: int(r.where[root]), data: data, s: s}
	home, node := t.node[b.from], t.node[p.rank()]
	if p.Pid == root {
		b.send(t.nodes[home], w)
	}
	if leads := p.rank() == b.from || node != home && t.place[p.rank()] == 0; leads && w.much && s.last(r) && len(t.nodes) > 1 {
		b.crossFrom(home, node, w)
	}
	p.exchange(c)
	switch {
	case p.Pid == root:
	case node == home || !w.much:
		memory.Copy(memory.At(data), memory.At(r.from(s, b.from)), len(data))
	case !w.inner:
		memory.Move(data, s.result)
	}
	if w.much && w.inner {
		b.share(c, home, node)
	}
}

// send publishes the root's data for the ranks of its node. It sends little data to the other ranks,
// and keeps much data for them until the exchange has ended.
func (b *broadcasting) send(mates []int, w way) {
	p, s := b.p, b.s
	if len(mates) > 1 || p.r.here() > 1 {
		memory.Copy(memory.At(p.r.reserve(s, len(b.data))), memory.At(b.data), len(b.data))
	}
	for _, rank := range b.t.members {
		if b.t.node[rank] == b.t.node[b.from] {
			p.publishTo(s, rank)
		} else if !w.much {
			p.send(rank, b.data)
		}
	}
	if !w.much {
		return
	}
	if s.kept = memory.Long(b.data); len(b.data) < longContribution || !p.lasts(b.data) {
		s.kept = p.r.ownRoom(len(b.data))
		memory.Copy(memory.At(s.kept), memory.At(b.data), len(b.data))
	}
}

// crossFrom prepares this rank's part in the transfer from the root's node to other nodes.
func (b *broadcasting) crossFrom(home, node int, w way) {
	r := b.p.r
	r.group = append(r.group[:0], b.t.rails[0]...)
	r.group[home] = b.from
	c := crossing{group: r.group, tree: w.tree, root: home, unit: 1, n: len(b.data)}
	if node != home && !w.inner {
		c.to = b.p.whole(b.s, b.data)
	}
	b.s.crossing = c
}

// whole returns the destination of a complete result on this rank: the memory of its only
// process, if no other rank reads it meanwhile, or the rank's own memory.
func (p *Member) whole(s *exchange, data []byte) []byte {
	if p.r.here() == 1 && len(data) >= longContribution && p.lasts(data) {
		return memory.Long(data)
	}
	return s.resultRoom(len(data))
}

// share copies the data from the first rank of each other node to all ranks of the node.
func (b *broadcasting) share(c call, home, node int) {
	r, n := b.p.r, len(b.data)
	before, lead := b.s, b.s.lead()
	s := r.exchangeOf(r.step())
	if node != home && lead {
		s = r.openNext(c, n)
		if b.t.place[b.p.rank()] == 0 {
			memory.Move(r.reserve(s, n), before.result)
			for _, rank := range b.t.nodes[node] {
				b.p.publishTo(s, rank)
			}
		}
	}
	b.p.exchange(c)
	if node != home {
		copy(b.data, r.from(s, b.t.nodes[node][0]))
	}
}
