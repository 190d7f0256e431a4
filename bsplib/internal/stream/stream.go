package stream

import (
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// Stream is a rank's end of the data path.
type Stream struct {
	Local       []*Process // by pid, nil for processes of other ranks
	Recording   bool       // senders record the traffic to each process
	Out         *Outboxes
	Data        *mpi.Lane // of the program's data
	Side        *mpi.Lane // of Gets and control messages
	Ways        *Ways
	Peers       *Peers
	Landings    *Landings
	Registry    *Registry
	Collectives Collectives // of collectives, or nil

	comm    mpi.Comm
	gets    gets
	cursors []cursor // of Deliver
	filled  []*Queue // with messages in them
}

// Collectives receives the records of collectives and decodes them.
type Collectives interface {
	// Arrived handles a record from a rank of another node.
	Arrived(src int, record []byte)
}

// New returns the data path of a rank. where is the rank of each process.
func New(comm mpi.Comm, where []int32) *Stream {
	local := make([]*Process, len(where))
	s := &Stream{
		Local: local, Out: newOutboxes(comm, where, local),
		Data: comm.Lane(0), Side: comm.Lane(1), Ways: new(Ways), Peers: newPeers(comm),
		comm: comm, gets: gets{replyAt: make([]int, comm.Size())},
	}
	s.Out.Stream = s
	s.Landings = &Landings{runs: s.Out.Runs}
	s.Registry = &Registry{comm: comm, local: s.Local, out: s.Out}
	return s
}

// Open begins a superstep.
func (s *Stream) Open() { s.Out.Open(s.Data) }

// cursor is the delivery position in the stream of one source rank.
type cursor struct {
	src  int
	pid  int // of the next segment
	rest []byte
}

// getRequest is a Get that waits for the barrier.
type getRequest struct {
	from  unsafe.Pointer // the owner's memory, nil if it cannot be addressed
	ref   mpi.Ref        // its name, where the kernel copies from it
	at    int            // an offset there
	to    unsafe.Pointer
	apart unsafe.Pointer // separate buffer for a run that must not be written to its destination yet
	bytes int
	rank  int // of the owner
	pid   int // the requesting process
	state getState
}

type getState uint8

const (
	reachable getState = iota // its owner's memory can be read
	waiting                   // for a reply
	buffered                  // its bytes are in the rank's read buffer
	done
	unbuffered // from HPGet: copied straight to its destination
	asked      // for a run
	askedHP    // for one by HPGet
	taken      // as a run
)

// gets holds the Gets of a rank's processes in this superstep, in call order.
type gets struct {
	requests  []getRequest
	read      []byte          // bytes read and not yet written
	readSlots map[uint64]bool // areas of this rank that Gets read from, computed on demand
	replyAt   []int           // by rank: number of bytes used of its replies
}
