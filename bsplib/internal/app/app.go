// Package app is the command-line side of a program: all of bsplib.Main except the run of its
// processes. The engine, behind the interface Runner, is a library: it has no flags, prints no
// messages, catches no signals and never ends the Go program. Only Main does these.
//
// It has four types. A configuration holds the settings and the plan that follows from them. The type
// messages writes to the standard error. A recording is the account of the run and the file that
// keeps it. The application takes the program through its steps, from settings to exit code.
//
// The main concepts are:
//
// The lead rank. Under MPI each rank is a Go program of its own, and all of them call Main. Rank 0
// leads: it reads the settings, prints, and writes the record. In-process one Go program has all
// ranks, and leads. The lead rank alone prints an error that all ranks find. An error that one rank
// finds, such as a missing file on its host, is printed by that rank.
//
// Settings. Each setting is a flag, either of all programs or of this program. The command line
// overrides the environment (MIGBSP_RUN_DIR for -run-dir), which overrides configuration files, which
// override the default: package internal/settings. Messages name a setting in the form in which the
// user has written it: as a flag, a variable or a line of a file.
//
// Agreement with rank 0. All ranks receive from rank 0 every setting with its origin, the text of the
// file of hosts, the checkpoint to resume from, and whether the program has ended already, after
// -help or with a usage error. Launchers may give each rank another command line, environment and
// files, so rank 0's count. All ranks then prepare the run in the same order, because each agreement
// is a collective operation.
//
// Exit codes. ExitOK: success. ExitFailed: the program or its check failed, or the result could not
// be printed. ExitUsage: the settings do not fit the program or the machine, and the program has not
// run. ExitCheckpointed: the run was written to disk on request and can be resumed. ExitLost: another
// rank was lost, which package watch reports. 128+n: signal n ended the program; a crash of Go's
// runtime, which no code can catch, ends it with signal 6 (abortOnCrash). A failure is printed once:
// by the lead rank if all ranks have it, else by a rank that found it, which then aborts the others
// (ending.go).
//
// The record of -run-dir. It is open from before the first superstep until the account is complete,
// which includes g and l, measured after the program has ended. A failure, a checkpoint or a signal
// closes it earlier, with the reason; a recorder keeps only the first end that it is given. If the
// record cannot be created the program ends before its first superstep. A later write error is only a
// warning, because the result is still right.
//
// Signals. SIGUSR1 requests a checkpoint: it is written when the stage has ended on all processes,
// and then the run ends. With a directory for checkpoints a first Ctrl-C (SIGINT) or SIGTERM does the
// same. Another one, and each without a directory, ends the program at once, in any state of its
// processes; a line reports whether it has a result already.
package app

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// Main runs a program from its command line to its exit code, and exits the Go program with that
// code.
func Main(program *Program, runner Runner) {
	os.Exit(Run(program, runner))
}

// application is the state of Main for a program.
type application struct {
	conf   *configuration
	record *recording
	runner Runner
	stay   bool         // processes cannot move, though the settings ask for it
	watch  *watch.Watch // of this rank, nil without other processes

	requests *requests // for checkpoints
	begun    time.Time
}

func newApplication(program *Program, runner Runner, name string) *application {
	conf := newConfiguration(program, &messages{name: name, lead: true})
	return &application{conf: conf, record: &recording{conf: conf}, runner: runner, requests: &requests{runner: runner}, begun: time.Now()}
}

