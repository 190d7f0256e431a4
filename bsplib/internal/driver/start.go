package driver

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/account/progress"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/bsplib/internal/profiling"
	"github.com/migbsp/migbsp/bsplib/internal/snapshot"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// Settings holds the settings of a run. They are the same on all ranks unless a field names a rank. A
// nil pointer means that the feature is off or the value unknown.
type Settings struct {
	MPI      bool           // each rank is a process of MPI
	Here     bool           // the only rank of this Go program runs on the goroutine that calls Run
	Platform *hostfile.File // hosts, their Sets and links
	Sets     *hostfile.File // assigns hosts to Sets
	Probe    float64        // share of the run's time for measuring the machine
	Balance  *rebalancer.Spec
	Start    *placement.Request // nil: the default, without hints
	Drains   *drain.Hosts
	Shake    bool // all processes move after each stage

	// Results and outputs of rank 0.
	Account  *ledger.Account
	Result   *ledger.Result
	Progress io.Writer
	Why      io.Writer
	Calls    *calls.Writer
	Profile  *profiling.Settings // on all ranks or on none

	// Checkpoint holds the user's settings for checkpoints; nil disables them. If GoBack is true, a
	// run whose checkpoint is damaged resumes from the one before.
	Checkpoint *checkpoint.Settings
	GoBack     bool

	Measure bool           // rank 0 keeps an account
	Pulse   *watch.Pulse   // of the rank
	Monitor *watch.Monitor // of in-process ranks
	Test    *Test
}

// Test holds settings of tests.
type Test struct {
	Work    func(pid, step int) time.Duration // replaces the measured time of work; nil: measured
	Cores   float64                           // number of cores that all ranks share for such work; 0: one for each rank
	Scatter uint64                            // seed of random moves after each stage, 0 for none
	Windows int                               // loads.Settings.Least
}

// test returns the settings of tests, zero ones in other runs.
func (s *Settings) test() Test {
	if s.Test == nil {
		return Test{}
	}
	return *s.Test
}

// Emulates reports whether the run pretends to be on another platform.
func (s *Settings) Emulates() bool { return !s.MPI && s.Platform != nil && s.Platform.Emulated() }

// starter sets up a rank from the settings, before its first superstep. All ranks do this together.
type starter struct {
	r      *Rank
	set    *Settings
	shared *clock.Platform // the emulated platform, or nil
	places cluster.Settings
	origin string // of the initial mapping
}

