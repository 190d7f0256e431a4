package app

import (
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Runner runs a program in the engine. All ranks make the same calls in the same order, except for
// Request and Drain.
type Runner interface {
	// Request requests a checkpoint and then the end of the run. Any goroutine of any rank may call
	// it at any time.
	Request()
	// Drain sets the hosts that the run must leave. It replaces the list of the last Drain. Any
	// goroutine of rank 0 may call it at any time.
	Drain(hosts []drain.Host)
	// Movable returns the reason why processes can neither move nor be written to disk, nil if they
	// can.
	Movable() error
	// Sizes returns the numbers of processes and ranks by the plan.
	//
	// Errors: not enough memory for these numbers. All ranks get the same error.
	Sizes(plan *Plan) (procs, ranks int, err error)
	// Resume finds the checkpoint that the plan resumes from: rank 0 reads its files and all ranks
	// get the result. The result is nil if Restart is RestartAuto and no checkpoint exists. Run then
	// resumes from it.
	//
	// Errors: the checkpoint does not exist, or it is not of this program with this number of
	// processes and these parameters. All ranks get the same error.
	Resume(plan *Plan) (*checkpoint.Source, error)
	// Run runs the program on this Go program's ranks. It returns the failure that ended the run, nil
	// if all processes returned nil, and reports whether all ranks have that failure. Run passes a
	// failure of a single rank to alarm at once, because the other ranks may never learn of it
	// otherwise.
	Run(plan *Plan, alarm func(*failure.Error)) (e *failure.Error, known bool)
	// Measure measures the figures of g and l that are missing from plan.Account after the run, on
	// the same ranks and with a program of its own. All ranks take part; rank 0 gets the figures, nil
	// if none were missing.
	Measure(plan *Plan, alarm func(*failure.Error)) (machine *ledger.Machine, e *failure.Error, known bool)
}

// Plan holds the settings in the engine's form.
type Plan struct {
	driver.Settings
	Comm         mpi.Comm
	Comms        []mpi.Comm // the ranks of this Go program: Comm, or all in-process ranks
	Procs, Ranks int
	Restart      string // the checkpoint to resume from, or RestartAuto; "": none
}

// RestartAuto is the value of -restart for the newest checkpoint in the -checkpoint directory, if
// any.
const RestartAuto = "auto"
