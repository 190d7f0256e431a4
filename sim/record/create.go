package record

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/sim"
)

// Recording is the record of a run that is being simulated.
type Recording struct {
	book   ledger.Account
	config *sim.Config
	title  string
	where  []int32 // of each process now
	steps  steps
	loads  loads
	moves  pendingMoves
	failed error // of writing
}

// About has the facts of a run that the simulator does not know.
type About struct {
	Title    string // of the workload
	Program  string // and the command that does it
	Args     []string
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
	r := &Recording{config: config, title: about.Title, where: append([]int32(nil), config.Where...)}
	run, err := head(about, config)
	if err != nil {
		return nil, err
	}
	recorder, err := ledger.Create(dir, func(err error) { r.failed = err })
	if err != nil {
		return nil, err
	}
	r.book.Recorder = recorder.Unhurried()
	r.book.Enter(run)
	r.steps.open(config)
	r.loads.open(config, recorder)
	return r, nil
}

// head returns the first line of the record. Each host is a rank.
func head(about About, config *sim.Config) (*ledger.Run, error) {
	seen, err := config.Platform.Seen(config.Barrier)
	if err != nil {
		return nil, fmt.Errorf("a record needs the ways between all Sets: %w", err)
	}
	build := ledger.ThisBuild()
	run := &ledger.Run{
		Program: about.Program, Args: about.Args, Version: build.Version, Commit: build.Commit, Started: about.Started,
		Engine: "simulation", Simulated: true, Procs: len(config.Where), Mapping: ledger.MappingOf(config.Where),
		LinksFrom: "platform", SetsFrom: "platform", Platform: about.Platform, Strategy: about.Strategy, Settings: about.Settings,
	}
	decided.Platform(run, &seen)
	return run, nil
}

// Report returns the functions by which a simulated run is recorded.
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
	r.book.Result = &ledger.Result{Title: r.title}
	end.At, end.Machine, end.Result = result.Time, r.book.Machine, r.book.Result
	if err := r.book.Recorder.Close(end, tell.Of(&r.book, end).Summary()); err != nil {
		return fmt.Errorf("the record of the simulated run is not complete: %w", err)
	}
	return nil
}
