package mpi

import (
	"errors"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// ErrAborted is returned by a blocked call when another rank has ended the run.
var ErrAborted = errors.New("mpi: the run was ended by another rank")

// Flags are control bits that an exchange combines over all ranks with OR: FlagBits of them. The
// first FewFlags travel with a rank's arrival itself. In an exchange in which a rank sets others,
// each rank reads one more word for each rank that it meets.
type Flags uint64

const (
	FewFlags = 16
	FlagBits = 56

	fewFlags Flags = 1<<FewFlags - 1
)

// Comm is one rank's view of the ranks of a run.
type Comm interface {
	// Rank returns this rank's number, 0 <= Rank() < Size().
	Rank() int

	// Size returns the number of ranks.
	Size() int

	// Engine describes how the bytes are carried, and the ranks.
	Engine() Engine

	// Lane returns lane k (0 <= k < Lanes), the same pointer each time.
	Lane(k int) *Lane

	// Exchange is a barrier of all ranks and delivers the lane's Out buffers: when it returns,
	// l.In[src] holds the bytes that rank src appended to its Out[this rank], l.Out is empty again,
	// and the result is the OR of all ranks' flags.
	//
	// l.In stays valid until this rank enters the next Exchange on the same lane, regardless of
	// exchanges on other lanes. Everything a rank wrote before its Exchange, into any memory, is
	// visible to the ranks that can reach that memory when their Exchange returns.
	//
	// After an error only Abort and Close may be called. Ranks of the same node get an error too;
	// ranks of other nodes may wait for this rank until a rank calls Abort.
	//
	// BSP cost: h*g + l with h the largest number of bytes any rank sends or receives.
	Exchange(l *Lane, flags Flags) (Flags, error)

	// Alloc returns n bytes, aligned to 64, that other ranks of the node can reach if the engine
	// can share memory, and ordinary memory otherwise. The bytes are zeroed, or have any content if
	// dirty is set, which suits memory that is written before it is read. On every engine the
	// garbage collector frees them: they are not used again while this rank's program holds a slice
	// of them.
	Alloc(n int, dirty bool) []byte

	// Share returns a name of mem by which other ranks reach it (Reach) or copy it (Copy), 0 if
	// none can. The caller keeps mem alive while others may use the name.
	Share(mem []byte) Ref

	// Reach returns the start of the memory that rank shared under r, or nil
	// if this rank cannot address it.
	Reach(rank int, r Ref) unsafe.Pointer

	// Copy copies data to an offset of the memory that rank shared under r, or from that offset
	// into data, by a call of the kernel, which reaches ordinary memory of another process of the
	// node. It is an error, also for no data, where the kernel cannot do that and where Reach has
	// an address.
	Copy(rank int, r Ref, offset int, data []byte, to bool) error

	// Give starts to send a run of bytes to rank dst: data, which may not change until Settle
	// returns, or a copy of data. On an error the run is not given: the rank has no memory for a
	// copy, or the Comm has failed.
	//
	// Between two ranks and on one channel, the k-th run that is taken is the k-th that is given,
	// and has its length. It arrives also while the runs after it are not taken or given yet. A run
	// of no bytes is none. Only Landed and Settle wait.
	Give(dst int, on Channel, data []byte, copied bool) error

	// Take starts to receive a run into data, which may neither be read nor written until it is
	// there. It may be called before the run is given. The result is valid until Settle.
	Take(src int, on Channel, data []byte) Run

	// Settle returns when all runs that this rank has given or taken on a channel are
	// complete: a run that was given is with its receiver, or with the MPI library.
	Settle(on Channel) error

	// Poll returns the next message that any rank has posted to this rank (Post), and the sender's
	// number. It waits for a message up to patience; src is -1 if none has come. data is valid
	// until the next Poll. While messages of several ranks wait, no rank is passed over twice. With
	// a negative patience Poll takes no message, and only lets the library progress pending runs.
	Poll(patience time.Duration) (src int, data []byte, err error)

	// Attend sets the ranks that take part from now on: those in present. All ranks call it with
	// the same list, of at least one rank, while all take part. On a rank in the list it returns at
	// once. Exchanges are then among the ranks that are present: they wait for these alone, and
	// leave In of absent ranks empty. On an absent rank Attend returns when the rank is called
	// back, with the note of that call; the contents of In are then no longer valid.
	//
	// An absent rank sleeps, without messages and using hardly any processor time: one rank of a
	// node that is absent as a whole polls for messages up to a hundred times a second, all other
	// ranks are woken. No rank may put anything into Out for an absent rank or give it a run, and
	// Broadcast, Combine and Close need all ranks.
	//
	// Without a list Attend calls the absent ranks back: all ranks take part from the next exchange
	// on, and at least one exchange must come before the next list. All ranks that are present call
	// it, at the same point between two exchanges and with the same note of at most MostNote bytes.
	// It has no effect if no rank is absent.
	//
	// BSP cost: none; the next exchange waits until all absent ranks have called Attend, or are
	// awake.
	Attend(present []bool, note []byte) (from []byte, err error)

	// Abort ends the run on all ranks. In-process it makes every blocked or
	// later call of every rank return ErrAborted; under MPI it ends the
	// processes with the code and does not return.
	Abort(code int)

	// Close ends the use of the Comm, and finalises MPI unless a call has failed.
	Close() error
}

// RanksHere returns the number of ranks on the node of c's own rank, itself
// included.
func RanksHere(c Comm) (here int) {
	nodes := c.Engine().Nodes
	for _, node := range nodes {
		if node == nodes[c.Rank()] {
			here++
		}
	}
	return here
}

// Present reports whether a rank takes part.
func Present(c Comm, rank int) bool {
	present := c.Engine().Present
	return present == nil || present[rank]
}

// Engine describes a Comm and its ranks. Its slices may not be changed.
type Engine struct {
	Text string // how the bytes are carried in a few words, for banners

	// Nodes has by rank the number of the node that it runs on. Two ranks with the same number
	// may be able to share memory: see Reach.
	Nodes []int

	// Present has by rank whether it takes part, until the next Attend; nil if all do.
	Present []bool

	// Cores is the number of processors that the ranks of this node may run on, all of them
	// together; 0 if it is not known.
	Cores int

	// RunsFrom has, by rank, the minimum length of bytes to or from it that should be sent as a
	// run, which goes from the memory of one rank into the other's without a buffer of a lane. 0
	// means never, and nil means never for any rank. Sender and receiver have the same value.
	RunsFrom []int
}

// Ref names memory that a rank shares. The zero Ref names none.
type Ref uint64

var errNoCopy = errors.New("mpi: memory that another rank shares cannot be reached")

// attachRef is the bit that distinguishes Refs of ordinary memory, which are addresses, from
// offsets into an arena.
const attachRef Ref = 1 << 63

// Lanes is the number of independent sequences of exchanges in a Comm.
const Lanes = 2

// A Lane is a sequence of exchanges with buffers of its own.
//
// Invariant within a node, on both engines: the bytes that a rank sends in exchange k of a lane lie
// in a buffer that the receiver reads in place until it enters exchange k+1. The sender fills the
// buffer again after exchange k+1 has returned at the earliest. By then every receiver has entered
// k+1. Two buffers for each destination, used in turn, are therefore enough, and no exchange waits
// for readers.
type Lane struct {
	// Out holds, by destination rank, the data that the next Exchange delivers. The Comm changes
	// the slice at each Exchange; load the field again afterwards.
	Out []Buffer
	// In holds, by source rank, the data of the last Exchange on this lane. It is valid until this
	// rank enters the next one.
	In [][]byte
	// Fold is nil if the lane's exchanges never fold.
	Fold *Fold

	number int
}

// A Buffer collects bytes for one destination, in memory of the engine's
// choice. Append to Bytes within its capacity; Grow makes more.
// Bytes starts at an address that is a multiple of 8.
//
// A buffer fills a cache line, so that two ranks never write to the same one.
type Buffer struct {
	Bytes []byte

	memory memory
	_      [24]byte
}

// memory allocates a buffer's bytes.
type memory interface {
	// resize returns memory with the contents of old and room for at least
	// capacity bytes in all, and takes old back.
	resize(old []byte, capacity int) []byte
}

// Grow makes room for n more bytes. Bytes may move.
func (b *Buffer) Grow(n int) {
	need := len(b.Bytes) + n
	if need <= cap(b.Bytes) {
		return
	}
	b.Bytes = b.memory.resize(b.Bytes, max(need, 2*cap(b.Bytes), leastBuffer))
}

// leastBuffer is the minimum size of a buffer that is not empty. One rank of thousands has a few
// buffers for each other rank, most of which never hold more than a registration: two lines with an
// engine's head.
const leastBuffer = 112

// heap is memory of the Go heap, which only this process can address.
type heap struct{}

// lineBytes is the size of a cache line.
const lineBytes = 64

func (heap) resize(old []byte, capacity int) []byte {
	mem := fresh.Zeroed(capacity)
	return mem[:copy(mem, old)]
}
