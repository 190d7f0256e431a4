package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/mpi"
)

// Run runs a program to its end and returns what ended it, nil if all
// processes returned nil. S is the program's state: what a process is between
// two stages. Each process starts with a zero S.
//
// Run is a library: it neither prints nor ends the Go program, catches no signals
// and reads no command line. Of the environment it reads what resource managers
// and MIGBSP_SETS say about hosts, Sets and the job. In an MPI run a failure calls
// no Abort, which is left to the caller; if the failure is that another rank does
// not answer, this rank still waits for it when Run returns.
func Run[S any](cfg Config, program func(*Proc, *S) error) error {
	if err := cfg.check(); err != nil {
		return err
	}
	p := programOf(program)
	if err := cfg.openCheckpoint(p); err != nil {
		return fmt.Errorf("bsplib: Config.Checkpoint: %w", err)
	}
	if err := run(cfg, p); err != nil {
		return err
	}
	return nil
}

func run(cfg Config, program *program) *Error {
	comms := []mpi.Comm{cfg.Comm}
	if cfg.Comm == nil {
		comms = mpi.InProcess(inProcessRanks(cfg))
	}
	ended, stuck := make(chan *Error, 1), make(chan *Error, 1)
	go func() {
		ended <- runOn(comms, cfg, program, nil, func(e *Error) {
			select {
			case stuck <- e:
			default:
			}
		})
	}()
	select {
	case e := <-ended:
		return e
	case e := <-stuck:
		return e
	}
}

// runOn runs a program on those of a run's ranks that live in this process. If
// a rank fails alone and failed is not nil, it calls failed at once; if one waits
// in vain for another, stuck.
func runOn(comms []mpi.Comm, cfg Config, program *program, failed, stuck func(*Error)) *Error {
	procs := cfg.Procs
	if procs == 0 {
		procs = comms[0].Size()
	}
	failures := make([]*Error, len(comms))
	var shared *clock.Platform
	if cfg.emulates() {
		shared = clock.NewPlatform(filepath.Base(cfg.Platform.Name), cluster.PlatformOf(cfg.Platform), program.where(procs, len(comms)))
	}
	var wg sync.WaitGroup
	for i, comm := range comms {
		run := func() {
			runRank(comm, procs, cfg, program, shared, stuck, func(f *Error) {
				failures[i] = f
				if f == nil || f.known {
					return
				}
				if failed != nil && !errors.Is(f, mpi.ErrAborted) {
					failed(f)
				}
				if cfg.Comm == nil {
					comm.Abort(ExitFailed)
				}
			})
		}
		if cfg.here {
			run()
		} else {
			wg.Go(run)
		}
	}
	wg.Wait()
	return firstFailure(failures)
}

// runRank drives one rank and calls done with what ended it, nil if the program
// ended well. It does so also if a process calls runtime.Goexit. It calls stuck, and stays,
// if the rank waits for another that does not answer.
func runRank(comm mpi.Comm, procs int, cfg Config, program *program, shared *clock.Platform, stuck, done func(*Error)) {
	r := newRank(comm, procs, program)
	r.crew.here = cfg.here
	r.cluster.Silent = func(err error) {
		stuck(&Error{Kind: KindEngine, Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step, Text: err.Error()})
	}
	var failure *Error
	defer func() {
		for _, p := range r.crew.procs {
			if failure == nil && p.failure != nil {
				failure = p.failure
			}
		}
		done(failure)
	}()
	if shared != nil || program.fixed != nil { // whose memory may hold addresses of the thread
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	failure = r.introduce()
	if failure == nil {
		failure = r.equip(cfg, shared)
	}
	if failure == nil {
		failure = r.drive()
	}
}

// equip gives the rank what the configuration asks for.
func (r *rank) equip(cfg Config, shared *clock.Platform) *Error {
	if r.comm.Rank() == 0 {
		r.outcome.why, r.outcome.callLog, r.outcome.log, r.outcome.result = cfg.Explain, cfg.Calls, cfg.Progress, cfg.Result
		r.outcome.screen, _ = cfg.Progress.(account.Screen)
	}
	if cfg.pulse != nil {
		r.now.pulse = cfg.pulse
	}
	r.unrest.shake = cfg.Shake
	if cfg.scatter != 0 {
		r.unrest.scatter = rand.New(rand.NewPCG(cfg.scatter, 0))
	}
	places := cluster.Settings{
		MPI: cfg.Comm != nil, Sets: cfg.Sets, File: cfg.Platform, Share: max(0, cmp.Or(cfg.ProbeShare, cluster.UsualShare)),
		Moves: cfg.Balance != nil && !cfg.Balance.Off() && r.comm.Size() > 1,
	}
	if err := r.findPlaces(&cfg, places); err != nil {
		return err
	}
	r.separate = cfg.Comm != nil
	if cfg.Drains != nil {
		r.emptying = drain.NewEmptying(&cfg.Drains.hosts, r.cluster.Hosts, r.comm.Rank())
	}
	r.timing.clock = clock.NewReal(cfg.work)
	if shared != nil {
		r.now.office = shared.Rank(r.comm.Rank(), cfg.work, r.barrierOnly)
		r.timing.clock = r.now.office
	}
	r.channels.calls, r.channels.moves = r.channels.control.Metered(r.timing.clock.Calls()), r.channels.control.Metered(r.timing.clock.Moves())
	r.mover = r.newMover()
	if places.Moves {
		if err := r.cluster.Calibrate(places, r.stream.Side, r.timing.clock.Emulated() || cfg.work != nil); err != nil {
			return r.engineError(err)
		}
		r.cluster.Platform.Leave = !r.timing.clock.Emulated()
	}
	if r.outcome.log != nil && cfg.Account != nil {
		r.cluster.Print(r.outcome.log, cfg.Account.Run.Program)
	}
	if err := r.equipCheckpoint(&cfg); err != nil {
		return err
	}
	r.timing.clock.Start()
	if err := r.openAccount(&cfg); err != nil {
		return err
	}
	if places.Moves {
		r.newBalance(*cfg.Balance)
	}
	r.timing.followed = r.timing.clock.NeedsTraffic()
	r.timing.measured = r.timing.account.Kept() || r.timing.followed
	r.classifyWays()
	return nil
}

// firstFailure picks the cause among the failures it has led to: of several
// ranks' word for the same error that of the rank where it happened.
func firstFailure(failures []*Error) *Error {
	var first *Error
	for _, f := range failures {
		switch {
		case f == nil || first != nil && errors.Is(f, mpi.ErrAborted):
		case first == nil || errors.Is(first, mpi.ErrAborted) || first.Err == nil && f.Err != nil:
			first = f
		}
	}
	return first
}
