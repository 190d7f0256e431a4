package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// openTable begins the table of supersteps that is printed while the program runs, where it
// is asked for. Rank 0 calls it.
func (app *application) openTable() error {
	f := &app.flags
	if !f.streams() {
		return nil
	}
	w := os.Stdout
	if f.view.File != "" {
		var err error
		if w, err = os.Create(f.view.File); err != nil {
			return fmt.Errorf("%s: %w", app.written("table"), err)
		}
		app.rows = w
	}
	app.steps = text.NewStepTable(w, f.view, f.format, nil, text.DisplayOf(os.Stdout, f.color))
	app.book.Table = app.steps
	return nil
}

// closeTable prints the last superstep. What was not written is a warning: the result
// stands.
func (app *application) closeTable() {
	t := app.steps
	if t == nil {
		return
	}
	err := t.Close()
	if app.rows != nil {
		err = errors.Join(err, app.rows.Close())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: the table of supersteps is not complete: %v\n", app.name, err)
	}
	if app.rows == nil && app.flags.format == "text" {
		fmt.Println()
	}
}

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func (app *application) printBanner() {
	if p := &app.plan; app.lead && p.emulated() && !app.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets;\ntimes are those of the platform, not of this machine.\n",
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
	case app.stay:
		run.Strategy = "off (processes cannot move)"
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

// view is what there is to tell of the run.
func (app *application) view() *tell.View { return tell.Of(&app.book, app.ended.Load()) }

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
		return text.WriteResult(os.Stdout, app.view(), text.DisplayOf(os.Stdout, f.color), f.view.Name)
	default:
		return text.WriteResult(os.Stdout, app.view(), text.Display{}, "none")
	}
}

// printAccount prints the account of the run.
func (app *application) printAccount(code int) int {
	f := &app.flags
	var err error
	switch {
	case f.format == "json":
		err = ledger.WriteJSON(os.Stdout, app.view().Summary())
	case f.format == "csv" && f.view.Name != "steps":
		err = text.WriteCSV(os.Stdout, app.view(), f.view.Name)
	case f.format == "text" && f.shown():
		fmt.Println()
		table := f.view.Name
		if table == "steps" { // it has been printed
			table = "verdict"
		}
		err = text.WriteAccount(os.Stdout, app.view(), table, app.place(), text.DisplayOf(os.Stdout, f.color))
	}
	if err != nil {
		return app.refuse(ExitFailed, fmt.Errorf("printing the account: %w", err))
	}
	return code
}
