package stream

import (
	"math"

	"github.com/migbsp/migbsp/mpi"
)

// What streams say of themselves in the flags of their exchange. Other flags begin at FlagFree.
const (
	FlagRegister mpi.Flags = 1 << iota // there are registrations
	FlagGet                            // there are Gets
	FlagReply                          // some of them need a reply
	FlagPull                           // HPPuts have left copying to the receiver
	FlagFree
)

// Outboxes are what a rank has for all ranks in a superstep.
type Outboxes struct {
	Flags  mpi.Flags // of this superstep
	Untold bool      // the process that runs has made or popped areas or queues: Registry.Tell is to be called
	Here   []int     // ranks that take part
	Route  []*Outbox // by destination process
	Runs   mpi.Comm  // nil if all ranks share memory

	boxes []Outbox // by destination rank
	burst Burst
}

// newOutboxes makes the outboxes of a rank. where is the rank of each process.
func newOutboxes(comm mpi.Comm, where []int32) *Outboxes {
	o := &Outboxes{Route: make([]*Outbox, len(where)), boxes: make([]Outbox, comm.Size())}
	for pid, to := range where {
		o.Route[pid] = &o.boxes[to]
	}
	for to := range o.boxes {
		o.boxes[to].Rank, o.boxes[to].runFrom = to, math.MaxInt
	}
	for to, n := range comm.Engine().RunsFrom {
		if n > 0 {
			o.boxes[to].Runs, o.boxes[to].runFrom, o.Runs = comm, n, comm
		}
	}
	return o
}

// To is the outbox for a rank.
func (o *Outboxes) To(rank int) *Outbox { return &o.boxes[rank] }

// Burst is the rank's burst.
func (o *Outboxes) Burst() *Burst { return &o.burst }

// Moved makes a rank that of a process.
func (o *Outboxes) Moved(pid, rank int) { o.Route[pid] = &o.boxes[rank] }

// Attend makes these the ranks that take part.
func (o *Outboxes) Attend(ranks []int) { o.Here = ranks }

// Open starts a superstep, with what the lane's last exchange has left empty.
func (o *Outboxes) Open(data *mpi.Lane) {
	for _, d := range o.Here {
		o.boxes[d].open(&data.Out[d])
	}
}

// Close hands all records over.
func (o *Outboxes) Close() {
	for _, d := range o.Here {
		o.boxes[d].close()
	}
}
