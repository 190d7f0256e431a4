// Package collective makes the collectives of package bsplib of supersteps. Its generic functions
// have the names of those, and are called with the line of the program.
//
// What goes from each process to each other is made of messages, in a queue that each
// process has for them. What is the same for all goes by ranks, once to each rank (shelf.go).
// Reductions always combine in the same tree over the pids (tree.go): their results do not
// depend on ranks, engine or mapping.
//
// There are two algorithms. Of little data each rank has all from all others, in one superstep,
// and combines for itself; or one rank does, if the exchange brings everything to it (fold.go). Much data
// are divided among the ranks of a node first (levels.go), and go between nodes in the barrier
// (between.go).
package collective

import (
	"reflect"
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

	laidIn int // the last superstep with a collective
	awaits int // bytes that ranks of other nodes have announced, each in whole lines

	sources []source // of combine
	bases   []unsafe.Pointer
	temps   []uint64
	mine    []byte // what this rank has for other nodes
	group   []int  // of a Broadcast

	messages [][]byte // of a Gather

	folder       *mpi.Fold // nil where exchanges do not fold: fold.go
	foldsAtFirst int       // how much each rank may give, with all ranks
	reducer      reducer   // of the reduction that goes on
	made         []byte    // the result, on the rank that folds
	broken       any       // what the program's operation has panicked with, in the barrier
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
	r      *Rank
	strays *part // what it is in, if that is not what its rank is in
}

// Of makes the member for the collectives of a process.
func (r *Rank) Of(p *stream.Process, c Caller) *Member { return &Member{Process: p, Caller: c, r: r} }

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
	Mismatch      Misuse = iota // a collective contains what is none of it
	OutOfBounds                 // lengths do not fit together
	NoSuchProcess               // as a root
	NoOperation                 // a reduction is given none
	NotPlain                    // a type that cannot be sent as bytes
)

// Procs is the number of processes, 0 for one that has left the rank.
func (p *Member) Procs() int { return len(p.Out.Route) }

// rank is the process's.
func (p *Member) rank() int { return p.r.comm.Rank() }

// callKey is what a rank knows calls by.
type callKey struct {
	collective collective
	values     reflect.Type
	operation  uintptr // address of its code, 0 without one
}

// knownCall is a call without its site.
type knownCall struct {
	callKey
	call call
}

// knownCalls is how many calls a rank keeps: those of a loop.
const knownCalls = 32

// shelfHead is the beginning of a side, where others look first. Little data has room
// in it: a word in its first line, which is then the only one that goes to another core.
type shelfHead struct {
	bytes  uint64  // of the data
	ref    mpi.Ref // of the memory with the data, 0 if they are in here or cannot be shared
	inline [headBytes - 2*8]byte
}

const (
	headBytes   = 256
	SharedBytes = 2 * headBytes // of the memory that a rank shares with its node
)

// side is what a rank knows of one superstep's collective.
type side struct {
	*shelfHead
	step  int       // in which it was laid
	in    part      // the collective
	code  mpi.Flags // of that
	count int       // processes of the rank that have come

	region    []byte // for what has no room in the head
	ref       mpi.Ref
	data      []byte // what has been laid
	announced bool   // to ranks of other nodes, which get it after the exchange
	begun     bool   // it is the first superstep of a collective
	led       bool   // the first process has come back
	folded    bool   // the exchange folds what has been laid

	given   []given // by the rank's processes
	values  []uint64
	kept    []byte    // memory of the program, or a copy, that is read after the exchange
	results []uint64  // for those that come back later
	parts   [][]byte  // by pid: what it has given to an Allgather
	came    []record  // by rank
	landed  []byte    // memory for what comes as runs
	reached []reached // regions of other ranks

	crossing
}

// given is what a process has given: a copy, or its memory where that is long.
type given struct {
	pid int
	at  unsafe.Pointer
}

// record is what has come from a rank of another node.
type record struct {
	data    []byte
	awaited int // bytes that come after the exchange, in its place
}

type reached struct {
	ref mpi.Ref
	at  unsafe.Pointer
}

// crossing is what a superstep's collective brings between nodes.
type crossing struct {
	group   []int   // by node: the rank that stands for it; nil if this rank stands for none
	tree    bool    // along a tree, else in parts
	home    int     // the node that has the data of a Broadcast, or where a reduction's tree ends
	unit    int     // bytes of an element, which is not cut
	reduces reducer // nil for a Broadcast
	n       int     // bytes of the whole
	to      []byte  // where it is wanted; nil for the next superstep's shelf, and at the root of a Broadcast
	result  []byte  // where it is afterwards
}

// reducer does a rank's work of a reduction while the barrier goes on.
type reducer interface {
	// fold combines what all ranks have given, behind the codes of their collectives.
	fold(r *Rank, given [][]byte, to []byte)

	// between combines what the nodes of a group have. It returns the whole at the home of a
	// tree, nil at its other nodes, or this node's part of it.
	between(r *Rank, s *side) []byte
}

// source is a subtree that has been combined, or a process, with its elements.
type source struct {
	subtree
	at unsafe.Pointer
}

// layout returns how the tree lies now: anew after processes have moved.
func (r *Rank) layout() *layout {
	if r.tree != nil {
		return r.tree
	}
	nodes := make([]int, r.comm.Size())
	for rank := range nodes {
		nodes[rank] = r.stream.Peers.Node(rank)
	}
	r.tree = newLayout(r.where, nodes)
	return r.tree
}

func (r *Rank) shape() *shape {
	if r.form == nil {
		f := &shape{ranks: r.comm.Size()}
		count := make(map[int]int)
		for rank := range f.ranks {
			count[r.stream.Peers.Node(rank)]++
			f.inner = max(f.inner, count[r.stream.Peers.Node(rank)])
		}
		f.nodes = len(count)
		f.folds = r.foldsAtFirst
		r.form = f
	}
	return r.form
}

// shelf is where this superstep's collective lays, or the last one has.
func (r *Rank) shelf(step int) *side {
	s := &r.sides[step&1]
	if s.shelfHead == nil {
		s.shelfHead = r.headOf(r.comm.Rank(), step)
		size := r.comm.Size()
		s.came, s.reached = make([]record, size), make([]reached, size)
	}
	return s
}

// headOf is another rank's head, nil if it cannot be read.
func (r *Rank) headOf(rank, step int) *shelfHead {
	heads := r.stream.Peers.Extra(rank)
	if heads == nil {
		return nil
	}
	return (*shelfHead)(unsafe.Add(heads, step&1*headBytes))
}
