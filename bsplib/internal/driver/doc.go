// Package driver runs a rank's processes through supersteps and stages.
//
// This page is for developers of the engine: its parts, the paths of a Put and of a move through
// them, the invariants, and rejected designs. bsplib/doc.go describes the interface for programs.
//
// # Concepts
//
// A rank is a worker of the run, a goroutine of this Go program or an MPI process.
// It runs its processes one after the other, each as a coroutine up to its next Sync. The mapping
// assigns each process to a rank.
//
// Each area and queue has a slot, a number. The areas of all processes in the same slot form
// one registration.
//
// A lane is a sequence of exchanges between all ranks (package mpi). The program's data use one lane,
// all other communication the other.
//
// A Set is a group of hosts near one another. Its manager is the rank that makes its decisions.
//
// # The life of a Put
//
// Area.Put (bsplib/area.go) checks pid and bounds against the registry's entry for the other
// process's area and appends a record to the outbox for that process's rank (package stream, whose
// record.go has the layout): for one word 8 bytes of data and at most 16 of head, none where the last
// record can grow. Sync (Process.Meet) yields to the rank's goroutine (drive.go, worker.go), which
// resumes the rank's next process; after the last one it calls barrier (barrier.go). There the
// outboxes close, and one exchange of the data lane swaps them between all ranks. Each rank then
// serves Gets (Stream.ServeGets) and delivers the streams (Stream.Deliver): it merges them by the
// sender's pid and copies each record's bytes into the area. The driver continues with the first
// process.
//
// Between nodes a long Put is sent as a run, directly from a copy into the area, and a long HPPut or
// Get directly from memory to memory; the stream only announces them (stream.Landings).
//
// An HPPut to memory that this rank can address is copied at once, bypassing the stream, if the other
// rank is in the same superstep already (Stream.HPPut). A message follows the path of a Put but stays
// in the receive buffer, where its Queue reads it (bsplib/queue.go).
//
// # The life of a move
//
// When all processes have ended a stage, the barrier checks whether an operation is due between
// supersteps (between.go): a checkpoint (packages snapshot and checkpoint), or a rescheduling call
// (package reschedule), because package rebalancer's trigger is due or because processes asked for it
// (Proc.Migrate). In a call the ranks report the sums that package balance has kept for their
// processes, all managers reach the same decision, and all ranks receive the same list of moves.
//
// migrate (moves.go, package move) executes it in two exchanges. In the first each process that
// leaves is sent to its new rank as an image (package process): its state, encoded by package state,
// its areas, its unread messages. The large parts of the state bypass the exchange: they are copied
// straight from the old memory where the new rank can address it, and sent in pieces elsewhere. In
// the second exchange all ranks receive the new locations of the moved areas. Until then both copies
// exist; after it the old one is dropped, and the new rank compares the digest of the received state
// with the sender's: a difference ends the run. At its next turn the process enters the program on
// the new rank: Fresh is false, finished loops of stages are empty, the current one continues.
//
// # Invariants
//
//   - All ranks that take part see the same flags at a barrier and so make the same
//     exchanges. Ranks without processes take no part: they leave after the call that has
//     emptied them, and are recalled for operations of all ranks (attend.go, package recall).
//   - A process runs on the goroutine of its rank only, and a rank's processes never at
//     the same time.
//   - A record is valid when it is written: delivery does not check it.
//   - The registry is the same on all ranks that take part between supersteps, and on the
//     others when they are called back.
//   - A state is moved, written to disk or replaced between two stages only; its size is
//     also read after a superstep.
//   - Misuse ends the run with the superstep, the process and the line of the program.
//     An error that all ranks reach together (package membership) is reported once.
//
// # Rejected designs
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
// Moving the goroutine's stack, as thread migration does. It ties a run to one binary, one address
// layout and one engine, cannot be written to disk for other ranks, and moves data that the program
// does not need. A state that is a value of a Go type can be checked, measured, digested and tested
// (Config.Shake).
//
// Interrupting a superstep to move a process. The gain would be at most one superstep, and the next
// superstep yields the same.
//
// # Parts
//
// A Rank consists of parts, each a package with explicit inputs, and calls them in the order of the
// barrier. For the program's data: stream (the data path), collective (collective operations). For
// processes: process (state, requests, images), state (states as bytes), move (from rank to rank),
// snapshot and checkpoint (to disk and back). For decisions: measure, clock and account (superstep
// times), balance and reschedule (a rank's part in calls), cluster (the ranks' hosts and links). For
// ranks: control (the runtime's messages), membership and recall (the participating ranks), failure
// (errors that end a run).
package driver
