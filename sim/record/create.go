package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// Recording is the record of a run that is being simulated.
type Recording struct {
	book   ledger.Account
	config *sim.Config
	result ledger.Result // the part known before the run
	where  []int32       // of each process now
	steps  steps
	loads  loads
	moves  pendingMoves
}

// About contains facts of a run that the simulator cannot determine.
type About struct {
	Title    string // of the workload
	Program  string // and the command that does it
	Args     []string
	Recorded string // the program whose record is the workload, "" for other workloads
	Size     string // of that program's problem
	Platform string // file
	Strategy string
	Settings []ledger.Setting
	Started  time.Time
}

// Create begins the record of a run in a directory, which it makes if it is not there.
//
// Errors: the directory cannot be written to, or has a record already; or two Sets of the
// platform have no route.
func Create(dir string, about About, config *sim.Config) (*Recording, error) {
	r := &Recording{config: config, result: ledger.Result{Title: about.Title, Size: about.Size}, where: slices.Clone(config.Where)}
	seen, err := waysOf(config.Platform, config.Barrier)
	if err != nil {
		return nil, err
	}
	recorder, err := ledger.Create(dir, nil)
	if err != nil {
		return nil, err
	}
	r.book.Recorder = recorder.Unhurried()
	r.book.Enter(about.run(config.Where, &seen)) // each host is a rank
	r.steps.open(config)
	r.loads.open(config, recorder)
	return r, nil
}

// waysOf returns the ranks of a platform, and the links between its Sets.
func waysOf(p *sim.Platform, barrier sim.Barrier) (rebalancer.Platform, error) {
	seen, err := p.Seen(barrier)
	if err != nil {
		err = fmt.Errorf("a record needs the ways between all Sets: %w", err)
	}
	return seen, err
}

// run returns the first line of the record of processes that are on ranks.
func (about *About) run(where []int32, ranks *rebalancer.Platform) *ledger.Run {
	build := ledger.ThisBuild()
	run := &ledger.Run{
		Program: about.Program, Args: about.Args, Version: build.Version, Commit: build.Commit, Started: about.Started,
		Engine: "simulation", Simulated: true, Procs: len(where), Mapping: ledger.MappingOf(where),
		LinksFrom: "platform", SetsFrom: "platform", Platform: about.Platform, Recorded: about.Recorded, Strategy: about.Strategy, Settings: about.Settings,
	}
	decided.Platform(run, ranks)
	return run
}

// Report returns the functions that record a simulated run.
func (r *Recording) Report() sim.Report { return sim.Report{Step: r.step, Call: r.call} }

// Close ends the record of a run with the result of sim.Run, and returns the first error of
// the run or of writing.
func (r *Recording) Close(result *sim.Result, failure error) error {
	end := &ledger.End{Supersteps: r.book.Steps(), At: r.book.Whole().Elapsed}
	if failure != nil {
		end.Code, end.Reason = 1, failure.Error()
		r.book.Recorder.Close(end, nil)
		return failure
	}
	r.moves.close(r, result.Time)
	r.loads.close(&r.book)
	r.book.Stop(result.Time)
	r.book.Machine = r.steps.machine()
	r.book.Result = &r.result
	end.At, end.Machine, end.Result = result.Time, r.book.Machine, r.book.Result
	if err := ledger.KeepMapping(r.book.Recorder.Dir(), &r.book); err != nil {
		return fmt.Errorf("the last mapping of the simulated run: %w", err)
	}
	if err := r.book.Recorder.Close(end, tell.Of(&r.book, end).Summary()); err != nil {
		return fmt.Errorf("the record of the simulated run is not complete: %w", err)
	}
	return nil
}
