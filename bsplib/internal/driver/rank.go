package driver

import (
	"reflect"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/measure"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/recall"
	"github.com/migbsp/migbsp/bsplib/internal/reschedule"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/mpi"
)

// Rank drives its processes through the supersteps: each runs as a coroutine until its Sync, then all
// ranks exchange once. It owns the parts of a rank, and calls them in the order of the barrier.
type Rank struct {
	Home    process.Rank // data that its processes share
	Now     *Current     // the superstep that they are in
	Timing  *measure.Timing
	Cluster *cluster.Cluster // hosts, Sets and links
	Outcome *Outcome
	Looked  *Looked
	Members *membership.Members
	Alone   bool // it is a Go program of its own

	crew       *crew
	control    *control.Channel // of the runtime's own messages
	collective *collective.Rank // its part in collectives
	roll       *recall.Roll     // dismisses and recalls ranks without processes
	mover      *move.Mover      // processes in transit
	unrest     *unrest          // moves for -shake and tests
	emptying   *drain.Emptying  // hosts being drained, nil if draining is not possible
	calling    reschedule.Settings
	agreed     *failure.Error       // the error that ended the run, if all ranks have it
	endBy      func(*failure.Error) // ends the run at once, while a process of the rank runs
	whole      bool                 // the Go program ends with the run

	calls      *reschedule.Caller // nil while processes cannot move, as balance
	balance    *balance.Balancer
	checkpoint *checkpoint.Keeper // nil if checkpoints cannot be requested
}

// Looked caches lines and types of the program. Looking one up takes more stack than a process has
// that only calls Sync.
type Looked struct {
	Sites site.Names              // by return address
	Plain map[reflect.Type]uint64 // hashes of types whose values can be sent as bytes
}

// newRank returns the rank of comm in a run of n processes. It has no processes yet.
func newRank(comm mpi.Comm, n int, program *process.Program) *Rank {
	where, link := firstPlaces(program, n, comm.Size()), control.New(comm)
	r := &Rank{
		Home:    process.Rank{Comm: comm, Stream: stream.New(comm, where), Program: program, Where: where},
		Now:     &Current{Step: 1, pulse: new(watch.Pulse)},
		Timing:  measure.New(),
		Cluster: cluster.New(comm, link),
		Outcome: new(Outcome), unrest: new(unrest),
		Looked:  &Looked{Sites: make(site.Names), Plain: make(map[reflect.Type]uint64)},
		Members: membership.New(comm),
		control: link,
	}
	r.Home.New = func() *process.Process { return &Of(&program.New(1)[0].Data).join(r).Process }
	r.roll = &recall.Roll{Members: r.Members, Rank: &r.Home, Control: link}
	r.crew = &crew{now: r.Now, stream: r.Home.Stream, timing: r.Timing, here: program.Here, nameless: program.Here || program.HasFixed()}
	r.collective = collective.New(comm, r.Home.Stream, where, program.InBarrier)
	r.Home.Stream.Collectives = r.collective
	r.Home.Stream.Out.Here = r.Members.Here()
	r.Home.Stream.Open()
	return r
}

// firstPlaces returns equal blocks of processes by rank. Programs in other languages have begun
// process 0 on rank 0 before the number of processes is known.
func firstPlaces(program *process.Program, procs, ranks int) []int32 {
	where := hostfile.Blocks(procs, ranks)
	if procs < ranks && (program.Here || program.HasFixed()) {
		for pid := range where {
			where[pid] = int32(pid)
		}
	}
	return where
}

// newProcesses creates the processes that begin on the rank. They are contiguous in memory, so a
// superstep of very many processes accesses memory in order.
func (r *Rank) newProcesses() []*Process {
	var pids []int
	for pid, to := range r.Home.Where {
		if int(to) == r.Home.Comm.Rank() {
			pids = append(pids, pid)
		}
	}
	processes, all := r.Home.Program.New(len(pids)), make([]*Process, len(pids))
	for i, pid := range pids {
		p := Of(&processes[i].Data).join(r)
		r.Home.Begin(&p.Process, pid)
		p.NewState()
		r.Home.Stream.Local[pid], all[i] = &p.Data, p
	}
	return all
}

// engineError converts an error of the engine below, nil to nil.
func (r *Rank) engineError(err error) *failure.Error {
	if err == nil {
		return nil
	}
	return failure.OfEngine(err, r.Home.Comm.Rank(), r.Now.Step)
}

// agree records an error that all ranks have.
func (r *Rank) agree(e *failure.Error, err error) *failure.Error {
	if err != nil {
		return r.engineError(err)
	}
	r.agreed = e
	return e
}

// beginWork begins the measuring of a superstep.
func (r *Rank) beginWork() {
	r.Now.measuring = r.Timing.Begin(r.Home.Stream, r.balance, r.crew.samples)
}

// barrierOnly makes an empty exchange of all ranks.
func (r *Rank) barrierOnly() error {
	_, err := r.control.Exchange(0)
	return err
}

// CollectiveOf returns the process's part in collectives, from its first one on.
func (p *Process) CollectiveOf(c collective.Caller) *collective.Member {
	if p.Collectives == nil {
		p.Collectives = p.Rank.collective.Of(&p.Data, c)
	}
	return p.Collectives
}