// Run runs a program from its command line on, and returns its exit code.
func Run(program *Program, runner Runner) int {
	abortOnCrash()
	app := newApplication(program, runner, filepath.Base(os.Args[0]))
	defer watchRequests(app.requests.ask)()
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
		if app.watch, err = watch.Start(comm, app.conf.say.name); errors.Is(err, watch.ErrSetting) {
			return app.conf.say.refuse(ExitUsage, err)
		} else if err != nil {
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
	defer app.conf.plan.Checkpoint.Lock.Release()
	if ended, has := errors.AsType[*endedError](err); has {
		return ended.code
	}
	if errors.Is(err, ErrReported) {
		return ExitUsage
	}
	if err != nil {
		return app.conf.say.refuse(ExitUsage, err)
	}
	defer app.watchSignals()()
	if app.watch == nil {
		defer explainMemory(app.conf.say.name).Done()
	}
	code := app.perform()
	if code == ExitOK && app.conf.program.Code != nil {
		code = app.conf.program.Code()
	}
	return code
}

// perform runs the program and prints the account of it.
func (app *application) perform() int {
	plan := app.conf.plan
	for _, next := range []func() int{app.checkCheckpoint, app.checkMoves, app.record.openFiles, app.shareRecord} {
		if code := next(); code != ExitOK {
			return code
		}
	}
	printBanner(app.conf)
	announce(app.conf)
	app.record.openAccount(app.stay)
	stop, unmonitor := watchDrains(app.conf, app.record, app.runner), monitor(app.conf)
	e, known := app.runner.Run(plan, app.alarm())
	unmonitor()
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
			return app.endEarly(e, code, text)
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

// checkMoves determines whether processes can move at all. If they cannot, a run with -balance
// continues without moves and prints the reason, and a run with -shake is refused.
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

// alarm returns the handler for a failure that only one rank finds. Other ranks may be far from a
// barrier, so the handler reports the first such failure at once and ends the whole program.
func (app *application) alarm() func(*failure.Error) {
	var first sync.Once
	return func(e *failure.Error) {
		first.Do(func() { os.Exit(app.reportFailure(e, false)) })
	}
}

// endOf returns the exit code and the message for an error that has ended a run.
func endOf(e *failure.Error) (code int, text string) {
	if unreadable, is := errors.AsType[*failure.Unreadable](e); is {
		return ExitUsage, unreadable.Text
	}
	if unplaced, is := errors.AsType[*failure.Unplaced](e); is {
		return ExitUsage, unplaced.Text
	}
	if errors.Is(e, failure.ErrCheckpointed) {
		return ExitCheckpointed, e.Text
	}
	return ExitFailed, e.Error()
}

// reportFailure prints the failure that ended the run and returns the exit code. Unless all ranks
// know the failure, it aborts the ranks of other Go programs.
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

// watchDrains reports the hosts to drain to the run until stop is called.
func watchDrains(conf *configuration, record *recording, runner Runner) (stop func()) {
	if !conf.say.lead {
		return func() {}
	}
	w := drain.Watcher{
		Before: conf.earlier.record(),
		Kept: func(hosts []string) {
			if !conf.flags.quiet {
				fmt.Fprintf(conf.say.stderr(), "%s: drained hosts stay drained: %s\n", conf.say.name, strings.Join(hosts, ", "))
			}
		},
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

// monitor reports ranks that others wait for, until stop is called, if all ranks are goroutines of
// this Go program. MPI ranks have watchers.
func monitor(conf *configuration) (stop func()) {
	if conf.plan.Comm != nil {
		return func() {}
	}
	conf.plan.Monitor = &watch.Monitor{Program: conf.say.name, Out: &conf.say.console}
	return conf.plan.Monitor.Start()
}

// RunSection runs a section of an MPI program, on the ranks of a communicator. Unlike Run it does not
// end the program. Only settings of moves and of the account count; the account is printed if a
// table or a format is asked for. Each section has a record of its own, whose name gets the next
// number. The runner keeps the failure that has ended the section; the error here is ErrReported or
// the engine's.
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

// narrow drops the settings that a section does not have.
func (conf *configuration) narrow() {
	f := conf.flags
	f.procs, f.ranks, f.checkpoint, f.every, f.restart, f.profiles = 0, 0, "", "", "", noProfiles
	asked := func(name string) bool { return conf.setting(name).Origin != settings.Default }
	if !asked("table") && !asked("format") {
		f.quiet = true
	}
	if !asked("balance") {
		conf.plan.Balance = nil
	}
}
