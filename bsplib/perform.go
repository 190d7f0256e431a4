package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// run runs the program and prints the account of it.
func (app *application) run(program *program) int {
	cfg := app.config
	cfg.Accounted = app.flags.kept()
	if app.lead {
		cfg.Result = &app.result
		if app.flags.why {
			cfg.Why = os.Stderr
		}
		if !app.flags.quiet {
			cfg.Progress = os.Stderr
		}
	}
	if code := app.checkCheckpoint(program, &cfg); code != ExitOK {
		return code
	}
	if code := app.checkMoves(program, &cfg); code != ExitOK {
		return code
	}
	if code := app.openRecord(); code != ExitOK {
		return code
	}
	app.printBanner(cfg)
	if cfg.Accounted && app.lead {
		app.book.Run = app.introduction(&cfg)
		app.book.Recorder = app.recorder.Load()
		cfg.Book = &app.book
	}
	failure := app.start(cfg, program)
	if code, ended := app.afterCheckpoint(failure); ended {
		return code
	}
	if failure != nil && !errors.Is(failure.Err, ErrNotVerified) {
		return app.reportFailure(failure)
	}
	code := ExitOK
	if failure != nil {
		code = ExitFailed
	}
	if app.lead {
		app.takeResult(code)
		if err := app.printResult(); err != nil {
			return app.refuse(ExitFailed, fmt.Errorf("printing the result: %w", err))
		}
	}
	if cfg.Accounted && !cfg.emulates() {
		machine, err := app.probeMachine()
		if err != nil {
			return app.reportFailure(err)
		}
		app.book.Machine = &machine
	}
	if !app.lead {
		return code
	}
	recorded := app.closeRecord(code)
	return max(recorded, app.printAccount(code))
}

// takeResult notes how the program has ended.
func (app *application) takeResult(code int) {
	b, r := &app.book, &app.result
	if code != ExitOK && len(r.Checks) == 0 {
		r.Checks = []ResultCheck{{Name: "the program's own", Passed: false}}
	}
	if r.Title != "" || r.Checksum != "" || len(r.Checks) > 0 {
		r.Title = cmp.Or(r.Title, app.name)
		b.Result = r
	}
	end := &ledger.End{Code: code, Supersteps: b.Steps(), At: b.Whole().Elapsed, Emulation: b.Emulation, Result: b.Result}
	if code != ExitOK {
		end.Reason = ErrNotVerified.Error()
	}
	app.ended.Store(end)
}

// introduction is what this program knows of the run before it begins.
func (app *application) introduction(cfg *Config) ledger.Run {
	build := ledger.ThisBuild()
	run := ledger.Run{
		Program: app.name, Args: os.Args[1:], Version: build.Version, Commit: build.Commit, Go: runtime.Version(), MPI: mpi.Library(),
		Started: time.Now().UTC().Truncate(time.Second), Job: job(), Strategy: "off",
	}
	switch {
	case cfg.Shake:
		run.Strategy = "shake (these moves are not counted)"
	case cfg.Balance != nil:
		run.Strategy = app.flags.balance
	}
	for _, s := range app.settled() {
		if s.Origin != "default" {
			run.Settings = append(run.Settings, ledger.Setting{Name: s.Name, Value: s.Value, Origin: s.Origin})
		}
	}
	return run
}

// printResult prints what the program has computed, where people read it.
func (app *application) printResult() error {
	f := &app.flags
	switch {
	case f.format != "text":
		if r := app.book.Result; r != nil && !r.Passed() && len(r.Checks) > 0 {
			fmt.Fprintf(os.Stderr, "%s: %v\n", app.name, ErrNotVerified)
		}
		return nil
	case f.shown():
		return app.book.WriteResult(os.Stdout, ledger.LookOf(os.Stdout, f.color), false)
	default:
		return app.book.WriteResult(os.Stdout, ledger.Look{}, true)
	}
}

// printAccount prints the account of the run.
func (app *application) printAccount(code int) int {
	f, b := &app.flags, &app.book
	var err error
	switch {
	case f.format == "json":
		err = ledger.WriteJSON(os.Stdout, b.Summarize(app.ended.Load()))
	case f.format == "csv":
		err = b.WriteCSV(os.Stdout, f.table)
	case f.shown():
		fmt.Println()
		if err = b.WriteAccount(os.Stdout, f.table, ledger.LookOf(os.Stdout, f.color)); err == nil {
			err = app.printPlace()
		}
	}
	if err != nil {
		return app.refuse(ExitFailed, fmt.Errorf("printing the account: %w", err))
	}
	return code
}
