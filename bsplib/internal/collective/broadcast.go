package collective

import (
	"cmp"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// broadcasting is a Broadcast on its way, as one process sees it.
type broadcasting struct {
	p    *Member
	t    *layout
	from int // the root's rank
	data []byte
	s    *side
}

// Broadcast is the function of that name of package bsplib, called at a line of the program.
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
	switch {
	case p.Pid == root:
		s.size = uint64(len(data))
		b.layAtHome(t.nodes[home])
		if w.much {
			b.keep()
			break
		}
		for _, rank := range t.members {
			if t.node[rank] != home {
				p.send(s, rank, data)
			}
		}
	case node == home && len(data) >= longGiven && p.quiet(data):
		s.given = append(s.given, given{p.Pid, memory.OnHeap(memory.At(data)), len(data)})
	}
	if leads := p.rank() == b.from || node != home && t.place[p.rank()] == 0; leads && w.much && s.last(r) && len(t.nodes) > 1 {
		b.crossFrom(home, node, w)
	}
	p.exchange(c)
	if s.filled != nil && s.lead() {
		s.fill()
	}
	p.compareGroup(s)
	switch {
	case p.Pid == root:
		b.compare(t.nodes[home])
	case node == home:
		b.take(p.took(s, b.from, len(data)))
	case !w.much:
		memory.Copy(memory.At(data), memory.At(p.took(s, b.from, len(data))), len(data))
	case !w.inner:
		memory.Move(data, s.result)
	}
	if w.much && w.inner {
		b.share(c, home, node)
	}
}

// layAtHome brings what the root has to the ranks of its node.
func (b *broadcasting) layAtHome(mates []int) {
	p, s, n := b.p, b.s, len(b.data)
	if len(mates) == 1 && p.r.here() == 1 {
		return
	}
	if n >= longGiven && b.lend(s, mates) {
		// The others copy it in their Sync.
	} else if all := p.r.lay(s, n); n >= longGiven && len(mates) > 1 && s.shelfHead.ref != 0 && p.r.shape().spare && p.quiet(b.data) {
		s.filled = memory.Long(b.data)
		s.ready.Store(0)
	} else {
		copy(all, b.data)
		s.ready.Store(int64(n))
	}
	for _, rank := range mates {
		p.offerTo(s, rank)
	}
}

// keep keeps what goes to other nodes after the exchange.
func (b *broadcasting) keep() {
	if len(b.data) >= longGiven && b.p.lasts(b.data) {
		b.s.kept = memory.Long(b.data)
		return
	}
	b.s.kept = b.p.r.ownRoom(len(b.data))
	copy(b.s.kept, b.data)
}

// crossFrom has this rank take its part in bringing the data from the root's node to others: to the
// memory of its only process, to the next superstep's shelf for several ranks, or to the rank's own.
func (b *broadcasting) crossFrom(home, node int, w way) {
	r, n := b.p.r, len(b.data)
	r.group = append(r.group[:0], b.t.rails[0]...)
	r.group[home] = b.from
	c := crossing{group: r.group, tree: w.tree, home: home, unit: 1}
	switch {
	case node == home:
	case w.inner:
		c.to = r.regionOf(r.shelf(r.step()+1), n)[:n]
	default:
		c.to = b.p.whole(b.s, b.data)
	}
	b.p.meetNodes(b.s, c)
}

// whole is where this rank wants all of what its processes get: in the memory of the only one,
// if that is not read meanwhile, or apart.
func (p *Member) whole(s *side, data []byte) []byte {
	if p.r.here() == 1 && len(data) >= longGiven && p.lasts(data) {
		return memory.Long(data)
	}
	return s.resultRoom(len(data))
}

// share brings the data from the first ranks of the other nodes to all of these.
func (b *broadcasting) share(c call, home, node int) {
	r, n := b.p.r, len(b.data)
	before, lead := b.s, b.s.lead()
	s := r.shelf(r.step())
	if node != home && lead {
		s = r.opened(c, n)
		if b.t.place[b.p.rank()] == 0 {
			memory.Move(r.lay(s, n), before.result)
			for _, rank := range b.t.nodes[node] {
				b.p.offerTo(s, rank)
			}
		}
	}
	b.p.exchange(c)
	if node != home {
		copy(b.data, b.p.took(s, b.t.nodes[node][0], n))
	}
}

