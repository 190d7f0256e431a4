// Package driver takes a rank's processes through supersteps and stages.
//
// What follows is for those who change the engine: what its parts are, how a Put and a move go
// through them, what always holds, and which ways were rejected. What a program sees of it
// stands in bsplib/doc.go.
//
// # Concepts
//
// A rank is a worker of the run, a goroutine of this Go program or an MPI process.
// It runs its processes one after the other, each as a coroutine up to its next
// Sync. Which rank runs a process is the mapping.
//
// An area or a queue has a slot: the n-th of all processes belong together, in a slot of
// that number.
//
// A lane is a sequence of exchanges between all ranks (package mpi): the program's
// data have one, everything else the other.
//
// A Set is a group of hosts that are near one another, its manager the rank that
// decides for it.
//
// # The life of a Put
//
// Area.Put (bsplib/area.go) checks pid and bounds against what the registry knows of the
// other process's area and appends a record to the outbox for that process's rank
// (package stream, whose record.go has the layout): for one word 8 bytes of data and
// at most 16 of head, none where the last record can grow. Sync (Process.Meet) yields to the
// rank's goroutine (drive.go, worker.go), which resumes the rank's next process; after the last
// one it calls barrier (barrier.go). There the outboxes close, and one exchange of the data lane swaps them between all ranks. Each rank
// then serves Gets (Stream.ServeGets) and delivers the streams (Stream.Deliver): it merges
// them by the sender's pid and copies each record's bytes into the area. The driver
// goes on with the first process.
//
// Between nodes a long Put is a run of its own, which goes from a copy straight into the
// area, and a long HPPut or Get one from memory to memory; the stream only announces them
// (stream.Landings).
//
// An HPPut to memory that this rank can address is copied at once, past the stream,
// if the other rank is in the same superstep already (Stream.HPPut). A message goes the
// way of a Put and is left in the buffer in which it came, where its Queue finds it
// (bsplib/queue.go).
//
// # The life of a move
//
// When all processes have ended a stage, the barrier asks whether there is something
// to do between supersteps (between.go): a checkpoint (packages snapshot and checkpoint), or a
// rescheduling call (package reschedule), because package rebalancer's trigger says that one is
// due or because processes asked for it (Proc.Migrate). In a call the ranks report
// what package balance has added up of their processes, the managers decide
// alike, and all learn of the same list of moves.
//
// migrate (moves.go, package move) carries it out in two exchanges. In the first each process that
// leaves goes to its new rank as an image (package process): its state, encoded by
// package state, its areas, its unread messages. The large parts of the state
// do not go through the exchange: they are copied straight from the old memory where
// the new rank can address it, and sent in pieces elsewhere. In the second exchange
// all ranks learn where the moved areas are now. Until then both copies exist; after it
// the old one is dropped, and the new rank compares the digest of what has arrived with
// that of what left: a difference ends the run. At its next turn the process enters the program on the
// new rank: Fresh is false, finished loops of stages are empty, the current one goes on.
//
// # Invariants
//
//   - All ranks that take part see the same flags at a barrier and so make the same
//     exchanges. Those without processes take no part: they leave after the call that has
//     emptied them, and are called back for whatever needs all ranks (attend.go, package recall).
//   - A process runs on the goroutine of its rank only, and a rank's processes never at
//     the same time.
//   - A record is valid when it is written: delivery checks nothing.
//   - The registry is the same on all ranks that take part between supersteps, and on the
//     others when they are called back.
//   - A state is moved, written to disk or replaced between two stages only; its size is
//     looked at after a superstep too.
//   - Misuse ends the run with the superstep, the process and the line of the program.
//     An error that all ranks reach together (package membership) is reported once.
//
// # Ways that were rejected
//
// A goroutine for each process. Parking and waking one takes microseconds (9 us for a
// superstep of 64 processes, 2 us with coroutines), and the scheduler may run two processes
// of a rank at once.
//
// One message for each Put, or for each pair of processes. At 64 small messages a
// superstep combining them by rank is 8 to 23 times faster.
//
// Puts that write remote memory at once, as with one-sided MPI. Delivery order would
// depend on the mapping, or need a barrier before and locks within.
//
// Moving the goroutine's stack, as thread migration does. It ties a run to one binary,
// one address layout and one engine, cannot be written to disk for other ranks, and
// moves what the program does not need. A state that is a value of a Go type can be
// checked, measured, digested and tested (Config.Shake).
//
// Interrupting a superstep to move a process. Whatever is gained within one superstep
// is gained in the next one too.
//
// # Parts
//
// A Rank has the parts, each a package with explicit inputs, and calls them in the order of the
// barrier. Of the program's data: stream (the data path), collective (what all processes do
// together). Of processes: process (state, requests, images), state (states as bytes), move (from
// rank to rank), snapshot and checkpoint (to disk and back). Of decisions: measure, clock and
// account (what supersteps took), balance and reschedule (a rank's part in calls), cluster (where
// ranks are). Of ranks: control (the runtime's messages), membership and recall (which ranks take
// part), failure (what ends a run).
package driver
