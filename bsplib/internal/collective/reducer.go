package collective

import (
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// reducerOf is the reducer for an operation on values of type T.
type reducerOf[T any] struct {
	o operation[T]
	n int // elements of each process
	// For a crossing:
	lo, hi int  // bounds of the rail
	inner  bool // the ranks of the node have published their data

	rooms [][]byte // of climb: memory for received vectors
	runs  []mpi.Run
	next  int // index of the next subtree between nodes
	taken int // number of rooms used
}

// reducerFor returns the rank's reducer for values of type T, reusing the last one of that type.
func reducerFor[T any](r *Rank, o *operation[T], n int) *reducerOf[T] {
	w, is := r.reducer.(*reducerOf[T])
	if !is {
		w = new(reducerOf[T])
		r.reducer = w
	}
	w.o, w.n = *o, n
	return w
}

// fold implements reducer.
func (w *reducerOf[T]) fold(r *Rank, given [][]byte, to []byte) {
	size := w.n * memory.Size[T]()
	r.sources = r.sources[:0]
	for _, h := range r.layout().all {
		r.sources = append(r.sources, source{h.subtree, memory.At(given[h.at][codeRoom+h.number*size:])})
	}
	combine(r, &w.o, subtree{0, len(r.where)}, 0, memory.Values[T](to, w.n))
}

// combineParts combines the node's subtrees of the rail into the data that it sends: one part after
// another, one for each node, or the complete rail for a tree.
func (w *reducerOf[T]) combineParts(r *Rank, s *exchange) {
	trees, n, size := r.layout().whole[r.layout().node[r.comm.Rank()]], w.hi-w.lo, memory.Size[T]()
	parts := len(s.group)
	if s.tree {
		parts = 1
	}
	s.kept = r.ownRoom(len(trees) * n * size)
	for m := range parts {
		lo, hi := cut(m, n, parts), cut(m+1, n, parts)
		for i, tree := range trees {
			combine(r, &w.o, tree, w.lo+lo, memory.Values[T](s.kept[(len(trees)*lo+i*(hi-lo))*size:], hi-lo))
		}
	}
}

// between implements reducer.
func (w *reducerOf[T]) between(r *Rank, s *exchange) []byte {
	if w.inner {
		w.combineNode(r, s)
	}
	if s.tree {
		return w.climb(r, s)
	}
	t, size, n := r.layout(), memory.Size[T](), w.hi-w.lo
	me, nodes := t.node[r.comm.Rank()], len(s.group)
	mine := s.part(s.to, me)
	room := r.receiveRoomOf(s, (len(t.between)-len(t.whole[me]))*cacheLines(len(mine)))
	has := make([][]byte, nodes)
	for m, rank := range s.group {
		trees := len(t.whole[me]) * size
		part := s.kept[trees*cut(m, n, nodes) : trees*cut(m+1, n, nodes)]
		if has[m] = part; m == me {
			continue
		}
		has[m] = room[:len(t.whole[m])*len(mine)]
		room = room[cacheLines(len(has[m])):]
		r.give(rank, part)
		r.take(rank, has[m])
	}
	if r.comm.Settle(mpi.Collectives) != nil {
		return mine
	}
	r.sources = r.sources[:0]
	for _, h := range t.between {
		r.sources = append(r.sources, source{h.subtree, memory.At(has[h.at][h.number*len(mine):])})
	}
	defer r.keepPanic()
	combine(r, &w.o, subtree{0, len(r.where)}, 0, memory.Values[T](mine, len(mine)/size))
	return mine
}

// combineNode combines the published data of the node's ranks.
func (w *reducerOf[T]) combineNode(r *Rank, s *exchange) {
	defer r.keepPanic()
	t := r.layout()
	mates, unlaid := t.nodes[t.node[r.comm.Rank()]], s.kept
	s.kept = r.ownRoom(len(t.whole[t.node[r.comm.Rank()]]) * (w.hi - w.lo) * memory.Size[T]())
	r.sourcesOf(s, mates, w.n*memory.Size[T]())
	r.readInPlace(s, unlaid)
	w.combineParts(r, s)
}

// climb combines the nodes' subtrees up the tree over the pids. All nodes traverse the tree in the
// same order. If the halves of a subtree are on two nodes, the right half is sent to the node of
// the left half. Nodes cannot deadlock, because they send and wait in the same order.
func (w *reducerOf[T]) climb(r *Rank, s *exchange) []byte {
	w.next, w.taken, w.runs = 0, 0, w.runs[:0]
	w.over(r, s, subtree{0, len(r.where)}, true)
	w.next = 0
	_, value := w.over(r, s, subtree{0, len(r.where)}, false)
	return value
}

// over returns the node that combines a subtree and, on that node, the result. If expects is set,
// it only posts the receives of runs, and returns no result.
func (w *reducerOf[T]) over(r *Rank, s *exchange, tree subtree, expects bool) (at int, value []byte) {
	t, size := r.layout(), (w.hi-w.lo)*memory.Size[T]()
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
		r.give(s.group[left], b)
	case left == me && right != me && expects:
		w.runs = append(w.runs, r.take(s.group[right], w.room(r, len(w.runs), size)))
	case left == me && !expects:
		if right != me {
			b = w.rooms[w.taken][:size]
			w.taken++
			if w.runs[w.taken-1].Landed(size) != nil {
				return left, a
			}
		}
		return left, w.join(r, s, a, b)
	}
	return left, a
}

// join combines two halves into the memory of the half that does not belong to the program.
func (w *reducerOf[T]) join(r *Rank, s *exchange, a, b []byte) (to []byte) {
	defer r.keepPanic()
	to = b
	if memory.At(b) == memory.At(s.kept) {
		to = a // the right half belongs to the program
	}
	n := len(to) / memory.Size[T]()
	w.o.apply(memory.Values[T](to, n), memory.Values[T](a, n), memory.Values[T](b, n))
	return to
}

// room returns memory for a received vector with the given number.
func (w *reducerOf[T]) room(r *Rank, number, size int) []byte {
	if number == len(w.rooms) {
		w.rooms = append(w.rooms, nil)
	}
	if len(w.rooms[number]) < size {
		w.rooms[number] = r.comm.Alloc(size, true)
	}
	return w.rooms[number][:size]
}
