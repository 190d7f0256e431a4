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
	call call
	t    *layout
	w    wayOfBroadcast
	root int
	from int // the root's rank
	home int // its node
	node int // this process's
	data []byte
	s    *side // of the superstep before
}

func (p *Member) broadcast(c call, root int, data []byte) {
	r, t := p.r, p.r.layout()
	from := int(r.where[root])
	b := broadcasting{
		p: p, call: c, t: t, w: r.shape().broadcast(len(data)), root: root, from: from,
		home: t.node[from], node: t.node[p.rank()], data: data,
	}
	b.w.tree = b.w.tree && p.r.folds(0)
	s := p.join(c, root, len(data))
	if b.w.tree {
		s.relayed = downwards
	}
	switch {
	case p.Pid == root:
		b.send(s)
	case b.node != b.home:
		b.expect(s)
	case len(data) >= longGiven && p.quiet(data):
		s.given = append(s.given, given{p.Pid, memory.OnHeap(memory.At(data)), len(data)})
	}
	p.exchange(c)
	b.s = s
	if s.filled != nil && s.lead() {
		s.fill()
	}
	switch {
	case p.Pid == root:
		b.compare()
	case b.node == b.home:
		b.take(p.took(s, from, len(data)))
	case b.w.direct:
		if all := p.took(s, from, len(data)); !s.placed {
			copy(data, all)
		}
	}
	if !b.w.direct {
		b.spread()
	}
}

// send brings what root has to its node, and to those that are first to have it on
// others.
func (b *broadcasting) send(s *side) {
	p, n := b.p, len(b.data)
	s.size = uint64(n)
	mates := b.t.nodes[b.home]
	if len(mates) > 1 || p.r.here() > 1 {
		if n >= longGiven && b.lend(s, mates) {
			// The others copy it in their Sync.
		} else if all := p.r.lay(s, n); n >= longGiven && len(mates) > 1 && s.shelfHead.ref != 0 && p.r.shape().spare && p.quiet(b.data) {
			s.filled = unsafe.Slice((*byte)(memory.OnHeap(memory.At(b.data))), n)
			s.ready.Store(0)
		} else {
			copy(all, b.data)
			s.ready.Store(int64(n))
		}
		for _, rank := range mates {
			p.offerTo(s, rank)
		}
	}
	if b.w.tree {
		if s.kept = b.data; n < longGiven || !p.lasts(b.data) {
			s.kept = p.r.ownRoom(n)
			copy(s.kept, b.data)
		}
		s.kept = memory.Long(s.kept)
		return
	}
	for _, rank := range b.t.members {
		if b.t.node[rank] == b.home {
			continue
		}
		if b.w.direct || b.t.place[rank] == 0 {
			part := b.data
			if b.w.scatter {
				lo, hi := b.part(b.t.node[rank])
				part = b.data[lo:hi]
			}
			p.shipOwn(s, rank, part, n)
		}
	}
}

