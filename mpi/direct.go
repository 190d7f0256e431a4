package mpi

// Direct is what a Comm offers beside exchanges where ranks are on several nodes: runs
// of bytes that go from the memory of one rank into that of another, without a buffer of
// a lane in between. An exchange announces them, and both sides know their lengths.
//
// A run is given by its sender and taken by its receiver. Between two ranks, and on one
// channel, runs are taken in the order in which they are given; a rank that waits for the
// one need not have come to the other. No call waits but Landed and Settle. What goes
// wrong in others they return.
//
// The lengths of a run given and taken are the same. A run of no bytes is none. One that is
// expected may be taken before it is announced, or at all: Drop takes that back.
type Direct interface {
	// DirectFrom returns the length from which bytes for that rank, or from there,
	// should go this way; 0 if they never should. Both sides get the same answer.
	DirectFrom(rank int) int

	// Give starts to send data, which may not change until Settle returns.
	Give(dst int, on Channel, data []byte)

	// GiveCopy starts to send a copy of data. It reports false if there is no memory
	// for one: nothing is given then.
	GiveCopy(dst int, on Channel, data []byte) bool

	// Take starts to receive a run into data, which may neither be read nor written
	// until it is there. The result is for Landed, until Settle returns.
	Take(src int, on Channel, data []byte) Run

	// Drop ends a run that is taken, where an exchange has shown that it was not given.
	Drop(r Run) error

	// Landed returns when the first n bytes of a run that is taken are there.
	Landed(r Run, n int) error

	// Progress lets what is on its way go on.
	Progress() error

	// Settle returns when all runs that this rank has given or taken on a channel are
	// complete. What was given is then with its receiver, or as good as there.
	Settle(on Channel) error
}

// Run names a run that is taken.
type Run int

// Channel keeps runs apart whose order depends on different things.
type Channel int

// The channels of Direct.
const (
	Puts Channel = iota
	Gets
	Moves
	Collectives
	channels
)

// Attach is what a Comm offers where ranks of a node reach by a call of the kernel what
// they do not share: ordinary memory of a process. Share names such memory too, then, and
// Reach returns nil for it.
type Attach interface {
	// Attaches reports whether this rank can read and write memory that rank shared
	// under r by CopyTo and CopyFrom.
	Attaches(rank int, r Ref) bool

	// CopyTo copies data to an offset of the memory that rank shared under r.
	CopyTo(rank int, r Ref, offset int, data []byte) error

	// CopyFrom copies bytes from there into data.
	CopyFrom(rank int, r Ref, offset int, data []byte) error
}

// attachRef is the bit that tells Refs of ordinary memory, which are addresses, from
// places in an arena.
const attachRef Ref = 1 << 63
