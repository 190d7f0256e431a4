package stream

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// Peers gives a rank direct access to other ranks' memory, without the stream. The other rank must be
// in the same superstep: before, it may still have to deliver data of the last barrier, and would
// overwrite the new bytes with older ones.
//
// So each rank stores the superstep of its processes in a word of shared memory. A writer waits
// briefly for that word, or makes a Put.
//
// Invariant: a rank stores its word (Advance) when it has delivered all data of the superstep before.
// A rank that loads the word (arrived) sees that delivery, because both accesses are atomic.
type Peers struct {
	comm   mpi.Comm
	mem    []byte
	step   int
	mine   *atomic.Int64
	others []*atomic.Int64 // by rank, nil where memory is not shared
	shares []bool          // by rank: it shares memory with the others of its node
	looks  int             // loads left for waiting in this superstep
	loans  [][]byte        // memory that receivers copy from, kept alive until all copies are done
	failed error           // error of a copy from another rank
}

// peerLine is the size of a rank's word, and the offset of the rest of its shared memory.
const peerLine = 64

// looksPerStep bounds the time spent waiting for late ranks in a superstep, for any number of HPPuts.
const looksPerStep = 5000

func newPeers(comm mpi.Comm) *Peers {
	return &Peers{comm: comm}
}

// Open allocates memory that the ranks of a node share: this rank's word, followed by extra bytes. It
// returns a reference to it, 0 if it is not shared.
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

// Meet records a rank's reference to its shared memory. It is called in the order of the ranks.
func (p *Peers) Meet(rank int, ref mpi.Ref) {
	p.shares = append(p.shares, ref != 0)
	p.others = append(p.others, (*atomic.Int64)(p.comm.Reach(rank, ref)))
	if rank == p.comm.Rank() {
		p.others[rank] = p.mine
	}
}

// Extra returns the shared memory of a rank behind its word, nil if this rank cannot read it.
func (p *Peers) Extra(rank int) unsafe.Pointer {
	word := unsafe.Pointer(p.others[rank])
	if word == nil {
		return nil
	}
	return unsafe.Add(word, peerLine)
}

// Shares reports whether this rank can read a rank's shared memory.
func (p *Peers) Shares(rank int) bool { return p.others[rank] != nil }

// Node returns the number of a rank's node, if the ranks there share memory, or else a number that is
// unique to the rank.
func (p *Peers) Node(rank int) int {
	if p.shares[rank] {
		return p.comm.Engine().Nodes[rank]
	}
	return -1 - rank
}

// Advance announces that this rank's processes are in a new superstep.
func (p *Peers) Advance(step int) {
	p.step = step
	p.mine.Store(int64(step))
	p.looks = looksPerStep
}

// Step returns the superstep that this rank's processes are in.
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

// Failed returns the error of a copy in this superstep.
func (p *Peers) Failed() error { return p.failed }

// Lend keeps memory alive until all ranks have copied their parts of it. The caller must set
// FlagPull.
func (p *Peers) Lend(mem []byte) { p.loans = append(p.loans, mem) }

// returned ends the loans.
func (p *Peers) returned() {
	clear(p.loans)
	p.loans = p.loans[:0]
}
