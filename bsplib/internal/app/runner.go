package app

import (
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Runner is a program in the engine that runs it. All ranks make the same calls
// in the same order, but for Request.
type Runner interface {
	// Request asks the run for a checkpoint, and then to end. Any goroutine of any
	// rank may call it at any time.
	Request()
	// Drain says which hosts the run is to leave, instead of those of the last Drain. Any
	// goroutine of rank 0 may call it at any time.
	Drain(hosts []drain.Host)
	// Movable returns why processes' states can neither be moved nor written, nil
	// if they can.
	Movable() error
	// Sizes are the numbers of processes and ranks that the plan comes to.
	//
	// Errors: there is not enough memory for so many. All ranks get the same.
	Sizes(plan *Plan) (procs, ranks int, err error)
	// Resume finds the checkpoint that the plan goes on from: rank 0 looks at its
	// files and all learn of it. The result is nil if Restart is RestartAuto and
	// there is none. Run then goes on from it.
	//
	// Errors: there is no such checkpoint, or it is not of this program with this
	// number of processes and these parameters. All ranks get the same.
	Resume(plan *Plan) (*checkpoint.Source, error)
	// Run runs the program on this Go program's ranks and returns what ended it,
	// nil if all processes returned nil, and whether all ranks know it. A failure that only
	// one rank knows is given to alarm at once, for the others may never hear of it otherwise.
	Run(plan *Plan, alarm func(*failure.Error)) (e *failure.Error, known bool)
	// Measure measures on the same ranks, with a program of its own, what plan.Account, after
	// the run, does not say of g and l. All ranks take part; rank 0 gets the figures, nil if
	// there was nothing to measure.
	Measure(plan *Plan, alarm func(*failure.Error)) (machine *ledger.Machine, e *failure.Error, known bool)
}

// Plan is what the program's settings ask of the engine.
type Plan struct {
	driver.Settings
	Comm         mpi.Comm
	Comms        []mpi.Comm // the ranks of this Go program: Comm, or all in-process ranks
	Procs, Ranks int
	Restart      string // the checkpoint to go on from, or RestartAuto; "": none
}

// RestartAuto is the value of -restart that stands for the newest checkpoint in
// the -checkpoint directory, or for none if there is none.
const RestartAuto = "auto"
