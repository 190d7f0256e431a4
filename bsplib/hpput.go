package bsplib

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// shareCopy is the length from which an HPPut's copy is shared: the sender
// copies the first half in the call, the receiver the second half in its Sync,
// where it would otherwise wait. That takes another barrier, so that the
// sender does not change what is still being read.
const shareCopy = 256 << 10

// attachFrom is the length from which a copy by the kernel, which looks up each page of
// the other rank's memory, takes less than two copies through a buffer.
const attachFrom = 16 << 10

// loan is memory that a receiver copies from. It stays alive until then, even
// if the program lets go of it.
type loan struct {
	ref mpi.Ref
	mem []byte
}

// hpPut copies n bytes to an offset of process pid's part of a without a buffer, or
// reports that this must be a Put.
func (p *Proc) hpPut(a *area, pid, offset int, from unsafe.Pointer, n int) bool {
	r := p.rank
	if box := r.route[pid]; n >= box.runFrom {
		box.giveRun(p.pid, word0(kindRun, a.slot, pid), offset, from, n)
		p.did.Sent += n
		return true
	}
	reached := a.view[pid].base != nil || n >= attachFrom && r.registry.far(a.slot, pid) != 0
	return reached && r.direct.arrived(int(r.where[pid]), r.step) && p.writeNow(a, pid, offset, from, n)
}

// writeNow copies n bytes to an offset of process pid's part of a, which this
// rank can address or attach to.
func (p *Proc) writeNow(a *area, pid, offset int, from unsafe.Pointer, n int) bool {
	r := p.rank
	box := r.route[pid]
	mine, rest := n, loan{}
	if n >= shareCopy && r.local[pid] == nil {
		half := n / 2 &^ 4095
		rest.mem = unsafe.Slice((*byte)(unsafe.Add(memory.OnHeap(from), half)), n-half)
		if rest.ref = r.comm.Share(rest.mem); rest.ref != 0 {
			mine = half
		}
	}
	if base := a.view[pid].base; base != nil {
		memory.Copy(unsafe.Add(base, offset), from, mine)
	} else if r.direct.attach.CopyTo(int(r.where[pid]), r.registry.far(a.slot, pid), offset, unsafe.Slice((*byte)(memory.OnHeap(from)), mine)) != nil {
		return false
	}
	p.did.Sent += n
	r.ways.sent(box.to, n)
	box.count(p.pid, word0(kindReceived, 0, pid), n)
	if rest.ref != 0 {
		r.direct.pulls = append(r.direct.pulls, rest)
		r.flags |= flagPull
		box.words(p.pid, word0(kindPull, a.slot, pid), uint64(offset+mine), uint64(n-mine), uint64(rest.ref))
	}
	return true
}

// pull copies the receiver's half of an HPPut from rank src, as its record b
// says.
func (r *rank) pull(src int, b []byte) {
	w, offset, n, ref := *memory.Word(b, 0), *memory.Word(b, 8), *memory.Word(b, 16), *memory.Word(b, 24)
	to := unsafe.Add(r.local[pidOf(w)].areas[slotOf(w)].base, offset)
	r.awaitLandings(to, int(n))
	if from := r.comm.Reach(src, mpi.Ref(ref)); from != nil {
		memory.Copy(to, from, int(n))
	} else if err := r.direct.attach.CopyFrom(src, mpi.Ref(ref), 0, unsafe.Slice((*byte)(to), n)); err != nil {
		r.direct.failed = err
	}
}

// awaitPulls returns when all ranks have copied what was lent to them.
func (r *rank) awaitPulls() *Error {
	if r.direct.failed != nil {
		return r.engineError(r.direct.failed)
	}
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	for _, l := range r.direct.pulls {
		r.comm.Withdraw(l.ref)
	}
	clear(r.direct.pulls)
	r.direct.pulls = r.direct.pulls[:0]
	return nil
}

// direct is what a rank needs to write into another rank's memory, past the
// stream: that rank must be in the same superstep. A rank that has left a barrier
// may be ahead of one that has still to deliver there what the barrier brought;
// bytes written before that would be overwritten by older ones.
//
// So each rank tells the others in a word of shared memory which superstep its
// processes are in, and a writer waits a little for it, or sends a Put instead.
//
// Invariant: a rank stores its word (advance) after it has delivered everything of
// the superstep before; who reads it there (arrived) sees that delivery, for both are
// atomic.
type direct struct {
	mem    []byte
	ref    mpi.Ref
	mine   *atomic.Int64
	others []*atomic.Int64 // by rank, nil where memory is not shared
	shares []bool          // by rank: it shares memory with the others of its node
	looks  int             // that may still be spent on waiting in this superstep
	pulls  []loan          // memory that receivers copy from, until all have
	attach mpi.Attach      // nil where the kernel does not copy from rank to rank
	failed error           // of such a copy
}

// looksPerStep bounds the waiting for ranks that are late, whatever the number
// of HPPuts.
const looksPerStep = 5000

// advance tells the others that this rank's processes are in a new superstep.
func (g *direct) advance(step int) {
	g.mine.Store(int64(step))
	g.looks = looksPerStep
}

// introduce tells all ranks where this one runs, and makes its progress known
// to those that share memory with it. All ranks call it before the first
// superstep.
func (r *rank) introduce() *Error {
	task := probe.ThisTask()
	g := &r.direct
	g.mem = r.comm.Alloc(shelfBytes)
	g.mine = (*atomic.Int64)(unsafe.Pointer(unsafe.SliceData(g.mem)))
	g.advance(r.step)
	if g.ref = r.comm.Share(g.mem); r.comm.Reach(r.comm.Rank(), g.ref) == nil {
		g.ref = 0 // only the kernel would reach it
	}
	all, err := control.Allgather(r.control, &introduction{g.ref, task, probe.SharedCores(r.comm)})
	if err != nil {
		return r.engineError(err)
	}
	for rank, its := range all {
		r.hosts, r.tasks = append(r.hosts, its.Task.Host), append(r.tasks, its.Task)
		r.cores = append(r.cores, its.Cores)
		g.shares = append(g.shares, its.Progress != 0)
		g.others = append(g.others, (*atomic.Int64)(r.comm.Reach(rank, its.Progress)))
	}
	g.others[r.comm.Rank()] = g.mine
	return nil
}

// introduction is what all ranks learn of a rank before the first superstep.
type introduction struct {
	Progress mpi.Ref
	Task     hostfile.Task
	Cores    float64 // that it shares with the other ranks of its host
}

// forget withdraws the memory once no rank looks any more.
func (g *direct) forget(comm mpi.Comm) {
	if g.ref != 0 {
		comm.Withdraw(g.ref)
	}
}

// arrived reports whether a rank is in the given superstep, or waits a little
// for it.
func (g *direct) arrived(rank, step int) bool {
	word := g.others[rank]
	if word == nil {
		return false
	}
	for word.Load() < int64(step) {
		if g.looks == 0 {
			return false
		}
		g.looks--
	}
	return true
}