// lend has the others of the node copy the data from where the program has them, if they
// can. That takes another barrier, so that the program does not change what is being read.
func (b *broadcasting) lend(s *side, mates []int) bool {
	r := b.p.r
	if len(mates) == 1 || !b.p.quiet(b.data) {
		return false
	}
	mem := unsafe.Slice((*byte)(memory.OnHeap(memory.At(b.data))), len(b.data))
	ref := r.comm.Share(mem)
	if ref == 0 {
		return false
	}
	if r.shape().spare && r.comm.Reach(r.comm.Rank(), ref) == nil {
		r.comm.Withdraw(ref) // the kernel would copy no faster than two ranks at a time
		return false
	}
	s.lent, s.loan.own = ref, mem
	r.stream.Peers.Lend(stream.Loan{Ref: ref, Mem: mem})
	r.stream.Out.Flags |= stream.FlagPull
	return true
}

// takeLent copies a Broadcast's data from where the root's program has them to where the
// rank's processes want them, between the two barriers of a superstep with loans. Where
// something else may yet be written to one's memory, that process copies them later.
func (r *Rank) takeLent() {
	s := &r.sides[r.step()&1]
	if s.shelfHead == nil || s.step != r.step() || s.call.collective() != broadcast {
		return
	}
	from := int(r.where[s.root])
	head := r.headOf(from, r.step())
	if head == nil || head.step != s.step || head.lent == 0 || !s.call.matches(head.call) || head.root != s.root {
		return
	}
	n, others := int(head.size), r.here()
	if from == r.comm.Rank() {
		others--
	}
	for _, g := range s.given {
		if g.n == n {
			s.copyLent(r, from, head.lent, unsafe.Slice((*byte)(g.at), n))
			others--
		}
	}
	if others > 0 {
		s.copyLent(r, from, head.lent, s.resultRoom(n))
	}
	s.own = nil
}

func (s *side) copyLent(r *Rank, from int, ref mpi.Ref, to []byte) {
	at := memory.At(s.own)
	if s.own == nil {
		at = r.comm.Reach(from, ref)
	}
	if at != nil {
		memory.Copy(memory.At(to), at, len(to))
	} else {
		s.failed = cmp.Or(s.failed, r.comm.Copy(from, ref, 0, to, false))
	}
}

// take copies what the root's rank has laid, unless it has come with the Sync.
func (b *broadcasting) take(laid []byte) {
	head := b.p.r.headOf(b.from, b.s.step)
	switch {
	case b.s.failed != nil:
		b.p.Fail(Engine, "Broadcast: %v", b.s.failed)
	case head.lent == 0:
		b.follow(laid)
	case !slices.ContainsFunc(b.s.given, func(g given) bool { return g.pid == b.p.Pid }):
		copy(b.data, memory.Bytes(b.s.results))
	}
}

// fillStep is how much is laid at a time while others follow: it stays in a core's cache
// until they have read it.
const fillStep = 64 << 10

// fill lays what others of the node read meanwhile.
func (s *side) fill() {
	for at := 0; at < len(s.filled); at += fillStep {
		end := min(at+fillStep, len(s.filled))
		copy(s.data[at:end], s.filled[at:end])
		s.ready.Store(int64(end))
	}
}

// looksAtReady is how often to look for more to follow before others get the core, and
// after how many turns of others to sleep.
const (
	looksAtReady = 2000
	turnsToReady = 1000
	napToReady   = 50 * time.Microsecond
)

// follow copies what the root's rank lays as it goes.
func (b *broadcasting) follow(from []byte) {
	ready := &b.p.r.headOf(b.from, b.s.step).ready
	for at, looks := 0, 0; at < len(b.data); looks++ {
		if n := int(ready.Load()); n > at {
			copy(b.data[at:n], from[at:n])
			at, looks = n, 0
		} else if looks > looksAtReady+turnsToReady {
			time.Sleep(napToReady)
		} else if looks > looksAtReady {
			runtime.Gosched()
		}
	}
}

// compare has the root look whether the ranks of its node take part, and whether others send
// it something.
func (b *broadcasting) compare(mates []int) {
	for _, rank := range mates {
		b.p.took(b.s, rank, -1)
	}
	b.p.compareCame(b.s)
}
