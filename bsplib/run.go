package bsplib

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Config says how a program is run. The zero value runs one process on each
// core.
type Config struct {
	// Procs is the number of logical processes; 0 means one for each rank.
	Procs int
	// Ranks is the number of in-process ranks; 0 means one for each core, but
	// no more than processes. It must be 0 when Comm is given.
	Ranks int
	// Comm is this rank's side of an MPI run, where there is one.
	Comm mpi.Comm
	// Book receives the account of the run on rank 0; nil keeps none.
	// All ranks agree on whether there is one: see Accounted.
	Book *ledger.Book
	// Accounted makes ranks of an MPI run that have no Book measure too.
	Accounted bool
}

// Run runs a program to its end and returns what ended it, nil if all
// processes returned nil. S is the program's state: what a process is between
// two stages. Each process starts with a zero S.
//
// Run itself never prints and never ends the Go program; in an MPI run, a
// failure calls no Abort, which is left to the caller.
func Run[S any](cfg Config, program func(*Proc, *S) error) error {
	body := func(p *Proc) error { return program(p, new(S)) }
	if err := cfg.check(); err != nil {
		return err
	}
	if err := run(cfg, body); err != nil {
		return err
	}
	return nil
}

func (cfg Config) check() error {
	switch {
	case cfg.Procs < 0:
		return fmt.Errorf("bsplib: Config.Procs is %d; at least one process is needed, or 0 for as many as ranks", cfg.Procs)
	case cfg.Ranks < 0:
		return fmt.Errorf("bsplib: Config.Ranks is %d; at least one rank is needed, or 0 for one on each core", cfg.Ranks)
	case cfg.Ranks > 0 && cfg.Comm != nil:
		return fmt.Errorf("bsplib: Config.Ranks is %d, but the Comm has its own ranks", cfg.Ranks)
	}
	return nil
}

func run(cfg Config, body func(*Proc) error) *Error {
	comms := []mpi.Comm{cfg.Comm}
	if cfg.Comm == nil {
		comms = mpi.InProcess(inProcessRanks(cfg))
	}
	return runOn(comms, cfg, body, nil)
}

// inProcessRanks is the number of ranks that the configuration asks for.
func inProcessRanks(cfg Config) int {
	if cfg.Ranks > 0 {
		return cfg.Ranks
	}
	cores := runtime.GOMAXPROCS(0)
	if cfg.Procs > 0 {
		return min(cfg.Procs, cores)
	}
	return cores
}

// runOn runs body on those of a run's ranks that live in this process. If a
// rank fails alone and alarm is not nil, it calls alarm at once.
func runOn(comms []mpi.Comm, cfg Config, body func(*Proc) error, alarm func(*Error)) *Error {
	procs := cfg.Procs
	if procs == 0 {
		procs = comms[0].Size()
	}
	failures := make([]*Error, len(comms))
	var wg sync.WaitGroup
	for i, comm := range comms {
		wg.Go(func() {
			runRank(comm, procs, cfg, body, func(f *Error) {
				failures[i] = f
				if f == nil || f.known {
					return
				}
				if alarm != nil && !errors.Is(f, mpi.ErrAborted) {
					alarm(f)
				}
				if cfg.Comm == nil {
					comm.Abort(ExitFailed)
				}
			})
		})
	}
	wg.Wait()
	return firstFailure(failures)
}

// runRank drives one rank and calls done with what ended it, nil if nothing
// but its end, also when a process ends the goroutine.
func runRank(comm mpi.Comm, procs int, cfg Config, body func(*Proc) error, done func(*Error)) {
	r := newRank(comm, procs, body)
	r.account.on = cfg.Book != nil || cfg.Accounted
	if comm.Rank() == 0 {
		r.account.keep(cfg.Book)
	}
	r.account.slow = -1
	var failure *Error
	defer func() {
		for _, p := range r.procs {
			if failure == nil && p.failure != nil {
				failure = p.failure
			}
		}
		done(failure)
	}()
	failure = r.drive()
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
