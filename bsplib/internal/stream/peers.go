package stream

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// Peers is what a rank needs to write into another rank's memory without the stream. The other
// rank must be in the same superstep: it may still have to deliver what the last barrier has
// brought, and would write those older bytes over the new ones.
//
// So each rank says in a word of shared memory in which superstep its processes are. A writer
// waits a little for that, or makes a Put.
//
// Invariant: a rank stores its word (Advance) when it has delivered everything of
// the superstep before. Who loads the word (arrived) sees that delivery, because both accesses
// are atomic.
type Peers struct {
	comm   mpi.Comm
	mem    []byte
	step   int
	mine   *atomic.Int64
	others []*atomic.Int64 // by rank, nil where memory is not shared
	shares []bool          // by rank: it shares memory with the others of its node
	looks  int             // that may still be spent on waiting in this superstep
	loans  [][]byte        // memory that receivers copy from, kept alive until all have
	failed error           // of such a copy
}

// peerLine is the room of a rank's word, and where the rest of its shared memory begins.
const peerLine = 64

// looksPerStep bounds the waiting for ranks that are late, whatever the number
// of HPPuts.
const looksPerStep = 5000

func newPeers(comm mpi.Comm) *Peers {
	return &Peers{comm: comm}
}

// Open makes memory that the ranks of a node share: this rank's word, and extra bytes behind
// it. It returns its name, 0 if it is not shared.
func (p *Peers) Open(step, extra int) mpi.Ref {
	p.mem = p.comm.Alloc(peerLine+extra, false)
	p.mine = (*atomic.Int64)(unsafe.Pointer(unsafe.SliceData(p.mem)))
	p.Advance(step)
	ref := p.comm.Share(p.mem)
	if p.comm.Reach(p.comm.Rank(), ref) == nil {
		return 0 // only the kernel would reach it
	}
	return ref
}

// Meet takes in the names of all ranks' shared memory, in the order of the ranks.
func (p *Peers) Meet(rank int, ref mpi.Ref) {
	p.shares = append(p.shares, ref != 0)
	p.others = append(p.others, (*atomic.Int64)(p.comm.Reach(rank, ref)))
	if rank == p.comm.Rank() {
		p.others[rank] = p.mine
	}
}

// Extra is the shared memory of a rank behind its word, nil if this rank cannot read it.
func (p *Peers) Extra(rank int) unsafe.Pointer {
	word := unsafe.Pointer(p.others[rank])
	if word == nil {
		return nil
	}
	return unsafe.Add(word, peerLine)
}

// Shares reports whether this rank can read a rank's shared memory.
func (p *Peers) Shares(rank int) bool { return p.others[rank] != nil }

// Node is the number of a rank's node, if the ranks there share memory; else one that
// no other rank has.
func (p *Peers) Node(rank int) int {
	if p.shares[rank] {
		return p.comm.Engine().Nodes[rank]
	}
	return -1 - rank
}

// Advance tells the others that this rank's processes are in a new superstep.
func (p *Peers) Advance(step int) {
	p.step = step
	p.mine.Store(int64(step))
	p.looks = looksPerStep
}

// Step is the superstep that this rank's processes are in.
func (p *Peers) Step() int { return p.step }

// arrived reports whether a rank is in this rank's superstep, or waits a little
// for it.
func (p *Peers) arrived(rank int) bool {
	word := p.others[rank]
	if word == nil {
		return false
	}
	for word.Load() < int64(p.step) {
		if p.looks == 0 {
			return false
		}
		p.looks--
	}
	return true
}

// copyFrom copies from another rank's memory by the kernel. Failed has the error.
func (p *Peers) copyFrom(rank int, ref mpi.Ref, at int, to []byte) {
	if err := p.comm.Copy(rank, ref, at, to, false); err != nil {
		p.failed = err
	}
}

// Failed is the error of a copy in this superstep.
func (p *Peers) Failed() error { return p.failed }

// Lend keeps memory until all ranks have copied what they want of it: flag FlagPull is to be
// set.
func (p *Peers) Lend(mem []byte) { p.loans = append(p.loans, mem) }

// returned ends the loans.
func (p *Peers) returned() {
	clear(p.loans)
	p.loans = p.loans[:0]
}