// expect says where this rank wants what the root's has for it.
func (b *broadcasting) expect(s *side) {
	p := b.p
	if p.r.stream.Out.To(b.from).Runs == nil || len(b.data) < longGiven {
		return
	}
	switch {
	case b.w.direct:
		if all, first := p.wants(s, b.data); first {
			s.expect(b.from, all)
		}
	case !b.leads() || s.some:
	case !b.w.scatter:
		s.expect(b.from, p.r.nextShelf(len(b.data)))
	case !b.w.inner:
		lo, hi := b.part(b.node)
		s.expect(b.from, memory.Long(b.data)[lo:hi])
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
	s.lent, s.own = ref, mem
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
		if len(s.result) < memory.Pad(n)/8 {
			s.result = make([]uint64, memory.Pad(n)/8)
		}
		s.copyLent(r, from, head.lent, memory.Bytes(s.result)[:n])
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
		copy(b.data, memory.Bytes(b.s.result))
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

// part is what a node other than the root's gets at first where the data is scattered.
func (b *broadcasting) part(node int) (lo, hi int) {
	others := len(b.t.nodes) - 1
	if node > b.home {
		node--
	}
	return cut(node, len(b.data), others), cut(node+1, len(b.data), others)
}

// compare has the root look whether the ranks of its node take part, and whether others send
// it something.
func (b *broadcasting) compare() {
	for _, rank := range b.t.nodes[b.home] {
		h, _ := b.p.r.from(b.s, rank)
		b.p.compare(b.s, h, rank, -1)
	}
	b.p.compareCame(b.s)
}

// spread brings the data from the first ranks of other nodes to all.
func (b *broadcasting) spread() {
	away := b.node != b.home
	if b.w.scatter {
		if away {
			b.crossNodes()
		}
		b.meet()
	}
	if !b.w.inner {
		if away {
			b.joinParts(b.data)
		}
		return
	}
	if away && b.s.lead() {
		b.layForNode()
	}
	b.meet()
	if away {
		copy(b.data, b.p.took(b.s, b.t.nodes[b.node][0], len(b.data)))
	}
}

// leads reports whether this rank is the first of its node to have the data.
func (b *broadcasting) leads() bool { return b.t.place[b.p.rank()] == 0 }

func (b *broadcasting) meet() {
	b.s = b.p.r.shelf(b.p.r.step())
	b.p.exchange(b.call)
}

// crossNodes sends this node's part to the other nodes that have none of it, and says
// where theirs belong.
func (b *broadcasting) crossNodes() {
	p, r, before := b.p, b.p.r, b.s
	lead := before.lead()
	if lead {
		r.opened(b.call, len(b.data))
	}
	s := r.shelf(r.step())
	if !b.leads() {
		return
	}
	var whole []byte
	if p.r.stream.Out.To(b.from).Runs != nil && len(b.data) >= longGiven {
		if b.w.inner {
			whole = r.nextShelf(len(b.data))
		} else {
			whole, _ = p.wants(s, b.data)
		}
	}
	if !lead {
		return
	}
	part := p.took(before, b.from, len(b.data))
	lo, hi := b.part(b.node)
	to := part
	if whole != nil && !b.w.inner {
		to = whole[lo:hi]
	} else {
		to = r.lay(s, len(part))
	}
	memory.Move(to, part)
	for m, ranks := range b.t.nodes {
		if m == b.home || m == b.node {
			continue
		}
		p.ship(s, ranks[0], to)
		if whole != nil {
			lo, hi := b.part(m)
			s.expect(ranks[0], whole[lo:hi])
		}
	}
}

// layForNode lays all the data on the shelf of a node's first rank.
func (b *broadcasting) layForNode() {
	r, before, mates := b.p.r, b.s, b.t.nodes[b.node]
	s := r.opened(b.call, len(b.data))
	if !b.leads() {
		return
	}
	all := r.lay(s, len(b.data))
	if b.w.scatter {
		b.joinParts(all)
	} else {
		memory.Move(all, b.p.took(before, b.from, len(b.data)))
	}
	for _, rank := range mates {
		b.p.offerTo(s, rank)
	}
}

// joinParts makes all the data of the parts that nodes had, unless they have come to
// their places.
func (b *broadcasting) joinParts(to []byte) {
	for m, ranks := range b.t.nodes {
		if m == b.home {
			continue
		}
		lo, hi := b.part(m)
		if part := b.p.took(b.s, ranks[0], len(b.data)); !b.s.placed {
			memory.Move(to[lo:hi], part)
		}
	}
}

// Broadcast is the function of that name of package bsplib, called at a line of the program.
func Broadcast[T any](p *Member, at uintptr, root int, data []T) {
	c := callOf[T](p, broadcast, nil, at)
	p.checkRoot("Broadcast from", root)
	p.broadcast(c, root, memory.Bytes(data))
}
