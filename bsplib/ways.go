package bsplib

import (
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// This file counts the bytes that leave the rank in a superstep and those that reach it, by
// the way that they go: what the account fits g to. All that is carried counts, also what
// streams and shelves have beside the program's data, for that takes time too.

// ways are the bytes of this superstep.
type ways struct {
	class   []ledger.Way // by rank
	out, in [ledger.Ways]int64
}

// classifyWays finds out by which way each rank is reached, where an account is kept of
// what this machine takes.
func (r *rank) classifyWays() {
	if !r.measured || r.clock.Emulated() {
		return
	}
	r.ways.class = make([]ledger.Way, r.comm.Size())
	for to := range r.ways.class {
		r.ways.class[to] = wayBetween(r.comm, r.comm.Rank(), to, func(rank int) int { return r.platform.Ranks[rank].Set })
	}
}

// wayBetween is the way from one rank to another.
func wayBetween(comm mpi.Comm, a, b int, setOf func(rank int) int) ledger.Way {
	switch {
	case a == b:
		return ledger.WithinRank
	case comm.Node(a) == comm.Node(b):
		return ledger.WithinNode
	case setOf(a) == setOf(b):
		return ledger.WithinSet
	}
	return ledger.BetweenSets
}

// sent counts bytes that go to a rank past the lanes, and received such that come from one.
func (w *ways) sent(to, n int) {
	if w.class != nil {
		w.out[w.class[to]] += int64(n)
	}
}

func (w *ways) received(from, n int) {
	if w.class != nil {
		w.in[w.class[from]] += int64(n)
	}
}

// read counts bytes that a process has read where a rank of its node has laid them.
func (w *ways) read(from, n int) {
	if w.class != nil && w.class[from] == ledger.WithinNode {
		w.in[ledger.WithinNode] += int64(n)
	}
}

// leaving counts what a lane is to carry to the ranks that take part, and arrived what it
// has brought.
func (w *ways) leaving(lane *mpi.Lane, here []int) {
	if w.class == nil {
		return
	}
	for _, to := range here {
		w.out[w.class[to]] += int64(len(lane.Out[to].Bytes))
	}
}

func (w *ways) arrived(lane *mpi.Lane, here []int) {
	if w.class == nil {
		return
	}
	for _, from := range here {
		w.in[w.class[from]] += int64(len(lane.In[from]))
	}
}

// carried enters the larger of what was sent and received on each way in this superstep,
// and begins the next.
func (r *rank) carried() {
	w := &r.ways
	if w.class == nil {
		return
	}
	if r.runs != nil {
		for _, to := range r.here {
			w.out[w.class[to]] += int64(r.boxes[to].past)
			r.boxes[to].past = 0
		}
	}
	for way := range w.out {
		w.out[way] = max(w.out[way], w.in[way])
		w.in[way] = 0
	}
	r.account.Carried(&w.out)
	clear(w.out[:])
}
