// Package collective implements the collectives of package bsplib with supersteps. Its generic
// functions have the same names, and take the return address in the program.
//
// Data that differ for each pair of processes are sent as messages, in a separate queue of each
// process. Data that are the same for all processes are sent once to each rank (slot.go).
// Reductions always combine in the same tree over the pids (tree.go), so that their results do
// not depend on ranks, engine or mapping.
//
// Two algorithms are used. With little data, each rank receives the data of all others in one
// superstep and combines them itself, or one rank combines them if the exchange folds (fold.go).
// Much data are first divided among the ranks of a node (levels.go), and sent between nodes in
// the barrier (between.go).
package collective

import (
	"reflect"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Rank is a rank's part in collectives.
type Rank struct {
	comm   mpi.Comm
	stream *stream.Stream
	where  []int32 // rank of each process
	caught func(v any) any

	tree      *layout
	form      *shape
	exchanges [2]exchange
	calls     [knownCalls]knownCall

	lastStep       int // the last superstep with a collective
	announcedBytes int // bytes announced by ranks of other nodes, each rounded up to cache lines

	sources []source // of combine
	bases   []unsafe.Pointer
	temps   []uint64
	mine    []byte // this rank's data for other nodes
	group   []int  // of a Broadcast

	messages [][]byte // of a Gather

	folder       *mpi.Fold // nil if exchanges do not fold: fold.go
	foldsAtFirst int       // maximum bytes per rank to fold, if all ranks participate
	reducer      reducer   // of the current reduction
	result       []byte    // the result, on the folding rank
	panicValue   any       // panic value of the program's operation in the barrier
}

// Moved must be called after processes have moved.
func (r *Rank) Moved() { r.tree = nil }

// step returns the number of the superstep.
func (r *Rank) step() int { return r.stream.Peers.Step() }

// here returns the number of processes on the rank.
func (r *Rank) here() int { return len(r.layout().procs[r.comm.Rank()]) }

// Member is a process in collectives.
type Member struct {
	*stream.Process
	Caller
	r      *Rank
	strays *part // the process's collective, if it differs from its rank's
}

// Of returns the Member for a process.
func (r *Rank) Of(p *stream.Process, c Caller) *Member { return &Member{Process: p, Caller: c, r: r} }

// Caller is the program that a process runs.
type Caller interface {
	// Fail ends the run with an error of the process. It does not return.
	Fail(why Misuse, format string, args ...any)
	// EndSuperstep is Sync, called at a return address of the program.
	EndSuperstep(site uintptr)
	// Panicked stores the panic value of an operation as the process's failure, and returns the
	// value to panic with again. v is nil if the operation has called runtime.Goexit.
	Panicked(v any) any
}

// Misuse is the reason why a collective ends a run.
type Misuse uint8

const (
	Mismatch      Misuse = iota // processes are in different calls, or an operation communicates
	OutOfBounds                 // lengths do not match
	NoSuchProcess               // the root is not a process
	NoOperation                 // the operation of a reduction is nil
	NotPlain                    // the type cannot be sent as bytes
)

// Procs returns the number of processes of the run, or 0 if this process has left the rank.
func (p *Member) Procs() int { return len(p.Out.Route) }

// rank returns the process's rank.
func (p *Member) rank() int { return p.r.comm.Rank() }

// callKey is the key of a rank's cache of calls.
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

// knownCalls is the size of a rank's cache of calls, enough for the calls of a loop.
const knownCalls = 32

// slotHeader is the beginning of a slot, which other ranks read first. Little data are stored
// inline: a word fits into the first cache line, and no other line is then sent to another core.
type slotHeader struct {
	bytes  uint64  // of the data
	ref    mpi.Ref // of the memory with the data, 0 if they are inline or cannot be shared
	inline [headerBytes - 2*8]byte
}

const (
	headerBytes = 256
	SharedBytes = 2 * headerBytes // size of the memory that a rank shares with its node
)

// exchange is a rank's state of one superstep's collective.
type exchange struct {
	*slotHeader
	step  int       // the superstep
	in    part      // the collective
	code  mpi.Flags // the collective's code
	count int       // processes of the rank that have joined

	region    []byte // for data that are not inline
	ref       mpi.Ref
	data      []byte // the published data
	announced bool   // data are sent to ranks of other nodes after the exchange
	begun     bool   // first superstep of a collective
	led       bool   // a process has returned from the exchange
	folded    bool   // the exchange folds the data

	contributions []contribution // by the rank's processes
	values        []uint64
	kept          []byte    // memory of the program, or a copy, that is read after the exchange
	results       []uint64  // for processes that return later
	parts         [][]byte  // by pid: its data in an Allgather
	received      []record  // by rank
	receiveRoom   []byte    // memory for received runs
	reached       []reached // regions of other ranks

	crossing
}

// contribution is the data of a process: its memory if they are long, otherwise a copy.
type contribution struct {
	pid int
	at  unsafe.Pointer
}

// record is the data received from a rank of another node.
type record struct {
	data      []byte
	announced int // length of data that follow after the exchange
}

type reached struct {
	ref mpi.Ref
	at  unsafe.Pointer
}

// crossing describes the transfer of a superstep's collective between nodes.
type crossing struct {
	group   []int   // by node: the rank that represents it; nil if this rank represents no node
	tree    bool    // along a tree, otherwise in parts
	root    int     // the node with the data of a Broadcast or the result of a reduction's tree
	unit    int     // bytes of an element; elements are not divided
	reduces reducer // nil for a Broadcast
	n       int     // bytes in all
	to      []byte  // destination; nil for the next superstep's slot, and at the root of a Broadcast
	result  []byte  // memory of the result
}

// reducer does a rank's work for a reduction during the barrier.
type reducer interface {
	// fold combines the data of all ranks, which follow the codes of their collectives.
	fold(r *Rank, given [][]byte, to []byte)

	// between combines the data of a group's nodes. Along a tree it returns the complete result
	// at the root and nil at other nodes, otherwise this node's part of the result.
	between(r *Rank, s *exchange) []byte
}

// source is the elements of a process or of a combined subtree.
type source struct {
	subtree
	at unsafe.Pointer
}

// layout returns the layout of the tree, which it recomputes after processes have moved.
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

// exchangeOf returns the exchange of a superstep, the current or the previous.
func (r *Rank) exchangeOf(step int) *exchange {
	s := &r.exchanges[step&1]
	if s.slotHeader == nil {
		s.slotHeader = r.headerOf(r.comm.Rank(), step)
		size := r.comm.Size()
		s.received, s.reached = make([]record, size), make([]reached, size)
	}
	return s
}

// headerOf returns the header of a rank's slot, nil if it cannot be read.
func (r *Rank) headerOf(rank, step int) *slotHeader {
	headers := r.stream.Peers.Extra(rank)
	if headers == nil {
		return nil
	}
	return (*slotHeader)(unsafe.Add(headers, step&1*headerBytes))
}
