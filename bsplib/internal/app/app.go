// Package app makes a program of the engine: it does all of bsplib.Main that is
// not running processes. The engine, behind the interface Runner, is a library:
// it knows no flags, prints nothing, catches no signals and never ends the Go
// program. Main does these, and nothing below it.
//
// Four types hold what there is: a configuration, what the program was asked for and the
// plan that this comes to; messages, what is printed beside the result; a recording, the
// account of the run and its record; and the application, which takes the program through
// all of it.
//
// The main concepts are:
//
// The lead rank. Under MPI a program is as many Go programs as ranks, and all of
// them call Main. Rank 0 leads: it reads the settings, prints, and writes the
// record; in-process, where one Go program has all ranks, that one leads. What
// all ranks find alike only the lead prints. What a rank finds alone, such as a
// file that its host lacks, it prints itself.
//
// Settings. Each is a flag, of all programs or of this one. The command line
// comes before the environment (MIGBSP_RUN_DIR for -run-dir), that before
// configuration files, they before the default: package internal/settings.
// Messages name a setting as its user has written it, wherever that was.
//
// What all ranks learn from rank 0: every setting with its origin, the text of
// the file of hosts, the checkpoint to go on from, and whether the program has
// ended already, for -help or with a refusal. Launchers do not give all ranks
// the same command line, environment and files; so rank 0's hold. All ranks then
// prepare the run in the same order, for each agreement is a collective
// operation.
//
// Exit codes. ExitOK; ExitFailed when the program or its check failed, or what was to be
// printed could not be; ExitUsage when nothing has run, for
// the settings do not fit the program or the machine; ExitCheckpointed when the
// run has been written to disk as requested and can go on; ExitLost when another rank
// was lost, which package watch reports; 128+n after signal n.
// A failure is printed once: on the lead rank if all ranks know it, else on a
// rank that found it, which then aborts the others (ending.go).
//
// The record of -run-dir. It is open from before the first superstep until the
// account is complete, which includes g and l, measured after the program has
// ended. Whatever ends the program earlier, a failure, a checkpoint or a signal,
// closes it with its reason; a recorder takes only the first end. One that cannot be
// begun ends the program before it has done anything; one that cannot be written later is
// a warning, for the result stands.
//
// Signals. Ctrl-C (SIGINT) and SIGTERM end the program at once, wherever its
// processes are, with a line that says whether there is a result already, and
// without a checkpoint. SIGUSR1 requests one: it is written when the stage has
// ended on all processes, and then the run ends.
package app

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// Main runs a program from its command line to its exit code, and ends the Go
// program with that.
func Main(program *Program, runner Runner) {
	os.Exit(Run(program, runner))
}

// application is a program on its way through Main.
type application struct {
	conf   *configuration
	record *recording
	runner Runner
	stay   bool         // processes cannot move
	watch  *watch.Watch // of this rank, nil without other processes
}

func newApplication(program *Program, runner Runner, name string) *application {
	conf := newConfiguration(program, &messages{name: name, lead: true})
	return &application{conf: conf, record: &recording{conf: conf}, runner: runner}
}

// Run is the life of a program, and its exit code.
func Run(program *Program, runner Runner) int {
	app := newApplication(program, runner, filepath.Base(os.Args[0]))
	defer watchRequests(runner.Request)()
	comm, err := mpi.Open(probe.CoresOf(probe.Root()).Quota)
	if wrong, is := errors.AsType[*mpi.LaunchError](err); is {
		return refuseLaunch(app.conf.say, wrong)
	}
	if err != nil {
		return app.conf.say.refuse(ExitFailed, err)
	}
	if comm != nil {
		app.conf.plan.Comm = comm
		app.conf.say.lead = comm.Rank() == 0
		if app.watch, err = watch.Start(comm, app.conf.say.name); err != nil {
			return app.conf.say.refuse(ExitFailed, err)
		}
		if app.watch != nil {
			app.conf.plan.Pulse = app.watch.Pulse()
		}
		defer app.watch.Done()
		defer comm.Close()
	}
	if err := checkComponents(comm, app.conf.say.lead); err != nil {
		return app.conf.say.refuse(ExitUsage, err)
	}
	return app.start(flag.CommandLine, os.Args[1:], os.Environ())
}

// start takes the program from its settings to its exit code.
func (app *application) start(flags *flag.FlagSet, args, environ []string) int {
	if code, ready := app.conf.configure(flags, args, environ); !ready {
		return code
	}
	err := app.prepare(args)
	if ended, has := errors.AsType[*endedError](err); has {
		return ended.code
	}
	if errors.Is(err, ErrReported) {
		return ExitUsage
	}
	if err != nil {
		return app.conf.say.refuse(ExitUsage, err)
	}
	defer watchSignals(app.conf, app.record, app.watch)()
	code := app.perform()
	if code == ExitOK && app.conf.program.Code != nil {
		code = app.conf.program.Code()
	}
	return code
}

// perform runs the program and prints the account of it.
func (app *application) perform() int {
	plan := app.conf.plan
	for _, next := range []func() int{app.checkCheckpoint, app.checkMoves, app.record.openFiles} {
		if code := next(); code != ExitOK {
			return code
		}
	}
	printBanner(app.conf)
	announce(app.conf)
	app.record.openAccount(app.stay)
	stop := watchDrains(app.conf, app.record, app.runner)
	e, known := app.runner.Run(plan, app.alarm())
	app.conf.say.console.close()
	stop()
	app.record.closeTable()
	code := ExitOK
	switch {
	case e == nil:
	case errors.Is(e, failure.ErrNotVerified):
		code = ExitFailed
	default:
		code, text := endOf(e)
		if app.conf.section {
			app.record.breakRecord(ExitFailed, text)
			return ExitFailed
		}
		if code != ExitFailed {
			return app.endAtCheckpoint(code, text)
		}
		return app.reportFailure(e, known)
	}
	if app.conf.say.lead {
		app.record.takeResult(code)
		if err := app.record.printResult(); err != nil {
			return app.conf.say.refuse(ExitFailed, fmt.Errorf("printing the result: %w", err))
		}
	}
	if plan.Measure && !plan.Emulates() {
		machine, e, known := app.runner.Measure(plan, app.alarm())
		if e != nil && app.conf.section {
			return ExitFailed
		}
		if e != nil {
			return app.reportFailure(e, known)
		}
		app.record.book.Fit(machine)
	}
	if !app.conf.say.lead {
		return code
	}
	app.record.closeRecord(code)
	return app.record.printAccount(code)
}

