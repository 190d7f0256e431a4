package collective

import (
	"math/bits"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// This file brings long data of collectives from node to node along trees, within one barrier:
// what has come to a node goes on from there. That is for ranks that share the cores of one
// machine: there is no line that idles while data go on another, and of all ways these trees
// have the fewest messages, each as long as it can be: one for each node but the first, for
// a Broadcast, and two for a reduction.
//
// Nothing leaves before the exchange has shown that all take part in the same collective
// (fold.go), and so each knows what comes to it and what it has to pass on.

// relay moves what this superstep's collective has for other nodes.
func (r *Rank) relay(s *side) error {
	if s.relayed == nothing || !r.agreed() {
		return nil
	}
	t, me := r.layout(), r.comm.Rank()
	top, place, n := int(r.where[s.root]), 0, int(s.size)
	result := s.kept
	if s.relayed == upAndDown {
		place = t.place[me]
		if place >= t.rails {
			return nil
		}
		n = s.rail
		top = t.nodes[t.between[0].at][place]
		if n > 0 {
			result = r.reducer.climb(r, s)
		}
		if err := r.stream.Landings.Settle(mpi.Collectives); err != nil || r.broken != nil {
			return err
		}
	}
	home := t.node[top]
	if n == 0 || t.node[me] == home && me != top || t.node[me] != home && t.place[me] != place {
		return nil
	}
	peer := func(node int) int {
		if node == home {
			return top
		}
		return t.nodes[node][place]
	}
	r.passDown(s, home, peer, result, n)
	return r.stream.Landings.Settle(mpi.Collectives)
}

// passDown brings n bytes from node home to all others along a binomial tree, in which nodes
// count from home.
func (r *Rank) passDown(s *side, home int, peer func(node int) int, data []byte, n int) {
	t, top := r.layout(), peer(home)
	nodes := len(t.nodes)
	i := (t.node[r.comm.Rank()] - home + nodes) % nodes
	children := nodes
	if i > 0 {
		if data = s.into[top]; len(data) != n {
			data = s.land(r, n)
		}
		children = i & -i
		from := peer((home + i - children) % nodes)
		r.stream.Ways.Received(from, n)
		if r.stream.Out.Runs.Take(from, mpi.Collectives, data).Landed(n) != nil {
			return
		}
	}
	for bit := 1 << bits.Len(uint(children-1)) >> 1; bit > 0; bit >>= 1 {
		if i+bit < nodes {
			to := peer((home + i + bit) % nodes)
			r.stream.Ways.Sent(to, n)
			r.stream.Out.Runs.Give(to, mpi.Collectives, data, false)
		}
	}
	s.passed = s.header
	s.passed.count, s.passed.bytes = uint64(len(t.procs[top])), uint64(n)
	s.came[top] = record{r.step(), &s.passed, data}
}

// passedOn is what has come so from a rank, which may be this one.
func (p *Member) passedOn(s *side, top int) []byte {
	p.agree(s)
	return s.came[top].data
}

// climb goes through the tree above the nodes' subtrees, in the same order on all nodes: where the
// halves of a subtree are on two nodes, the right one's comes to the left one's. So each waits
// only for what somebody sends who waits for nothing later.
func (w *reducerOf[T]) climb(r *Rank, s *side) []byte {
	defer r.keepPanic()
	for _, expects := range []bool{true, false} {
		w.next, w.taken = 0, 0
		if expects {
			w.runs = w.runs[:0]
		}
		if _, value := w.over(r, s, subtree{0, len(r.where)}, expects); !expects {
			return value
		}
	}
	return nil
}

// over returns on which node a subtree is combined, and the result there. Where the rank only
// says what it expects there is none.
func (w *reducerOf[T]) over(r *Rank, s *side, tree subtree, expects bool) (at int, value []byte) {
	t, size := r.layout(), w.n*memory.Size[T]()
	me := t.node[r.comm.Rank()]
	if h := &t.between[w.next]; h.subtree == tree {
		w.next++
		if h.at == me {
			value = s.kept[h.number*size:][:size]
		}
		return h.at, value
	}
	mid := middle(tree.lo, tree.hi)
	left, a := w.over(r, s, subtree{tree.lo, mid}, expects)
	right, b := w.over(r, s, subtree{mid, tree.hi}, expects)
	switch {
	case left != me && right == me && !expects:
		to := t.nodes[left][w.place]
		r.stream.Ways.Sent(to, size)
		r.stream.Out.Runs.Give(to, mpi.Collectives, b, false)
	case left == me && right != me && expects:
		from := t.nodes[right][w.place]
		r.stream.Ways.Received(from, size)
		w.runs = append(w.runs, r.stream.Out.Runs.Take(from, mpi.Collectives, w.room(r, len(w.runs), size)))
	case left == me && !expects:
		if right != me {
			b = w.rooms[w.taken][:size]
			if w.runs[w.taken].Landed(size) != nil {
				return left, a
			}
			w.taken++
		}
		to := b
		if memory.At(b) == memory.At(s.kept) {
			to = a // which is not the program's then, as the right half is
		}
		w.o.apply(memory.Values[T](to, w.n), memory.Values[T](a, w.n), memory.Values[T](b, w.n))
		return left, to
	}
	return left, a
}

// room is memory for the number-th vector that comes.
func (w *reducerOf[T]) room(r *Rank, number, size int) []byte {
	if number == len(w.rooms) {
		w.rooms = append(w.rooms, nil)
	}
	if len(w.rooms[number]) < size {
		w.rooms[number] = r.comm.Alloc(size, true)
	}
	return w.rooms[number][:size]
}
