package bsplib

import (
	"cmp"
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
		app.book.Recorder = app.recorder.Load()
		cfg.Book = &app.book
	}
	failure := app.start(cfg, program)
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

// openRecord begins the record of the run on rank 0, where one is asked for.
// All ranks learn whether that was possible.
func (app *application) openRecord() int {
	if app.flags.runDir == "" {
		return ExitOK
	}
	failed := []int64{0}
	if app.lead {
		dir := app.flags.directory(app.name, time.Now())
		recorder, err := ledger.Create(dir, func(err error) {
			fmt.Fprintf(os.Stderr, "%s: the record of the run ends here, the run goes on: %v\n", app.name, err)
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: -run-dir: %v\n", app.name, err)
			failed[0] = 1
		}
		app.recorder.Store(recorder)
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
	recorder := app.recorder.Load()
	if recorder == nil {
		return ExitOK
	}
	end := *app.ended.Load()
	end.Machine = app.book.Machine
	if err := recorder.Close(&end, app.book.Summarize(&end)); err != nil {
		fmt.Fprintf(os.Stderr, "%s: the result stands, but the record of the run is not complete: %v\n", app.name, err)
		app.recorder.Store(nil)
		return ExitFailed
	}
	return ExitOK
}

// breakRecord ends the record of a run that something else has ended. Any
// goroutine may call it.
func (app *application) breakRecord(code int, reason string) {
	recorder := app.recorder.Load()
	if recorder == nil {
		return
	}
	end := ledger.End{}
	if ended := app.ended.Load(); ended != nil {
		end = *ended
		reason += ", while g and l were measured"
	}
	end.Code, end.Reason = code, reason
	recorder.Close(&end, nil)
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

// printPlace says where the record is.
func (app *application) printPlace() error {
	recorder := app.recorder.Load()
	if recorder == nil {
		return nil
	}
	dir := recorder.Dir()
	_, err := fmt.Printf(" record: %s (migbsp report %s)\n", filepath.Join(dir, ledger.RecordName), quoted(dir))
	return err
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