// start sets up the rank.
func (s *starter) start() *failure.Error {
	for _, part := range []func() *failure.Error{s.introduce, s.findPlaces, s.outputs, s.calibrate, s.place, s.checkpoints, s.account, s.finish} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// introduce sends this rank's host to all ranks, and shares its progress with the ranks that share
// memory with it.
func (s *starter) introduce() *failure.Error {
	r, peers := s.r, s.r.Home.Stream.Peers
	var host listen.Host
	if s.set.MPI {
		host = listen.ThisHost()
	}
	all, err := r.Cluster.Introduce(peers.Open(r.Now.Step, collective.SharedBytes), host)
	if err != nil {
		return r.engineError(err)
	}
	for rank, ref := range all {
		peers.Meet(rank, ref)
	}
	return nil
}

// findPlaces determines the hosts of the ranks.
func (s *starter) findPlaces() *failure.Error {
	r, set := s.r, s.set
	s.places = cluster.Settings{
		MPI: set.MPI, Sets: set.Sets, File: set.Platform, Share: max(0, cmp.Or(set.Probe, cluster.UsualShare)),
		Profiles: set.Profile.Profiles(), Expected: set.Profile.Expected(),
		Moves: set.Balance != nil && !set.Balance.Off() && r.Home.Comm.Size() > 1,
	}
	if !set.MPI {
		r.Cluster.Assume(set.Platform)
	} else {
		r.Cluster.Assume(nil)
		err := r.Cluster.Group(s.places)
		if problem, is := errors.AsType[cluster.Problem](err); is {
			return r.agree(&failure.Error{Pid: -1, Rank: r.Home.Comm.Rank(), Superstep: 1, Text: problem.Error(), Err: problem}, nil)
		} else if err != nil {
			return r.engineError(err)
		}
	}
	switch {
	case !set.MPI && set.Platform != nil:
	case set.test().Work != nil:
		r.Cluster.PresetCores(set.test().Cores)
	default:
		r.Cluster.ShareCores()
	}
	return nil
}

// outputs sets up messages, the clock, and moves.
func (s *starter) outputs() *failure.Error {
	r, set := s.r, s.set
	r.Alone = set.MPI
	if r.Home.Comm.Rank() == 0 {
		r.calling.Why, r.calling.Log = set.Why, set.Calls
		r.Outcome.log, r.Outcome.result = set.Progress, set.Result
		r.Outcome.screen, _ = set.Progress.(progress.Screen)
	}
	if set.Pulse != nil {
		r.Now.pulse = set.Pulse
	}
	if set.Monitor != nil {
		rank := r.Home.Comm.Rank()
		set.Monitor.Add(rank, r.Cluster.Hosts[rank], r.Now.pulse, r.crew)
	}
	r.unrest.shake = set.Shake
	if seed := set.test().Scatter; seed != 0 {
		r.unrest.scatter = rand.New(rand.NewPCG(seed, 0))
	}
	if set.Drains != nil {
		r.emptying = drain.NewEmptying(set.Drains, r.Cluster.Hosts, r.Home.Comm.Rank())
	}
	r.Timing.Clock = clock.NewReal(set.test().Work)
	if s.shared != nil {
		r.Now.Office = s.shared.Rank(r.Home.Comm.Rank(), set.test().Work, r.barrierOnly)
		r.Timing.Clock = r.Now.Office
	}
	calls, moves := r.control.Metered(r.Timing.Clock.Calls()), r.control.Metered(r.Timing.Clock.Moves())
	r.mover = move.New(move.Settings{
		Rank: &r.Home, Clock: r.Timing.Clock, Calls: calls, Moves: moves,
		Balance: func() *balance.Balancer { return r.balance }, Alone: r.Alone,
	})
	r.calling.Process = r.crew.apart
	r.calling.Rank, r.calling.Clock, r.calling.Calls, r.calling.Cluster = &r.Home, r.Timing.Clock, calls, r.Cluster
	r.calling.Members, r.calling.Mover, r.calling.Emptying = r.Members, r.mover, r.emptying
	return nil
}

// calibrate measures the machine, if processes may move.
func (s *starter) calibrate() *failure.Error {
	r, emulated := s.r, s.r.Timing.Clock.Emulated()
	if s.places.Moves {
		if err := r.Cluster.Calibrate(s.places, r.Home.Stream.Side, emulated || s.set.test().Work != nil); err != nil {
			return r.engineError(err)
		}
		r.Cluster.Platform.Leave = !emulated
	}
	if r.Outcome.log != nil && s.set.Account != nil {
		r.Cluster.Print(r.Outcome.log, s.set.Account.Run().Program)
	}
	return nil
}

// checkpoints prepares the rank for checkpoints and, if the run resumes from one, reads its
// processes.
func (s *starter) checkpoints() *failure.Error {
	if s.set.Checkpoint == nil {
		return nil
	}
	r, k := s.r, *s.set.Checkpoint
	k.Procs, k.Comm, k.Host = len(r.Home.Where), r.Home.Comm, r.Cluster.Hosts[r.Home.Comm.Rank()]
	k.Wall, k.Emulated = r.Timing.Clock.Wall, r.Timing.Clock.Emulated()
	k.Elapsed = func() time.Duration { return r.Timing.Clock.Now() + r.Timing.Earlier }
	k.Log, k.LogEvery, k.Warn = r.Outcome.log, progress.LineEvery, func(line string) { r.Timing.Account.Warn(line) }
	name, layout := r.Home.Program.Identity()
	k.State, k.Layout = name, checkpoint.Hex(layout)
	r.checkpoint = checkpoint.New(k)
	if k.From == nil {
		return nil
	}
	return s.restore()
}

// restore replaces the initial processes by the processes of a checkpoint.
//
// BSP cost: the bytes of the states from disk, and two barriers.
func (s *starter) restore() *failure.Error {
	r, begun := s.r, time.Now()
	in := snapshot.Reader{Keeper: r.checkpoint, Control: r.control, Rank: &r.Home, GoBack: s.set.GoBack}
	processes, err := in.Read()
	from := r.checkpoint.Source()
	r.Now.Step = from.Manifest.Superstep
	if e, is := errors.AsType[*failure.Unreadable](err); is {
		return r.agree(&failure.Error{Pid: -1, Rank: e.Rank, Superstep: r.Now.Step, Text: e.Text, Err: e}, nil)
	} else if err != nil {
		return r.engineError(err)
	}
	r.Home.Stream.Peers.Advance(r.Now.Step)
	r.Timing.Earlier = from.Earlier()
	if r.Home.Stream.Local[0] != nil {
		r.Outcome.Reported = from.Manifest.Report
	}
	defer r.mover.End()
	all := make([]*Process, len(processes))
	for i, p := range processes {
		all[i] = Of(&p.Data)
		r.Home.Stream.Local[p.Data.Pid] = &p.Data
	}
	r.crew.set(all)
	if err := r.mover.Restored(processes, r.control); err != nil {
		return r.moveError(err)
	}
	for _, p := range processes {
		r.Home.Stream.Registry.Use(&p.Data)
	}
	r.mover.RegisterAreas(r.Home.Where)
	r.checkpoint.Resumed(time.Since(begun))
	return nil
}

// account begins the account of the run.
func (s *starter) account() *failure.Error {
	r, set, comm, clock := s.r, s.set, s.r.Home.Comm, s.r.Timing.Clock
	clock.Start()
	a := account.Settings{
		Control: r.control, Clock: clock, Kept: set.Account != nil || set.Measure, Log: r.Outcome.log,
		Loads: loads.Settings{
			Procs: len(r.Home.Where), Speed: cmp.Or(r.Cluster.Platform.Ranks[comm.Rank()].Speed, 1), StateBytes: r.crew.stateBytes, Least: set.test().Windows,
		},
		Brought: s.brought, Position: r.crew.position, SiteName: r.Looked.Sites.Of,
	}
	if comm.Rank() == 0 && set.Account != nil {
		a.Book = set.Account
		s.fillHead(a.Book.Run())
	}
	if !clock.Emulated() && (set.MPI || comm.Rank() == 0) {
		a.Together = !set.MPI
		look := capacity.Look{Process: probe.ProcessKey(), Cores: probe.CoresKey()}
		a.Machine = func() capacity.Look {
			look.Contention = probe.MeasureContention(!set.MPI) // in-process ranks are goroutines that change threads
			look.Quota, look.Shared = probe.RankQuota(comm), probe.SharedCores(comm)
			return look
		}
	}
	if r.Outcome.profile = profiling.New(set.Profile, r.Now.Step); r.Outcome.profile != nil {
		r.Timing.Totals = loads.NewTotals(a.Loads, clock)
	}
	r.Timing.Account = account.New(a)
	r.calling.Account = r.Timing.Account
	if err := r.Timing.Account.Open(r.Now.Step, s.facts()); err != nil {
		return r.engineError(err)
	}
	return nil
}

// brought returns the time that moves have saved. All ranks call it after the last superstep; rank 0
// gets the result if a process has moved. Inconsistent reports of the ranks do not fail the run: the
// result is then the last call's, and a warning is printed.
func (s *starter) brought() (seconds, doubt float64, known bool, err error) {
	r := s.r
	if r.balance == nil {
		return 0, 0, false, nil
	}
	bank, err := r.balance.Conclude(len(r.crew.procs))
	if errors.Is(err, balance.ErrUnfit) {
		r.Timing.Account.Warn("what moves have saved is as of the last call: " + err.Error())
		err = nil
	}
	if err != nil || bank == nil {
		return 0, 0, false, err
	}
	seconds, doubt = bank.Brought()
	return seconds, doubt, true, nil
}

// fillHead fills in the facts about the run that are known before its first superstep.
func (s *starter) fillHead(run *ledger.Run) {
	r, set, comm := s.r, s.set, s.r.Home.Comm
	run.Engine, run.Platform, run.LinksFrom, run.SetsFrom, run.Measuring, run.Restarted = comm.Engine().Text, "", "assumed", "", 0, ""
	run.StartFrom(s.origin)
	if comm.Size() == 1 && set.Balance != nil {
		run.Strategy = "off (there is one rank)"
	}
	if set.Platform != nil {
		run.Platform, run.LinksFrom = set.Platform.Name, "hosts file"
	}
	if set.MPI {
		run.LinksFrom, run.SetsFrom, run.Measuring = r.Cluster.Links(), r.Cluster.Sets(), r.Cluster.Took().Seconds()
	}
	if k := r.checkpoint; k != nil && k.Source() != nil {
		run.Restarted = k.Source().String()
	}
}

// facts returns the facts of the run that are known before its first superstep.
func (s *starter) facts() account.Facts {
	r, set, comm := s.r, s.set, s.r.Home.Comm
	f := account.Facts{Where: r.Home.Where, Platform: &r.Cluster.Platform, Hosts: r.Cluster.Hosts, Warnings: r.Cluster.Warnings()}
	if cores := runtime.GOMAXPROCS(0); !set.MPI && !r.Timing.Clock.Emulated() && comm.Size() > cores {
		f.Warnings = append(f.Warnings, fmt.Sprintf(
			"%d ranks share %d cores: a rank that waits for a core is seen as waiting in the barrier, and its time as unexplained", comm.Size(), cores))
	}
	return f
}

// finish begins rescheduling, and for an account of this machine determines the link class between
// the ranks.
func (s *starter) finish() *failure.Error {
	r, comm := s.r, s.r.Home.Comm
	if s.places.Moves {
		r.begin(*s.set.Balance)
	}
	if r.Timing.Settle() && !r.Timing.Clock.Emulated() {
		r.Home.Stream.Ways.Classify(comm.Size(), func(to int) ledger.Way {
			return WayBetween(comm, comm.Rank(), to, func(rank int) int { return r.Cluster.Platform.Ranks[rank].Set })
		})
	}
	return nil
}

// WayBetween returns the link class between two ranks.
func WayBetween(comm mpi.Comm, a, b int, setOf func(rank int) int) ledger.Way {
	switch {
	case a == b:
		return ledger.WithinRank
	case comm.Engine().Nodes[a] == comm.Engine().Nodes[b]:
		return ledger.WithinNode
	case setOf(a) == setOf(b):
		return ledger.WithinSet
	}
	return ledger.BetweenSets
}
