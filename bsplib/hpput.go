package bsplib

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// shareCopy is the length from which an HPPut's copy is shared: the sender
// copies the first half in the call, the receiver the second half in its Sync,
// where it would otherwise wait. That takes another barrier, so that the
// sender does not change what is still being read.
const shareCopy = 256 << 10

// loan is memory that a receiver copies from. It stays alive until then, even
// if the program lets go of it.
type loan struct {
	ref mpi.Ref
	mem []byte
}

// writeNow copies n bytes to an offset of process pid's part of a, which this
// rank can address.
func (p *Proc) writeNow(a *area, pid, offset int, from unsafe.Pointer, n int) {
	r := p.rank
	to := unsafe.Add(a.view[pid].base, offset)
	p.did.Sent += n
	box := r.route[pid]
	box.count(p.pid, word0(kindReceived, 0, pid), n)
	mine := n
	if n >= shareCopy && r.local[pid] == nil {
		half := n / 2 &^ 4095
		rest := unsafe.Slice((*byte)(unsafe.Add(onHeap(from), half)), n-half)
		if ref := r.comm.Share(rest); ref != 0 {
			mine = half
			r.lent = append(r.lent, loan{ref, rest})
			r.flags |= flagTake
			box.words(p.pid, word0(kindTake, a.slot, pid), uint64(offset+half), uint64(n-half), uint64(ref))
		}
	}
	copyBytes(to, from, mine)
}

// take copies the receiver's half of an HPPut from rank src, as its record b
// says.
func (r *rank) take(src int, b []byte) {
	w, offset, n, ref := *wordAt(b, 0), *wordAt(b, 8), *wordAt(b, 16), *wordAt(b, 24)
	to := unsafe.Add(r.local[pidOf(w)].areas[slotOf(w)].base, offset)
	copyBytes(to, r.comm.Reach(src, mpi.Ref(ref)), int(n))
}

// awaitTakers returns when all ranks have copied what was lent to them.
func (r *rank) awaitTakers() *Error {
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	for _, l := range r.lent {
		r.comm.Withdraw(l.ref)
	}
	clear(r.lent)
	r.lent = r.lent[:0]
	return nil
}

// onHeap tells the compiler that what p points to, which is too large for a
// stack, need not be moved to the heap: with that, the values of small HPPuts
// stay on the stack.
//
//go:nocheckptr
func onHeap(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(nil, uintptr(p)) }

// progress tells ranks which superstep the others' processes are in. A rank
// that has left a barrier may write into another rank's memory only once that
// rank has delivered there what the barrier brought.
type progress struct {
	mem    []byte
	ref    mpi.Ref
	mine   *atomic.Int64
	others []*atomic.Int64 // by rank, nil where memory is not shared
	looks  int             // that may still be spent on waiting in this superstep
}

// looksPerStep bounds the waiting for ranks that are late, whatever the number
// of HPPuts.
const looksPerStep = 5000

// advance tells the others that this rank's processes are in a new superstep.
func (g *progress) advance(step int) {
	g.mine.Store(int64(step))
	g.looks = looksPerStep
}

// introduce tells all ranks where this one runs, and makes its progress known
// to those that share memory with it. All ranks call it before the first
// superstep.
func (r *rank) introduce() *Error {
	task := probe.ThisTask()
	g := &r.progress
	g.mem = r.comm.Alloc(64)
	g.mine = (*atomic.Int64)(unsafe.Pointer(unsafe.SliceData(g.mem)))
	g.advance(r.step)
	g.ref = r.comm.Share(g.mem)
	all, err := control.Allgather(r.control, &introduction{g.ref, task})
	if err != nil {
		return r.engineError(err)
	}
	for rank, said := range all {
		r.hosts, r.tasks = append(r.hosts, said.Task.Host), append(r.tasks, said.Task)
		g.others = append(g.others, (*atomic.Int64)(r.comm.Reach(rank, said.Progress)))
	}
	g.others[r.comm.Rank()] = g.mine
	return nil
}

// introduction is what all ranks learn of a rank before the first superstep.
type introduction struct {
	Progress mpi.Ref
	Task     hostfile.Task
}

// forget withdraws the memory once no rank looks any more.
func (g *progress) forget(comm mpi.Comm) {
	if g.ref != 0 {
		comm.Withdraw(g.ref)
	}
}

// arrived tells whether a rank is in the given superstep, or waits a little
// for it.
func (g *progress) arrived(rank, step int) bool {
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
