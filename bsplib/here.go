package bsplib

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// This file is for programs with a main function in another language, and for programs that
// initialize MPI themselves.

// MainHere is Main for a program with one process on each rank. It returns the exit code. The
// process runs on the goroutine that calls MainHere, and so on its thread if it is locked to one;
// it does not move. While its function waits, for example for a calling program in another
// language, the goroutine that it waits for may use the process.
func MainHere[S any](program func(*Proc, *S) error, o Options) (code int) {
	about := o.program()
	about.Stays = true
	return app.Run(about, &runner{program: programHere(program)})
}

func programHere[S any](f func(*Proc, *S) error) *process.Program {
	p := programOf(f)
	p.Here = true
	return p
}

// RunOn is Run on the ranks of a communicator, for programs that have initialized MPI
// themselves. All ranks of the communicator must call it; it returns when the program has
// ended on all of them. cfg.Comm and cfg.Ranks must not be set. The rank runs on the goroutine
// that calls RunOn. If MPI was initialized without threads, that goroutine must be locked to
// the thread that initialized MPI.
//
// Settings of rescheduling and of the account that cfg leaves open come from rank 0's
// environment and configuration files, as for programs that Main runs: MIGBSP_BALANCE,
// MIGBSP_HOSTS, MIGBSP_SETS, MIGBSP_PROBE, MIGBSP_SHAKE and MIGBSP_WHY; MIGBSP_RUN_DIR; and
// MIGBSP_TABLE or MIGBSP_FORMAT, without which RunOn prints no account. A second run of the
// program writes its record to another directory, whose name ends in -2. If such a setting is
// invalid, RunOn returns ErrSettings, and rank 0 has printed the cause.
func RunOn[S any](on mpi.Handle, cfg Config, program func(*Proc, *S) error) error {
	return runOnHandle(on, cfg, programOf(program), nil)
}

// HereOn is RunOn with one process on each rank, as in MainHere, and with settings that may also
// be given as command-line arguments.
func HereOn[S any](on mpi.Handle, arguments []string, program func(*Proc, *S) error) error {
	return runOnHandle(on, Config{}, programHere(program), arguments)
}

// ErrSettings is the error of RunOn for invalid settings in the environment or in files.
var ErrSettings = app.ErrReported

func runOnHandle(on mpi.Handle, cfg Config, program *process.Program, arguments []string) error {
	if cfg.Comm != nil {
		return errors.New("bsplib: RunOn makes the Comm of the communicator: Config.Comm is not set")
	}
	comm, err := mpi.On(on, probe.CoresOf(probe.Root()).Quota)
	if err != nil {
		return fmt.Errorf("bsplib: %w", err)
	}
	cfg.Comm, cfg.set.Here = comm, true
	if err := cfg.check(); err != nil {
		return err
	}
	if err := cfg.openCheckpoint(program); err != nil {
		return fmt.Errorf("bsplib: Config.Checkpoint: %w", err)
	}
	s := &section{whole: runner{program: program}, cfg: &cfg}
	err = app.RunSection(&app.Program{Stays: program.Here, OwnOutput: program.Here}, s, comm, arguments)
	switch {
	case s.failure != nil && s.known:
		comm.Close()
		return (*Error)(s.failure)
	case s.failure != nil:
		return (*Error)(s.failure)
	case err != nil:
		comm.Close()
		return fmt.Errorf("bsplib: %w", err)
	}
	return comm.Close()
}

// section is a part of a program of MPI. It implements app.Runner.
type section struct {
	whole   runner // the runner of the program alone
	cfg     *Config
	failure *failure.Error // the error that ended it
	known   bool           // on all ranks
}

func (s *section) Request()                                       {}
func (s *section) Drain(hosts []DrainedHost)                      { s.whole.Drain(hosts) }
func (s *section) Movable() error                                 { return s.whole.Movable() }
func (s *section) Resume(p *app.Plan) (*checkpoint.Source, error) { return s.whole.Resume(p) }

func (s *section) Sizes(p *app.Plan) (procs, ranks int, err error) {
	c := s.config(p)
	p.Balance, p.Shake = c.Balance, c.Shake
	procs, ranks = c.sizes()
	return procs, ranks, nil
}

func (s *section) Run(p *app.Plan, _ func(*failure.Error)) (*failure.Error, bool) {
	s.failure, s.known = runOn(p.Comms, s.config(p), s.whole.program, nil, func(*failure.Error) {})
	return s.failure, s.known
}

func (s *section) Measure(p *app.Plan, _ func(*failure.Error)) (machine *ledger.Machine, e *failure.Error, known bool) {
	machine, s.failure, s.known = measureMachine(p.Comms, p.Comm, p.Account, func(*failure.Error) {})
	return machine, s.failure, s.known
}

// config returns the program's Config, completed from the plan.
func (s *section) config(p *app.Plan) Config {
	c := *s.cfg
	if c.Balance == nil && !c.Shake {
		c.Balance, c.Shake = p.Balance, p.Shake
	}
	if c.Account == nil && !c.Measure {
		c.Account, c.Measure = p.Account, p.Measure
	}
	c.Platform, c.Sets = cmp.Or(c.Platform, p.Platform), cmp.Or(c.Sets, p.Sets)
	c.Drains, c.Result, c.Calls = cmp.Or(c.Drains, &s.whole.drains), cmp.Or(c.Result, p.Result), cmp.Or(c.Calls, p.Calls)
	c.ProbeShare = cmp.Or(c.ProbeShare, p.Probe)
	if c.Progress == nil {
		c.Progress = p.Progress
	}
	if c.Explain == nil {
		c.Explain = p.Why
	}
	return c
}
