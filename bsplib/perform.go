package bsplib

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	if code := app.checkMoves(program, &cfg); code != ExitOK {
		return code
	}
	if code := app.openRecord(); code != ExitOK {
		return code
	}
	app.printBanner(cfg)
	if cfg.Accounted && app.lead {
		app.book.Run = app.introduction(&cfg)
		app.book.Recorder = app.recorder
		cfg.Book = &app.book
	}
	failure := app.start(cfg, program)
	if failure != nil && !errors.Is(failure.Err, ErrNotVerified) {
		return app.reportFailure(failure)
	}
	if cfg.Accounted {
		machine, err := app.machine()
		if err != nil {
			return app.reportFailure(err)
		}
		app.book.Machine = &machine
	}
	code := ExitOK
	if failure != nil {
		code = ExitFailed
	}
	if !app.lead {
		return code
	}
	if app.result.Title != "" {
		app.book.Result = &app.result
	}
	recorded := app.closeRecord(code)
	return max(recorded, app.printAccount(code))
}

// introduction is what this program knows of the run before it begins.
func (app *application) introduction(cfg *Config) ledger.Run {
	build := ledger.ThisBuild()
	run := ledger.Run{
		Program: app.name, Args: os.Args[1:], Version: build.Version, Commit: build.Commit, Go: runtime.Version(), MPI: mpi.Library(),
		Started: time.Now().UTC().Truncate(time.Second), Job: job(), Strategy: "off",
	}
	if cfg.Balance != nil {
		run.Strategy = app.flags.balance
	}
	if cfg.Shake {
		run.Strategy = "shake"
	}
	for _, s := range app.settled() {
		if s.Origin != "default" {
			run.Settings = append(run.Settings, ledger.Setting{Name: s.Name, Value: s.Value, Origin: s.Origin})
		}
	}
	return run
}

// openRecord begins the record of the run on rank 0, where one is asked for.
// All ranks learn whether that was possible.
func (app *application) openRecord() int {
	if app.flags.runDir == "" {
		return ExitOK
	}
	failed := []int64{0}
	if app.lead {
		dir := app.flags.directory(app.name, time.Now())
		var err error
		app.recorder, err = ledger.Create(dir, func(err error) {
			fmt.Fprintf(os.Stderr, "%s: the record of the run ends here, the run goes on: %v\n", app.name, err)
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: -run-dir: %v\n", app.name, err)
			failed[0] = 1
		}
	}
	if c := app.config.Comm; c != nil {
		if err := c.Combine(mpi.Max, failed); err != nil {
			return app.refuse(ExitFailed, err)
		}
	}
	if failed[0] != 0 {
		return ExitUsage
	}
	return ExitOK
}

// closeRecord ends the record of a run that has come to its end. A record that
// could not be written is a failure, though the result stands, and forgotten.
func (app *application) closeRecord(code int) int {
	if app.recorder == nil {
		return ExitOK
	}
	b := &app.book
	whole := b.Whole()
	end := &ledger.End{Code: code, At: whole.Elapsed, Supersteps: b.Steps(), Machine: b.Machine, Emulation: b.Emulation, Result: b.Result}
	if code != ExitOK {
		end.Reason = ErrNotVerified.Error()
	}
	if err := app.recorder.Close(end, b.Summarize(end)); err != nil {
		fmt.Fprintf(os.Stderr, "%s: the result stands, but the record of the run is not complete: %v\n", app.name, err)
		app.recorder = nil
		return ExitFailed
	}
	return ExitOK
}

// breakRecord ends the record of a run that something else has ended. Any
// goroutine may call it.
func (app *application) breakRecord(code int, reason string) {
	if app.recorder != nil {
		app.recorder.Close(&ledger.End{Code: code, Reason: reason, At: time.Since(app.began).Seconds()}, nil)
	}
}

// printAccount prints the result of the program and the account of the run.
func (app *application) printAccount(code int) int {
	f := &app.flags
	b := &app.book
	var err error
	switch {
	case f.format == "json":
		end := &ledger.End{Code: code}
		err = ledger.WriteJSON(os.Stdout, b.Summarize(end))
	case f.format == "csv":
		err = b.WriteCSV(os.Stdout, f.table)
	case !f.shown():
		err = b.WriteResult(os.Stdout, ledger.Look{}, true)
	default:
		err = app.printText()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: printing the account: %v\n", app.name, err)
		return ExitFailed
	}
	return code
}

func (app *application) printText() error {
	look := ledger.LookOf(os.Stdout, app.flags.color)
	if err := app.book.WriteResult(os.Stdout, look, false); err != nil {
		return err
	}
	fmt.Println()
	if err := app.book.WriteAccount(os.Stdout, app.flags.table, look); err != nil {
		return err
	}
	if app.recorder != nil {
		dir := app.recorder.Dir()
		_, err := fmt.Printf(" Record: %s (migbsp report %s)\n", filepath.Join(dir, ledger.RecordName), quoted(dir))
		return err
	}
	return nil
}

// quoted is a word as a shell takes it.
func quoted(s string) string {
	if strings.IndexFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || slices.Contains([]rune("/._-+:=@"), c))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
