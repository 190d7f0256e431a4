package bsplib

import (
	"cmp"
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/mpi"
)

// Run runs a program to its end and returns the error that ended it, nil if all
// processes returned nil. S is the type of the program's state, which is all
// that a process keeps between two stages. Each process starts with a zero S.
//
// Run neither prints nor ends the Go program, catches no signals and reads no
// command line. From the environment it reads only MIGBSP_SETS and the
// resource manager's variables for hosts, Sets and the job. In an MPI run a failure calls
// no Abort, which is left to the caller; if the failure is that another rank does
// not answer, this rank still waits for it when Run returns.
func Run[S any](cfg Config, program func(*Proc, *S) error) error {
	if err := cfg.check(); err != nil {
		return err
	}
	p := programOf(program)
	err := cfg.openCheckpoint(p)
	if c := cfg.set.Checkpoint; c != nil {
		defer c.Lock.Release()
	}
	if err != nil {
		return fmt.Errorf("bsplib: Config.Checkpoint: %w", err)
	}
	if e := run(cfg, p); e != nil {
		return (*Error)(e)
	}
	return nil
}

func run(cfg Config, program *process.Program) *failure.Error {
	comms := []mpi.Comm{cfg.Comm}
	if cfg.Comm == nil {
		comms = mpi.InProcess(inProcessRanks(cfg))
	}
	ended, stuck := make(chan *failure.Error, 1), make(chan *failure.Error, 1)
	go func() {
		e, _ := runOn(comms, cfg, program, nil, func(e *failure.Error) {
			select {
			case stuck <- e:
			default:
			}
		})
		ended <- e
	}()
	select {
	case e := <-ended:
		return e
	case e := <-stuck:
		return e
	}
}

// runOn runs a program on the ranks that live in this operating system process, and reports
// whether all ranks have the error that ended it. If a rank fails alone and failed is not nil,
// it calls failed at once; if a rank waits in vain for another, it calls stuck.
func runOn(comms []mpi.Comm, cfg Config, program *process.Program, failed, stuck func(*failure.Error)) (e *failure.Error, known bool) {
	return driver.Run(comms, cmp.Or(cfg.Procs, comms[0].Size()), cfg.settings(), program, failed, stuck)
}
