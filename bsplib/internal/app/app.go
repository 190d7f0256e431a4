// Package app makes a program of the engine: it does all of bsplib.Main that is
// not running processes. The engine, behind the interface Runner, is a library:
// it knows no flags, prints nothing, catches no signals and never ends the Go
// program. Main does these, and nothing below it.
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
// rank that found it, which then aborts the others (speak.go).
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
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// Exit codes of programs.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitCheckpointed = 75
	// ExitLost is larger than what srun makes of any signal: of several codes it takes the
	// largest, and the rank that was lost may have one too.
	ExitLost   = 200
	exitSignal = 128 // + the signal's number
)

// Program is what a program says of itself.
type Program struct {
	About  string                // what it does, for -help
	Check  func(procs int) error // what it finds wrong with its flags; nil: nothing
	Memory func(procs int) int64 // bytes that all processes need together; nil: unknown
	Work   func(procs int) Work  // what all processes do together; nil: unknown
	Table  string                // the default of -table; "": sites

	Procs func(procs int) (used, exit int) // how many it runs of those asked for, on rank 0; nil: all
	Code  func() int                       // the exit code of a rank whose run has ended well; nil: 0

	Arguments bool   // it has some after its flags
	RanksWait bool   // more ranks than cores may be meant
	OnSignal  func() // before a signal ends the Go program; nil: nothing
}

// Main runs a program from its command line to its exit code, and ends the Go
// program with that.
func Main(program *Program, runner Runner) {
	os.Exit(run(program, runner))
}

// application is a program on its way through Main.
type application struct {
	*Program
	runner Runner
	name   string
	lead   bool // rank 0 is a rank of this Go program

	flags  flagValues
	own    []string         // names of the program's own flags
	values []settings.Value // of all flags
	hosts  string           // the text of the file of hosts
	plan   Plan
	stay   bool // processes cannot move

	console console
	// leaveDrained is how often Slurm is asked which nodes are drained, 0 for never.
	leaveDrained time.Duration

	watch    *watch.Watch       // of this rank, nil without other processes
	from     *checkpoint.Source // the checkpoint that the run goes on from, if any
	book     ledger.Account
	steps    *text.StepTable                 // of supersteps, while the program runs; nil if none is wanted
	rows     *os.File                        // that the table of supersteps is written to, nil if there is none
	recorder atomic.Pointer[ledger.Recorder] // nil unless the run is recorded
	result   ledger.Result                   // what the program has reported
	ended    atomic.Pointer[ledger.End]      // how the program has ended, once it has
}

// run is the life of a program, and its exit code.
func run(program *Program, runner Runner) int {
	app := &application{Program: program, runner: runner, name: filepath.Base(os.Args[0]), lead: true}
	defer watchRequests(runner.Request)()
	comm, err := mpi.Open(probe.CoresOf(probe.Root()).Quota)
	if wrong, is := errors.AsType[*mpi.LaunchError](err); is {
		return app.refuseLaunch(wrong)
	}
	if err != nil {
		return app.refuse(ExitFailed, err)
	}
	if comm != nil {
		app.plan.Comm = comm
		app.lead = comm.Rank() == 0
		if app.watch, err = watch.Start(comm, app.name); err != nil {
			return app.refuse(ExitFailed, err)
		}
		if app.watch != nil {
			app.plan.Pulse = app.watch.Pulse()
		}
		defer app.watch.Done()
		defer comm.Close()
	}
	if err := app.checkComponents(); err != nil {
		return app.refuse(ExitUsage, err)
	}
	return app.start(flag.CommandLine, os.Args[1:], os.Environ())
}

// start takes the program from its settings to its exit code.
func (app *application) start(flags *flag.FlagSet, args, environ []string) int {
	if code, ready := app.configure(flags, args, environ); !ready {
		return code
	}
	err := app.prepare(args)
	if ended, has := errors.AsType[*endedError](err); has {
		return ended.code
	}
	if errors.Is(err, errReported) {
		return ExitUsage
	}
	if err != nil {
		return app.refuse(ExitUsage, err)
	}
	defer app.watchSignals()()
	code := app.perform()
	if code == ExitOK && app.Code != nil {
		code = app.Code()
	}
	return code
}

