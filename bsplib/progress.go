package bsplib

import (
	"encoding/binary"
	"os"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
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
	host, topology := hostName(), os.Getenv("SLURM_TOPOLOGY_ADDR")
	g := &r.progress
	g.mem = r.comm.Alloc(64)
	g.mine = (*atomic.Int64)(unsafe.Pointer(unsafe.SliceData(g.mem)))
	g.advance(r.step)
	g.ref = r.comm.Share(g.mem)
	for d := range r.side.Out {
		b := &r.side.Out[d]
		b.Grow(8 + len(host) + 1 + len(topology))
		b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(g.ref))
		b.Bytes = append(append(append(b.Bytes, host...), 0), topology...)
	}
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
	}
	g.others = make([]*atomic.Int64, len(r.side.In))
	r.hosts, r.tasks = make([]string, len(r.side.In)), make([]hostfile.Task, len(r.side.In))
	for rank, in := range r.side.In {
		host, topology, _ := strings.Cut(string(in[8:]), "\x00")
		r.hosts[rank], r.tasks[rank] = host, hostfile.Task{Host: host, Topology: topology}
		g.others[rank] = (*atomic.Int64)(r.comm.Reach(rank, mpi.Ref(binary.NativeEndian.Uint64(in))))
	}
	g.others[r.comm.Rank()] = g.mine
	return nil
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
