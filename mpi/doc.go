// Package mpi moves bytes between the ranks of a run. Programs need not call it, as package bsplib
// does; a program that makes its ranks itself gives bsplib.Config a Comm of InProcess or Open.
//
// # Concepts
//
// A rank is one worker of a run: a goroutine of this program (InProcess, the default build), or an
// MPI process (Open, build tag mpi).
//
// A Comm is one rank's view of the ranks of a run. One goroutine at a time uses it. All ranks make
// the collective calls (Exchange, Close, the functions Broadcast and Combine) in the same order.
// Bytes move by one of:
//
//   - An exchange is the barrier of BSP together with its communication: each rank
//     gives bytes for each other rank, and gets theirs when all have arrived.
//   - A run of bytes, which one rank gives and another takes, goes from the memory of the
//     giver into the memory of the taker, independently of exchanges.
//   - A short message is posted to a rank, which polls for it.
//
// A lane is a sequence of exchanges with buffers of its own. The bytes of an exchange stay in
// memory, uncopied, until the next exchange on that lane, regardless of other lanes.
//
// A node is a group of ranks whose memory can be shared. A rank sends other ranks the name of its
// memory (Ref), and ranks of the same node reach it by address.
//
// A board (MPI only) is the barrier of the ranks of a node: words in shared memory that record
// which ranks have arrived and the offsets of their bytes. A relay (MPI only) carries bytes between
// nodes: one rank of each node, its leader, exchanges messages with other leaders, in rounds.
//
// Ranks without work may stay away from exchanges (Attend): they sleep until the ranks that take
// part call them back.
//
// # Files
//
// The contracts are in comm.go, transfer.go, which has functions built on runs and is the same on
// both engines, and fold.go. One conformance suite, mpi/mpitest, holds both engines to them;
// attend.go tracks which ranks participate. The in-process engine is four files:
//
//	inprocess.go          Comm of a goroutine: exchange, memory
//	transfer_inprocess.go runs and messages
//	attend_inprocess.go   goroutines that stay away
//	barrier.go            the barrier of goroutines
//
// The MPI engine, from the outside in:
//
//	launch.go            whether a launcher started this process, and which
//	open_*.go            Open
//	environ.go           settings from the environment
//	without_c.go         the compile error of a build without a C compiler
//	world.go             Comm of a process: Exchange, over board and relay
//	attend_world.go      ranks and nodes that stay away
//	world_*.go           memory; lanes
//	relay.go             bytes between a node's ranks and other nodes
//	fold_world.go        exchanges that fold
//	transfer_world.go    runs and messages
//	process.go           nodes, and the arenas of a node's ranks
//	mesh.go, exchange*.c messages between nodes: rounds, parcels, pieces, runs
//	rounds               the plan of the rounds between nodes, which is simulated too
//	world_lane.go        a lane's buffers, which a node's ranks read in place
//	mail.go              runs within a node
//	board.go             the barrier of a node's ranks
//	nodes.go             nodes of the run, and which of them take part
//	radix.go             the radix of the rounds, from measured costs
//	direct_attach_*.go   copies by the kernel from and to a rank of the same node
//	internal/idle        spending the time until other ranks arrive
//	arena.go             shared memory, and which parts of it are free
//	blocks.go            memory of Alloc, which the garbage collector frees
//	library.go           which MPI library this is
//	output_*.go          printing buffered output before an abort
package mpi
