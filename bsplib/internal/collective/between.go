package collective

import (
	"math/bits"

	"github.com/migbsp/migbsp/mpi"
)

// This file brings much data from node to node, as runs from memory to memory within one barrier.
//
// One rank of each node stands for the node; these ranks are a group. A rank gives a run to another one
// only when it knows that the whole group is in the same collective: by a record from each of the
// group, which is a header alone, or by the verdict of an exchange that folds (fold.go). So each rank
// knows what comes to it and what it has to pass on, and none waits for data that nobody sends.
//
// Data go one of two ways. Along a tree of nodes, where few messages matter: little data over many
// nodes, and all data where ranks share the cores of one machine, for there no line is idle meanwhile.
// Otherwise they are scattered, a part to each node, and each node sends its part to all others: so all
// lines are busy at the same time.

// meetNodes makes this rank the one that stands for its node in a crossing.
func (p *Member) meetNodes(s *side, c crossing) {
	s.crossing = c
	if p.r.folds(0) {
		return
	}
	for _, rank := range c.group {
		if rank != p.rank() {
			p.write(s, rank, 0, 0)
		}
	}
}

// together reports whether all of the group are in this superstep's collective. All of them come
// to the same answer.
func (r *Rank) together(s *side) bool {
	if r.folds(0) {
		return r.agreed()
	}
	return r.fit(s, s.group)
}

// compareGroup ends the run if a rank of the group, or a process of this rank, is not in this collective.
func (p *Member) compareGroup(s *side) {
	p.compare(s, &s.header, p.rank(), -1)
	if s.group != nil && p.r.folds(0) {
		p.agree(s)
		return
	}
	for _, rank := range s.group {
		p.took(s, rank, int(s.size))
	}
}

// cross moves what this superstep's collective has for other nodes.
func (r *Rank) cross(s *side) error {
	if s.group == nil || !r.together(s) {
		return nil
	}
	me, own := r.layout().node[r.comm.Rank()], s.kept
	if s.to == nil && (s.reduces != nil || me != s.home) {
		s.to = r.regionOf(r.shelf(r.step()+1), s.n)[:s.n]
	}
	switch {
	case s.reduces != nil:
		own = s.reduces.between(r, s)
		if err := r.comm.Settle(mpi.Collectives); err != nil {
			return err
		}
	case s.tree:
	case me == s.home:
		for m, rank := range s.group {
			if m != me {
				r.give(rank, s.part(own, m))
			}
		}
		own = s.part(own, me)
	default:
		own = s.part(s.to, me)
		if err := r.take(s.group[s.home], own).Landed(len(own)); err != nil {
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

// part is the part of the data that node m has in between.
func (s *side) part(data []byte, m int) []byte {
	n, nodes := len(data)/s.unit, len(s.group)
	return data[s.unit*cut(m, n, nodes) : s.unit*cut(m+1, n, nodes)]
}

// gatherParts gives this node's part to all nodes that do not have it, and takes theirs.
func (r *Rank) gatherParts(s *side, me int, own []byte) {
	for m, rank := range s.group {
		if m == me {
			continue
		}
		if s.reduces != nil || m != s.home {
			r.give(rank, own)
		}
		if s.reduces != nil || me != s.home {
			r.take(rank, s.part(s.to, m))
		}
	}
}

// passDown brings data from the home to all other nodes along a binomial tree, in which nodes
// count from there.
func (r *Rank) passDown(s *side, me int, data []byte) {
	nodes := len(s.group)
	rank := func(i int) int { return s.group[(s.home+i)%nodes] }
	i, children := (me-s.home+nodes)%nodes, nodes
	if i > 0 {
		data, children = s.to, i&-i
		if r.take(rank(i-children), data).Landed(len(data)) != nil {
			return // which Settle says again
		}
	}
	s.result = data
	for bit := 1 << bits.Len(uint(children-1)) >> 1; bit > 0; bit >>= 1 {
		if i+bit < nodes {
			r.give(rank(i+bit), data)
		}
	}
}

// give gives a run of a collective to a rank, and take takes one from a rank. Settle returns the error
// of both.
func (r *Rank) give(to int, data []byte) {
	r.stream.Ways.Sent(to, len(data))
	r.comm.Give(to, mpi.Collectives, data, false)
}

func (r *Rank) take(from int, data []byte) mpi.Run {
	r.stream.Ways.Received(from, len(data))
	return r.comm.Take(from, mpi.Collectives, data)
}

// swap exchanges the long data that ranks of different nodes have announced to each other.
func (r *Rank) swap(s *side) error {
	if !s.announced && !r.awaits {
		return nil
	}
	r.awaits = false
	need := 0
	for _, rank := range r.layout().members {
		if c := &s.came[rank]; c.awaited && c.step == s.step {
			need += lines(int(c.head.bytes))
		}
	}
	room := r.land(s, need)
	for _, rank := range r.layout().members {
		c := &s.came[rank]
		if c.step != s.step || !r.fits(s, c.head, rank) {
			continue
		}
		if s.announced {
			r.give(rank, s.data)
		}
		if c.awaited {
			c.data = room[:c.head.bytes]
			room = room[lines(len(c.data)):]
			r.take(rank, c.data)
		}
	}
	return r.comm.Settle(mpi.Collectives)
}

// lines rounds up to whole cache lines.
func lines(n int) int { return (n + 63) &^ 63 }
