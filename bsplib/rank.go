package bsplib

import (
	"reflect"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/mpi"
)

// What ranks tell each other at every barrier.
const (
	flagSync       mpi.Flags = stream.FlagFree << iota // a process of the rank called Sync
	flagEnd                                            // a process of the rank has ended
	flagFail                                           // a process of the rank has returned an error
	flagStage                                          // a process of the rank has ended a stage
	flagCall                                           // a process asks for a rescheduling call, or the rank as stages have become slow
	flagInside                                         // a process of the rank is in a stage
	flagLast                                           // the stage was its loop's last
	flagWorth                                          // the rest of the loop is long enough for a rescheduling call
	flagShort                                          // stages follow one another too fast for all to be observed
	flagElsewhere                                      // the superstep ends at another place than the one before
	flagShip                                           // the account of the last supersteps is to be sent to rank 0
	flagCheckpoint                                     // a checkpoint is due at the end of this stage
)

// rank drives its processes through the supersteps: each runs as a coroutine
// until its Sync, then all ranks exchange once (drive.go, superstep.go). A rank is made
// of parts, each with the file in which it is used.
type rank struct {
	comm    mpi.Comm
	program *program
	n       int // processes in all

	where      []int32                              // rank of each process
	members    *membership.Members                  // which ranks take part: attend.go
	separate   bool                                 // each rank is a Go program of its own
	changed    bool                                 // areas have, since ranks left
	now        *current                             // the superstep they are in
	stream     *stream.Stream                       // the program's data between ranks
	collective *collective.Rank                     // its part in collectives
	channels   channels                             // the runtime's own messages: package control
	cluster    *cluster.Cluster                     // hosts, Sets and links
	timing     *timing                              // time, and what of it is measured: measure.go
	mover      *move.Mover[traveller, processImage] // processes on their way: move.go
	outcome    *outcome                             // what the run's reader gets: result.go
	unrest     *unrest                              // moves without a reason: reschedule.go
	emptying   *drain.Emptying                      // hosts that are to be left, nil if nobody may say so: drains.go
	looked     *looked                              // what was looked up of the program: errors.go
	crew       *crew                                // its processes: crew.go, worker.go

	balance    *balance.Balancer  // nil as long as processes stay where they are
	checkpoint *checkpoint.Keeper // nil where nothing can ask for one
}

// current is the superstep that a rank is in.
type current struct {
	step      int
	measuring bool      // it is measured
	flags     mpi.Flags // for its barrier
	site      uintptr   // of this superstep's first Sync on this rank
	lastSite  uintptr   // of the last superstep that had one
	over      bool      // all processes on all ranks have ended
	closed    bool      // the run has failed: processes that go on must leave
	failure   *Error    // what has ended it, where the barrier ran within a Sync

	// rearranged: processes came or left at the last barrier. drive begins the
	// superstep anew then, for it may be in the middle of the old list of processes;
	// one that ran the barrier within its own Sync yields to drive at once.
	rearranged bool
	inline     bool // the barrier runs within the only process's Sync

	office *clock.Emulated // by which processes post on an emulated platform, nil elsewhere
	pulse  *watch.Pulse    // where this is noted for who watches the rank
}

// channels carry the runtime's own messages. All are the same lane; calls and moves
// charge an emulated platform for what they carry.
type channels struct {
	control, calls, moves *control.Channel
}

// newRank makes the rank of comm with its share of n processes, in blocks.
func newRank(comm mpi.Comm, n int, program *program) *rank {
	where, link := program.where(n, comm.Size()), control.New(comm)
	r := &rank{
		comm: comm, program: program, n: n, members: membership.New(comm),
		where:    where,
		now:      &current{step: 1, pulse: new(watch.Pulse)},
		stream:   stream.New(comm, where),
		channels: channels{control: link},
		cluster:  cluster.New(comm, link),
		timing:   &timing{clock: clock.NewReal(nil), account: account.New(account.Settings{})},
		outcome:  new(outcome), unrest: new(unrest),
		looked: &looked{sites: make(site.Names), plain: make(map[reflect.Type]uint64)},
	}
	r.crew = &crew{now: r.now, stream: r.stream, timing: r.timing}
	r.collective = collective.New(comm, r.stream, where, caughtInBarrier)
	r.stream.Shelf = r.collective
	var pids []int
	for pid, to := range r.where {
		if int(to) == comm.Rank() {
			pids = append(pids, pid)
		}
	}
	r.crew.set(r.newProcs(pids))
	r.stream.Out.Here = r.members.Here()
	r.stream.Open()
	return r
}

// where is the rank of each process at the beginning. Programs in other languages have begun process
// 0 before it is known how many there are, on rank 0.
func (p *program) where(procs, ranks int) []int32 {
	where := hostfile.Blocks(procs, ranks)
	if procs < ranks && (p.here || p.fixed != nil) {
		for pid := range where {
			where[pid] = int32(pid)
		}
	}
	return where
}

func newProc(r *rank, pid int) *Proc {
	return &Proc{data: r.end(pid), pid: pid, n: r.n, rank: r}
}

// end is the end of the data path of a process that is made.
func (r *rank) end(pid int) stream.Process {
	return stream.Process{Pid: pid, Did: account.Sample{Pid: pid}, Out: r.stream.Out}
}

// newProcs makes the processes that begin on the rank, beside one another: a superstep of
// very many walks through memory.
func (r *rank) newProcs(pids []int) []*Proc {
	procs, all := make([]Proc, len(pids)), make([]*Proc, len(pids))
	for i, pid := range pids {
		p := &procs[i]
		*p = Proc{data: r.end(pid), pid: pid, n: r.n, rank: r, state: r.program.newState()}
		r.stream.Local[pid], all[i] = &p.data, p
	}
	return all
}

func (r *rank) engineError(err error) *Error {
	return &Error{Kind: KindEngine, Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step, Text: err.Error(), Err: err}
}
