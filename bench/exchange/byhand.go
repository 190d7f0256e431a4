package main

import "github.com/migbsp/migbsp/bench/exchange/traffic"

// byHand is how programs end a superstep with calls of MPI: a message to each partner, and
// then a barrier, one of both, or both. The ranks of a node meet in its memory, then
// one of each goes on.
type byHand struct {
	to      [][]to // by member
	barrier barrier
}

// to is a partner of a member.
type to struct{ distance, member, bytes int }

// barrier is an algorithm for N nodes.
type barrier int

const (
	none          barrier = iota
	dissemination         // in round k a message goes to the node 2^k further on
	doubling              // pairs of nodes whose numbers differ in bit k tell each other in round k
)

func newByHand(s traffic.Shape, p traffic.Pattern, bytes int, b barrier) *byHand {
	w := &byHand{to: make([][]to, s.Ranks), barrier: b}
	for member := range w.to {
		for _, r := range s.Partners(p, member) {
			w.to[member] = append(w.to[member], to{r / s.Ranks, r % s.Ranks, bytes})
		}
	}
	return w
}

// hand is a rank's state in a superstep.
type hand struct {
	pieces  int
	arrived bool // it has all pieces
	here    int  // members that have arrived
	round   int
	begun   bool
	free    bool
	came    []bool // by round
}

func (w *byHand) begin(m *machine, r *rank) {
	own := &hand{came: make([]bool, w.rounds(m.Nodes))}
	r.own = own
	for _, t := range w.to[r.member] {
		if t.distance == 0 {
			r.clock += float64(t.bytes) * m.C
			m.tell(r, t.member, piece, t.bytes)
		} else {
			m.send(r, message{to: (r.node + t.distance) % m.Nodes, member: t.member, kind: piece, bytes: t.bytes})
		}
	}
	w.goOn(m, r, own)
}

func (w *byHand) arrive(m *machine, r *rank, msg message) {
	own := r.own.(*hand)
	switch msg.kind {
	case piece:
		own.pieces++
		if msg.local {
			r.clock += float64(msg.index) * m.C
		}
	case here:
		own.here++
	case release:
		own.free = true
	case step:
		own.came[msg.index] = true
	}
	w.goOn(m, r, own)
}

func (w *byHand) goOn(m *machine, r *rank, own *hand) {
	if own.pieces < len(w.to[r.member]) {
		return
	}
	if !own.arrived {
		own.arrived = true
		if own.here++; r.member > 0 && w.barrier != none {
			m.tell(r, 0, here, 0)
		}
	}
	if w.barrier == none {
		r.done = true
		return
	}
	if r.member > 0 {
		r.done = own.free
		return
	}
	if own.here < m.Ranks {
		return
	}
	for all := w.rounds(m.Nodes); own.round < all; own.round++ {
		if !own.begun {
			own.begun = true
			w.call(m, r, own.round)
		}
		if other, _ := w.partner(r.node, own.round, m.Nodes); other >= 0 && !own.came[own.round] {
			return
		}
		own.begun = false
	}
	for other := 1; other < m.Ranks; other++ {
		m.tell(r, other, release, 0)
	}
	r.done = true
}

// rounds are those of a barrier. Recursive doubling among a number of nodes that is no power
// of two has one more before, in which the nodes beyond tell others, and one after, in which
// they are told.
func (w *byHand) rounds(nodes int) (n int) {
	if w.barrier == none {
		return 0
	}
	for 1<<n < nodes {
		n++
	}
	if w.barrier == doubling && 1<<n > nodes {
		n++ // instead of the round that is not full
	}
	return n
}

// call sends the message of a round.
func (w *byHand) call(m *machine, r *rank, round int) {
	if _, other := w.partner(r.node, round, m.Nodes); other >= 0 {
		m.send(r, message{to: other, kind: step, index: round})
	}
}

// partner is the node that a node waits for in a round, and that to which it sends a
// message; -1 for none.
func (w *byHand) partner(node, round, nodes int) (from, to int) {
	if w.barrier == dissemination {
		d := 1 << round
		return (node - d + nodes) % nodes, (node + d) % nodes
	}
	power := 1
	for 2*power <= nodes {
		power *= 2
	}
	if power == nodes {
		return node ^ 1<<round, node ^ 1<<round
	}
	last := w.rounds(nodes) - 1
	switch beyond := nodes - power; {
	case round == 0 && node >= power:
		return -1, node - power
	case round == 0 && node < beyond:
		return node + power, -1
	case round == last && node >= power:
		return node - power, -1
	case round == last && node < beyond:
		return -1, node + power
	case round == 0 || round == last || node >= power:
		return -1, -1
	}
	return node ^ 1<<(round-1), node ^ 1<<(round-1)
}
