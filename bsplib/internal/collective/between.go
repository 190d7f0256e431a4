package collective

import (
	"math/bits"

	"github.com/migbsp/migbsp/mpi"
)

// This file transfers large data between nodes, as runs from memory to memory within one barrier.
//
// One rank represents each node; these ranks form a group. A rank sends runs only after the
// exchange has verified that all processes are in the same collective (call.go). Therefore each
// rank can compute which data it receives and forwards, and no rank waits for data that are not
// sent.
//
// Data are transferred by one of two algorithms. A tree of nodes needs few messages. It is used
// for little data and many nodes, and for all data if nodes share the cores of one machine,
// because then no network line can be idle. Otherwise the data are scattered, a part to each
// node, and each node sends its part to all others, so that all lines are busy concurrently.

// cross transfers the data of this superstep's collective between nodes.
func (r *Rank) cross(s *exchange) error {
	if s.group == nil {
		return nil
	}
	me, own := r.layout().node[r.comm.Rank()], s.kept
	if s.to == nil && (s.reduces != nil || me != s.root) {
		s.to = r.regionOf(r.exchangeOf(r.step()+1), s.n)[:s.n]
	}
	switch {
	case s.reduces != nil:
		own = s.reduces.between(r, s)
		if err := r.comm.Settle(mpi.Collectives); err != nil {
			return err
		}
	case s.tree:
	case me == s.root:
		for m, rank := range s.group {
			if m != me {
				r.give(rank, s.part(own, m))
			}
		}
		own = s.part(own, me)
	default:
		own = s.part(s.to, me)
		if err := r.take(s.group[s.root], own).Landed(len(own)); err != nil {
			return err
		}
	}
	if s.result = s.to; s.tree {
		r.passDown(s, me, own)
	} else {
		r.gatherParts(s, me, own)
	}
	return r.comm.Settle(mpi.Collectives)
}

// part returns the part of the data that is scattered to node m.
func (s *exchange) part(data []byte, m int) []byte {
	n, nodes := len(data)/s.unit, len(s.group)
	return data[s.unit*cut(m, n, nodes) : s.unit*cut(m+1, n, nodes)]
}

// gatherParts sends this node's part to all nodes that do not have it, and receives their parts.
func (r *Rank) gatherParts(s *exchange, me int, own []byte) {
	for m, rank := range s.group {
		if m == me {
			continue
		}
		if s.reduces != nil || m != s.root {
			r.give(rank, own)
		}
		if s.reduces != nil || me != s.root {
			r.take(rank, s.part(s.to, m))
		}
	}
}

// passDown sends data from the root to all other nodes along a binomial tree.
func (r *Rank) passDown(s *exchange, me int, data []byte) {
	nodes := len(s.group)
	rank := func(i int) int { return s.group[(s.root+i)%nodes] }
	i, children := (me-s.root+nodes)%nodes, nodes
	if i > 0 {
		data, children = s.to, i&-i
		if r.take(rank(i-children), data).Landed(len(data)) != nil {
			return // Settle returns the error again
		}
	}
	s.result = data
	for bit := 1 << bits.Len(uint(children-1)) >> 1; bit > 0; bit >>= 1 {
		if i+bit < nodes {
			r.give(rank(i+bit), data)
		}
	}
}

// give sends a run of a collective to a rank, and take receives a run from a rank. Settle
// returns the errors of both.
func (r *Rank) give(to int, data []byte) {
	r.stream.Ways.Sent(to, len(data))
	r.comm.Give(to, mpi.Collectives, data, false)
}

func (r *Rank) take(from int, data []byte) mpi.Run {
	r.stream.Ways.Received(from, len(data))
	return r.comm.Take(from, mpi.Collectives, data)
}

// exchangeAnnounced exchanges the long data that ranks of different nodes have announced.
func (r *Rank) exchangeAnnounced(s *exchange) error {
	if !s.announced && r.announcedBytes == 0 {
		return nil
	}
	room := r.receiveRoomOf(s, r.announcedBytes)
	r.announcedBytes = 0
	for _, rank := range r.layout().members {
		if s.announced && !r.reads(s, rank) {
			r.give(rank, s.data)
		}
		if c := &s.received[rank]; c.announced > 0 {
			c.data, room = room[:c.announced], room[cacheLines(c.announced):]
			c.announced = 0
			r.take(rank, c.data)
		}
	}
	return r.comm.Settle(mpi.Collectives)
}

// cacheLines rounds up to whole cache lines.
func cacheLines(n int) int { return (n + 63) &^ 63 }
