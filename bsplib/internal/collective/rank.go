// Package collective makes the collectives of package bsplib of supersteps. Its generic functions
// have the names of those, and are called with the line of the program.
//
// What goes from each process to each other is made of messages, in a queue that each
// process has for them. What is the same for all goes by ranks, once to each rank (shelf.go).
// Reductions always combine in the same tree over the pids (tree.go): their results do not
// depend on ranks, engine or mapping. Between nodes data go along trees, or are scattered first
// (broadcast.go, reduce.go, relay.go), or with the exchange itself (fold.go).
package collective

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Rank is a rank's part in collectives, and what it knows for it.
type Rank struct {
	comm   mpi.Comm
	stream *stream.Stream
	where  []int32 // rank of each process
	caught func(v any) any

	tree  *layout
	form  *shape
	sides [2]side
	calls [knownCalls]knownCall

	laidIn int   // the last superstep with a collective
	coming []int // ranks of which a run is announced, in this delivery

	sources []source // of combine
	bases   []unsafe.Pointer
	temps   []uint64
	mine    []byte // this node's part of a reduction between nodes

	folder       mpi.Folding // nil where exchanges do not fold: fold.go
	foldsAtFirst int         // how much each rank may give, with all ranks
	reducer      reducer     // of the reduction that goes on
	made         []uint64    // the verdict, on the rank that folds
	broken       any         // what the program's operation has panicked with, in the barrier
}

// New makes a rank's part. where is the rank of each process, as it is now whenever a collective
// is called. caught makes what an operation has panicked with in a barrier into what its process
// is to panic with.
func New(comm mpi.Comm, s *stream.Stream, where []int32, caught func(v any) any) *Rank {
	r := &Rank{comm: comm, stream: s, where: where, caught: caught}
	r.connectFolding()
	return r
}

// Moved says that processes have come to other ranks.
func (r *Rank) Moved() { r.tree = nil }

// step is the number of the superstep.
func (r *Rank) step() int { return r.stream.Peers.Step() }

// here is how many processes the rank has.
func (r *Rank) here() int { return len(r.layout().procs[r.comm.Rank()]) }

// Member is a process in collectives.
type Member struct {
	*stream.Process
	Caller
	r *Rank
}

// Of makes the member for the collectives of a process.
func (r *Rank) Of(p *stream.Process, c Caller) *Member { return &Member{p, c, r} }

// Caller is the program that a process runs.
type Caller interface {
	// Fail ends the run with an error of the process. It does not return.
	Fail(why Misuse, format string, args ...any)
	// EndSuperstep is Sync, called at a line of the program.
	EndSuperstep(site uintptr)
	// Panicked keeps what an operation has panicked with as the process's failure, nil if that
	// has called runtime.Goexit, and returns what to go on panicking with.
	Panicked(v any) any
}

// Misuse is what a collective can end a run for.
type Misuse uint8

const (
	Mismatch      Misuse = iota // processes are in different collectives
	OutOfBounds                 // lengths do not fit together
	NoSuchProcess               // as a root
	Engine                      // the engine below has failed
	NoOperation                 // a reduction is given none
	NotPlain                    // a type that cannot be sent as bytes
)

// Procs is the number of processes, 0 for one that has left the rank.
func (p *Member) Procs() int { return len(p.Out.Route) }

// rank is the process's.
func (p *Member) rank() int { return p.r.comm.Rank() }
