package bsplib

import (
	"errors"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// This file is for programs that this library is only a part of: whose main function is in another
// language, or that have begun MPI themselves.

// MainHere is Main for a program with one process on each rank, which returns the exit code. The
// process runs on the goroutine that calls MainHere, and so on its thread if it is locked to one;
// it does not move. While its function waits for something, as for a program in another language
// that calls it, the process may be used from the goroutine that this is left to.
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

// RunOn is Run on the ranks of a communicator of a program that has begun MPI itself. All of these
// call it, and it returns when the program has ended on all. cfg.Comm and cfg.Ranks are not set.
// The rank runs on the goroutine that calls RunOn: where MPI was begun without threads, that is
// one which is locked to the thread that has begun it.
func RunOn[S any](on mpi.Handle, cfg Config, program func(*Proc, *S) error) error {
	return runOnHandle(on, cfg, programOf(program))
}

// HereOn is RunOn with one process on each rank, as MainHere has it.
func HereOn[S any](on mpi.Handle, program func(*Proc, *S) error) error {
	return runOnHandle(on, Config{}, programHere(program))
}

func runOnHandle(on mpi.Handle, cfg Config, program *process.Program) error {
	if cfg.Comm != nil {
		return errors.New("bsplib: RunOn makes the Comm of the communicator: Config.Comm is not set")
	}
	comm, err := mpi.On(on, probe.CoresOf(probe.Root()).Quota)
	if err != nil {
		return fmt.Errorf("bsplib: %w", err)
	}
	cfg.Comm, cfg.here = comm, true
	if err := cfg.check(); err != nil {
		return err
	}
	if err := cfg.openCheckpoint(program); err != nil {
		return fmt.Errorf("bsplib: Config.Checkpoint: %w", err)
	}
	if failure, known := runOn([]mpi.Comm{comm}, cfg, program, nil, func(*Error) {}); failure != nil {
		if known {
			comm.Close()
		}
		return failure
	}
	return comm.Close()
}
