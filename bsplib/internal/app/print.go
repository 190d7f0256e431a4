package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func (app *application) printBanner() {
	if p := &app.plan; app.lead && p.emulated() && !app.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets; times are those of the platform, not of this machine.\n",
			filepath.Base(p.Platform.Name), len(p.Comms), len(p.Platform.Sets))
	}
}

// openAccount gives the engine the account to fill, where one is kept, with what
// the program knows of the run before it begins.
func (app *application) openAccount() {
	if !app.plan.Accounted || !app.lead {
		return
	}
	build, c := ledger.ThisBuild(), &app.plan.Checkpoint.Caller
	run := ledger.Run{
		Program: c.Program, Args: c.Args, Version: build.Version, Commit: build.Commit, Go: runtime.Version(), MPI: mpi.Library(),
		Started: time.Now().UTC().Truncate(time.Second), Job: c.Job, Strategy: "off",
	}
	switch {
	case app.plan.Shake:
		run.Strategy = "shake (these moves are not counted)"
	case app.plan.Balance != nil:
		run.Strategy = app.flags.balance
	}
	for _, s := range app.values {
		if s.Origin != settings.Default {
			run.Settings = append(run.Settings, ledger.Setting{Name: s.Name, Value: s.Value, Origin: s.Origin})
		}
	}
	app.book.Run, app.book.Recorder = run, app.recorder.Load()
	app.plan.Book = &app.book
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
		return app.book.WriteResult(os.Stdout, ledger.DisplayOf(os.Stdout, f.color), false)
	default:
		return app.book.WriteResult(os.Stdout, ledger.Display{}, true)
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
		if err = b.WriteAccount(os.Stdout, f.table, ledger.DisplayOf(os.Stdout, f.color)); err == nil {
			err = app.printPlace()
		}
	}
	if err != nil {
		return app.refuse(ExitFailed, fmt.Errorf("printing the account: %w", err))
	}
	return code
}
