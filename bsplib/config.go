package bsplib

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// Config configures a run. The zero value runs one process on each core.
type Config struct {
	// Procs is the number of logical processes; 0 means one for each rank.
	Procs int
	// Ranks is the number of in-process ranks; 0 means one for each core, but
	// no more than processes. It must be 0 if Comm is set.
	Ranks int
	// Comm is this rank's communicator in an MPI run, and nil in other runs.
	Comm mpi.Comm
	// Account receives the account of the run on rank 0; nil keeps none. If rank 0
	// of an MPI run has one, the other ranks must set Measure.
	Account *ledger.Account
	// Measure makes a rank of an MPI run measure for the account that rank 0 keeps.
	Measure bool
	// Result receives the result that process 0 reported, on rank 0.
	Result *ledger.Result
	// Progress receives a line now and then on the progress of the program, on rank 0.
	// It needs the account.
	Progress io.Writer
	// Balance configures rescheduling; nil moves only processes that ask for it.
	Balance *rebalancer.Spec
	// Start is the initial mapping: "blocks", equal blocks of consecutive processes; "speeds",
	// blocks in proportion to the speed of each rank and its share of a core; a mapping file; or
	// "auto". The default is "auto", or "blocks" if Balance is set to another strategy than auto.
	Start string
	// Platform describes hosts, their Sets and links. In-process it also sets
	// the number of ranks. If it gives speeds or rates the platform is emulated:
	// the run's times are then times on that platform.
	Platform *hostfile.File
	// Sets assigns the hosts of an MPI run to Sets. If it is nil, Platform, the
	// environment or the resource manager does; without any, all hosts form one Set.
	Sets *hostfile.File
	// ProbeShare is the maximum share of the run's time for measuring the machine during the
	// run; 0 means 0.005. On MPI ranks speeds and links are also measured before the run.
	// If it is negative neither is measured, and Platform's values or defaults are used.
	ProbeShare float64
	// Checkpoint configures checkpoints and restart; nil disables both.
	Checkpoint *Checkpoint
	// Drains lists the hosts that the run must leave, set from outside the program; nil: none.
	Drains *Drains
	// Shake moves every process after every stage. It changes the result of a program that
	// keeps data outside its state, so that tests can detect it.
	Shake bool
	// Explain receives the reasons of each rescheduling call, on rank 0.
	Explain io.Writer
	// Calls receives the inputs of each rescheduling decision, on rank 0, if it decides.
	Calls *calls.Writer

	set driver.Settings // settings replaces those that the fields above cover
}

func (cfg Config) check() error {
	switch {
	case cfg.Procs < 0:
		return fmt.Errorf("bsplib: Config.Procs is %d; at least one process is needed, or 0 for as many as ranks", cfg.Procs)
	case cfg.Ranks < 0:
		return fmt.Errorf("bsplib: Config.Ranks is %d; at least one rank is needed, or 0 for one on each core", cfg.Ranks)
	case cfg.Ranks > 0 && cfg.Comm != nil:
		return fmt.Errorf("bsplib: Config.Ranks is %d, but the Comm has its own ranks", cfg.Ranks)
	case cfg.Platform != nil && cfg.Ranks > 0 && cfg.Ranks != cfg.Platform.Ranks():
		return fmt.Errorf("bsplib: Config.Ranks is %d, but %s has slots for %d ranks", cfg.Ranks, cfg.Platform.Name, cfg.Platform.Ranks())
	case cfg.Shake && cfg.Balance != nil && !cfg.Balance.Off():
		return fmt.Errorf("bsplib: Config.Shake moves all processes, so that Config.Balance cannot decide")
	}
	if err := cfg.checkSize(); err != nil {
		return fmt.Errorf("bsplib: %w", err)
	}
	return nil
}

// Minimum memory of a run, in bytes, without the program's own. The values are
// below the measured ones, so that no run that fits is refused.
const (
	procBytes  = 512 // a process, without a stack: see EachStage
	entryBytes = 20  // each rank's entry for each process
	pairBytes  = 360 // the empty buffers of an in-process rank for another
)

// checkSize compares the minimum memory of the processes and ranks with the
// memory available on the node. Under MPI all ranks must call it; it reports the
// node that lacks most.
func (cfg *Config) checkSize() error {
	const smallRun = 64 << 20 // not checked
	procs, ranks := cfg.sizes()
	p, r := float64(procs), float64(ranks)
	if p*(procBytes+entryBytes*r)+r*r*pairBytes < smallRun {
		return nil
	}
	need, have := p*(procBytes+entryBytes*r)+r*r*pairBytes, probe.AvailableMemory()
	if cfg.Comm != nil {
		need = p * (procBytes/r + entryBytes) * float64(mpi.RanksHere(cfg.Comm))
	}
	if have == 0 {
		have = 1 << 47 // the address space of a process
	}
	needed := int64(min(need, math.MaxInt64/2))
	if cfg.Comm != nil {
		worst := []int64{have - needed, have}
		if err := mpi.Combine(cfg.Comm, mpi.Min, worst); err != nil {
			return err
		}
		have, needed = worst[1], worst[1]-worst[0]
	}
	if needed > have {
		return fmt.Errorf("%d processes on %d ranks need at least %s of memory, but only %s are available on a node",
			procs, ranks, ledger.Bytes(needed), ledger.Bytes(have))
	}
	return nil
}

// sizes returns the numbers of processes and of ranks.
func (cfg *Config) sizes() (procs, ranks int) {
	if cfg.Comm != nil {
		ranks = cfg.Comm.Size()
	} else {
		ranks = inProcessRanks(*cfg)
	}
	return cmp.Or(cfg.Procs, ranks), ranks
}

// inProcessRanks returns the number of ranks that the configuration asks for.
func inProcessRanks(cfg Config) int {
	if cfg.Platform != nil {
		return cfg.Platform.Ranks()
	}
	if cfg.Ranks > 0 {
		return cfg.Ranks
	}
	cores := runtime.GOMAXPROCS(0)
	if cfg.Procs > 0 {
		return min(cfg.Procs, cores)
	}
	return cores
}

// settings returns the engine's settings for the configuration.
func (cfg *Config) settings() *driver.Settings {
	s := cfg.set
	s.MPI, s.Platform, s.Sets, s.Probe = cfg.Comm != nil, cfg.Platform, cfg.Sets, cfg.ProbeShare
	s.Balance, s.Start, s.Shake = cfg.Balance, &placement.Request{How: cfg.Start}, cfg.Shake
	s.Account, s.Measure, s.Result, s.Progress, s.Why, s.Calls = cfg.Account, cfg.Measure, cfg.Result, cfg.Progress, cfg.Explain, cfg.Calls
	if cfg.Drains != nil {
		s.Drains = &cfg.Drains.hosts
	}
	return &s
}
