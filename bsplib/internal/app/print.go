package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// openTable begins the table of supersteps that is printed while the program runs, where it
// is asked for. Rank 0 calls it.
func (rec *recording) openTable() error {
	f := rec.conf.flags
	if !f.streams() {
		return nil
	}
	w := os.Stdout
	if f.view.File != "" {
		var err error
		if w, err = os.Create(f.view.File); err != nil {
			return fmt.Errorf("%s: %w", rec.conf.written("table"), err)
		}
		rec.rows = w
	}
	rec.steps = text.NewStepTable(w, f.view, f.format, nil, text.DisplayOf(os.Stdout, f.color))
	rec.book.Table = rec.steps
	return nil
}

// closeTable prints the last superstep. What was not written is a warning: the result
// stands.
func (rec *recording) closeTable() {
	t := rec.steps
	if t == nil {
		return
	}
	err := t.Close()
	if rec.rows != nil {
		err = errors.Join(err, rec.rows.Close())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: the table of supersteps is not complete: %v\n", rec.conf.say.name, err)
	}
	if rec.rows == nil && rec.conf.flags.format == "text" {
		fmt.Println()
	}
}

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func printBanner(conf *configuration) {
	if p := conf.plan; conf.say.lead && p.emulated() && !conf.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets;\ntimes are those of the platform, not of this machine.\n",
			filepath.Base(p.Platform.Name), len(p.Comms), len(p.Platform.Sets))
	}
}

// openAccount gives the engine the account to fill, where one is kept, with what
// the program knows of the run before it begins.
func (rec *recording) openAccount(stay bool) {
	if !rec.conf.plan.Accounted || !rec.conf.say.lead {
		return
	}
	build, c := ledger.ThisBuild(), &rec.conf.plan.Checkpoint.Caller
	run := ledger.Run{
		Program: c.Program, Args: c.Args, Version: build.Version, Commit: build.Commit, Go: runtime.Version(), MPI: mpi.Library(),
		Started: time.Now().UTC().Truncate(time.Second), Job: c.Job, Strategy: "off",
	}
	switch {
	case rec.conf.plan.Shake:
		run.Strategy = "shake (these moves are not counted)"
	case stay:
		run.Strategy = "off (processes cannot move)"
	case rec.conf.plan.Balance != nil && rec.conf.section: // whose program may say it itself
		run.Strategy = rec.conf.plan.Balance.String()
	case rec.conf.plan.Balance != nil:
		run.Strategy = rec.conf.flags.balance
	}
	for _, s := range rec.conf.values {
		if s.Origin != settings.Default {
			run.Settings = append(run.Settings, ledger.Setting{Name: s.Name, Value: s.Value, Origin: s.Origin})
		}
	}
	*rec.book.Run(), rec.book.Recorder = run, rec.recorder.Load()
	rec.conf.plan.Book = &rec.book
}

// view is what there is to tell of the run.
func (rec *recording) view() *tell.View { return tell.Of(&rec.book, rec.ended.Load()) }

// printResult prints what the program has computed, where people read it.
func (rec *recording) printResult() error {
	f := rec.conf.flags
	switch {
	case f.format != "text":
		if r := rec.book.Result; r != nil && !r.Passed() && len(r.Checks) > 0 {
			fmt.Fprintf(os.Stderr, "%s: %v\n", rec.conf.say.name, failure.ErrNotVerified)
		}
		return nil
	case f.shown():
		return text.WriteResult(os.Stdout, rec.view(), text.DisplayOf(os.Stdout, f.color), f.view.Name)
	default:
		return text.WriteResult(os.Stdout, rec.view(), text.Display{}, "none")
	}
}

// printAccount prints the account of the run.
func (rec *recording) printAccount(code int) int {
	f := rec.conf.flags
	var err error
	switch {
	case f.format == "json":
		err = ledger.WriteJSON(os.Stdout, rec.view().Summary())
	case f.format == "csv" && f.view.Name != "steps":
		err = text.WriteCSV(os.Stdout, rec.view(), f.view.Name)
	case f.format == "text" && f.shown():
		fmt.Println()
		table := f.view.Name
		if table == "steps" { // it has been printed
			table = "verdict"
		}
		err = text.WriteAccount(os.Stdout, rec.view(), table, rec.place(), text.DisplayOf(os.Stdout, f.color))
	}
	if err != nil {
		return rec.conf.say.refuse(ExitFailed, fmt.Errorf("printing the account: %w", err))
	}
	return code
}