// checkMoves finds out whether processes can move at all. If not, a run that
// would move them goes on without, and says so; one that was asked to does not.
func (app *application) checkMoves() int {
	err := app.runner.Movable()
	if err == nil {
		return ExitOK
	}
	if app.conf.plan.Shake {
		return app.conf.say.refuse(ExitFailed, fmt.Errorf("%s: %w", app.conf.written("shake"), err))
	}
	wants := app.conf.plan.Balance != nil && !app.conf.plan.Balance.Off()
	if asked := app.conf.setting("balance").Origin != settings.Default; wants && (asked || !app.conf.program.Stays) {
		fmt.Fprintf(app.conf.say.stderr(), "%s: processes stay where they are: %v\n", app.conf.say.name, err)
		app.stay = true
	}
	app.conf.plan.Balance = nil
	return ExitOK
}

// alarm is for failures that a rank finds alone: other ranks may be far from a
// barrier, so that it reports the first at once and ends the whole program.
func (app *application) alarm() func(*failure.Error) {
	var first sync.Once
	return func(e *failure.Error) {
		first.Do(func() { os.Exit(app.reportFailure(e, false)) })
	}
}

// endOf is what an error that has ended a run means to the program: its exit code, and what is said.
func endOf(e *failure.Error) (code int, text string) {
	if unreadable, is := errors.AsType[*failure.Unreadable](e); is {
		return ExitUsage, unreadable.Text
	}
	if errors.Is(e, failure.ErrCheckpointed) {
		return ExitCheckpointed, e.Text
	}
	return ExitFailed, e.Error()
}

// reportFailure prints what ended the run. Unless all ranks know it, it then
// ends those of other Go programs.
func (app *application) reportFailure(e *failure.Error, known bool) int {
	if errors.Is(e, mpi.ErrAborted) { // by another rank, which reports it
		return ExitFailed
	}
	if e.Kind == failure.Engine && endIfLost(app.watch, app.record, lossPatience) {
		return ExitLost
	}
	app.watch.Failed()
	app.record.breakRecord(ExitFailed, e.Error())
	if !known {
		letOthersSpeak(app.watch, app.conf.plan.Comm, e)
	}
	if app.conf.say.lead || !known {
		fmt.Fprintf(&app.conf.say.console, "%s: %v\n", app.conf.say.name, e)
		if e.Stack != "" {
			fmt.Fprintf(&app.conf.say.console, "stack of process %d:\n%s", e.Pid, e.Stack)
		}
	}
	if !known && app.conf.plan.Comm != nil {
		app.conf.plan.Comm.Abort(ExitFailed)
	}
	return ExitFailed
}

// watchDrains tells the run which hosts to leave, for as long as it goes on. The result
// function stops that.
func watchDrains(conf *configuration, record *recording, runner Runner) (stop func()) {
	if !conf.say.lead {
		return func() {}
	}
	w := drain.Watcher{
		Record: record.recorder.Load(), Slurm: conf.leaveDrained, Ranks: func() []ledger.Rank { return record.book.Run().Ranks },
		Movable: runner.Movable, Tell: runner.Drain,
		Silent: func(err error) {
			if !conf.flags.quiet {
				conf.say.warn(fmt.Sprintf("%s: Slurm does not say which nodes are drained, and is asked again: %v", conf.written("leave-drained"), err))
			}
		},
	}
	return w.Start()
}

// RunSection runs a part of a program of MPI, on the ranks of a communicator: as Run, but it ends neither
// the program nor what else there is of it. Of the settings those count that say how processes move
// and what becomes of the account, which is printed if a table or a format is asked for. Each section of a
// program has a record of its own, whose name gets the next number. What has ended the run the runner
// knows; the error is ErrReported or the engine's.
func RunSection(program *Program, runner Runner, comm mpi.Comm, args []string) error {
	app := newApplication(program, runner, filepath.Base(os.Args[0]))
	conf := app.conf
	conf.section, conf.plan.Comm, conf.say.lead = true, comm, comm.Rank() == 0
	if code, ready := conf.configure(flag.NewFlagSet(conf.say.name, flag.ContinueOnError), args, os.Environ()); !ready && code == ExitOK {
		os.Exit(ExitOK) // it was asked for help
	} else if !ready {
		return ErrReported
	}
	conf.narrow()
	if err := app.prepare(args); err != nil {
		if !errors.Is(err, ErrReported) {
			conf.say.refuse(ExitUsage, err)
		}
		return ErrReported
	}
	if app.perform() != ExitOK {
		return ErrReported
	}
	return nil
}

// narrow leaves of the settings what is for a section.
func (conf *configuration) narrow() {
	f := conf.flags
	f.procs, f.ranks, f.checkpoint, f.every, f.restart = 0, 0, "", "", ""
	asked := func(name string) bool { return conf.setting(name).Origin != settings.Default }
	if !asked("table") && !asked("format") {
		f.quiet = true
	}
	if !asked("balance") {
		conf.plan.Balance = nil
	}
}