// perform runs the program and prints the account of it.
func (app *application) perform() int {
	plan := &app.plan
	for _, next := range []func() int{app.checkCheckpoint, app.checkMoves, app.openFiles} {
		if code := next(); code != ExitOK {
			return code
		}
	}
	app.printBanner()
	app.announce()
	app.openAccount()
	stop := app.watchDrains()
	failure := app.runner.Run(plan, app.alarm())
	app.console.close()
	stop()
	app.closeTable()
	code := ExitOK
	switch {
	case failure == nil:
	case failure.Kind == NotVerified:
		code = ExitFailed
	case failure.Kind == Checkpointed || failure.Kind == NotResumed:
		return app.endAtCheckpoint(failure)
	default:
		return app.reportFailure(failure)
	}
	if app.lead {
		app.takeResult(code)
		if err := app.printResult(); err != nil {
			return app.refuse(ExitFailed, fmt.Errorf("printing the result: %w", err))
		}
	}
	if plan.Accounted && !plan.emulated() {
		machine, failure := app.runner.Measure(plan, app.alarm())
		if failure != nil {
			return app.reportFailure(failure)
		}
		app.book.Fit(machine)
	}
	if !app.lead {
		return code
	}
	app.closeRecord(code)
	return app.printAccount(code)
}

// checkMoves finds out whether processes can move at all. If not, a run that
// would move them goes on without, and says so; one that was asked to does not.
func (app *application) checkMoves() int {
	err := app.runner.Movable()
	if err == nil {
		return ExitOK
	}
	if app.plan.Shake {
		return app.refuse(ExitFailed, fmt.Errorf("-shake: %w", err))
	}
	if !app.plan.Balance.Off() {
		fmt.Fprintf(app.stderr(), "%s: processes stay where they are: %v\n", app.name, err)
		app.stay = true
	}
	app.plan.Balance = nil
	return ExitOK
}

func (app *application) stdout() io.Writer { return app.onLead(os.Stdout) }
func (app *application) stderr() io.Writer { return app.onLead(&app.console) }

func (app *application) onLead(w io.Writer) io.Writer {
	if app.lead {
		return w
	}
	return io.Discard
}

// refuse reports what keeps the program from starting, in a line, or in one for each
// mistake of a file; all ranks find the same.
func (app *application) refuse(code int, err error) int {
	for line := range strings.SplitSeq(settings.Plain(err), "\n") {
		if !strings.HasPrefix(line, "\t") { // as what belongs to the line above does
			line = app.name + ": " + line
		}
		fmt.Fprintln(app.stderr(), line)
	}
	return code
}

// alarm is for failures that a rank finds alone: other ranks may be far from a
// barrier, so that it reports the first at once and ends the whole program.
func (app *application) alarm() func(*Failure) {
	var first sync.Once
	return func(f *Failure) {
		first.Do(func() { os.Exit(app.reportFailure(f)) })
	}
}

// reportFailure prints what ended the run. Unless all ranks know it, it then
// ends those of other Go programs.
func (app *application) reportFailure(f *Failure) int {
	if f.Kind == Elsewhere {
		return ExitFailed
	}
	if f.Engine && app.endIfLost(lossPatience) {
		return ExitLost
	}
	app.watch.Failed()
	app.breakRecord(ExitFailed, f.Text)
	if !f.Known {
		app.letOthersSpeak(f)
	}
	if app.lead || !f.Known {
		fmt.Fprintf(&app.console, "%s: %s\n", app.name, f.Text)
		if f.Stack != "" {
			fmt.Fprintf(&app.console, "stack of process %d:\n%s", f.Pid, f.Stack)
		}
	}
	if !f.Known && app.plan.Comm != nil {
		app.plan.Comm.Abort(ExitFailed)
	}
	return ExitFailed
}
