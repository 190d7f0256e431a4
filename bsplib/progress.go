package bsplib

import (
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

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
