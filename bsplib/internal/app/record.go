package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// recording holds the account of the run, the record that keeps it, and the program's result.
type recording struct {
	conf     *configuration
	book     ledger.Account
	steps    *text.StepTable                 // of supersteps, while the program runs; nil if not wanted
	rows     *os.File                        // destination of the table of supersteps, nil without one
	recorder atomic.Pointer[ledger.Recorder] // nil unless the run is recorded
	result   ledger.Result                   // reported by the program
	ended    atomic.Pointer[ledger.End]      // the end of the program, nil before
}

// createRecord creates the record in the directory of -run-dir, and expands %j, %p and %t. If the
// directory already exists, a program that may resume from a checkpoint (its earlier part's record)
// or that has several sections (the earlier sections' records) uses the directory's name with the
// next number.
func (rec *recording) createRecord(now time.Time) (*ledger.Recorder, error) {
	stamp := now.UTC().Format("20060102T150405Z")
	dir := strings.NewReplacer("%j", cmp.Or(Job(), stamp), "%p", rec.conf.say.name, "%t", stamp, "%%", "%").Replace(rec.conf.flags.runDir)
	free := dir
	for n := 2; ; n++ {
		recorder, err := ledger.Create(free, func(err error) {
			fmt.Fprintf(&rec.conf.say.console, "%s: the record of the run ends here, the run goes on: %v\n", rec.conf.say.name, err)
		})
		if !rec.conf.goesOn() && !rec.conf.section || !errors.Is(err, fs.ErrExist) {
			return recorder, err
		}
		free = fmt.Sprintf("%s-%d", dir, n)
	}
}

// openFiles begins the record and the table of supersteps on rank 0, if they are asked for. All ranks
// get the same exit code.
func (rec *recording) openFiles() int {
	code := int64(ExitOK)
	if rec.conf.say.lead {
		err := rec.openTable()
		if err == nil {
			err = rec.openRecord()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", rec.conf.say.name, err)
			code = ExitUsage
		}
	}
	if rec.conf.flags.runDir == "" && rec.conf.flags.view.File == "" {
		return ExitOK
	}
	code, err := most(rec.conf.plan.Comm, code)
	if err != nil {
		return rec.conf.say.refuse(ExitFailed, err)
	}
	return int(code)
}

func (rec *recording) openRecord() error {
	if rec.conf.flags.runDir == "" {
		return nil
	}
	recorder, err := rec.createRecord(time.Now())
	rec.recorder.Store(recorder)
	if err != nil {
		return fmt.Errorf("-run-dir: %w", err)
	}
	rec.conf.plan.Calls = rec.callsIn(recorder.Dir())
	return nil
}

// callsIn returns the writer of the run's rescheduling calls. The first call makes the file
// and replaces an older one. It removes a link or a pipe of that name and does not follow it.
func (rec *recording) callsIn(dir string) *calls.Writer {
	return calls.NewWriter(func() (io.WriteCloser, error) {
		name := filepath.Join(dir, calls.Name)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}, func(err error) {
		fmt.Fprintf(&rec.conf.say.console, "%s: rescheduling calls are not kept any longer: %v\n", rec.conf.say.name, err)
	})
}

// takeResult records the end of the program.
func (rec *recording) takeResult(code int) {
	b, r := &rec.book, &rec.result
	if code != ExitOK && len(r.Checks) == 0 {
		r.Checks = []ledger.Check{{Name: "the program's own", Passed: false}}
	}
	if r.Title != "" || r.Checksum != "" || len(r.Checks) > 0 {
		r.Title = cmp.Or(r.Title, rec.conf.say.name)
		b.Result = r
	}
	end := &ledger.End{Code: code, Supersteps: b.Steps(), At: b.Whole().Elapsed, Emulation: b.Emulation, Result: b.Result}
	if code != ExitOK {
		end.Reason = failure.ErrNotVerified.Error()
	}
	rec.ended.Store(end)
}

// closeRecord closes the record of a run that has ended. A write error is only a warning: the result
// and the exit code do not change.
func (rec *recording) closeRecord(code int) {
	recorder := rec.recorder.Load()
	if recorder == nil {
		return
	}
	if err := rec.conf.plan.Calls.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the calls that were kept are not complete: %v\n", rec.conf.say.name, err)
	}
	if err := ledger.KeepMapping(recorder.Dir(), &rec.book); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the last mapping is not written: %v\n", rec.conf.say.name, err)
	}
	end := *rec.ended.Load()
	end.Machine = rec.book.Machine
	if err := recorder.Close(&end, tell.Of(&rec.book, &end).Summary()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the record of the run is not complete: %v\n", rec.conf.say.name, err)
		rec.recorder.Store(nil)
	}
}

// breakRecord ends the record of a run that ends early. Any goroutine may call it.
func (rec *recording) breakRecord(code int, reason string) {
	recorder := rec.recorder.Load()
	if recorder == nil {
		return
	}
	end := ledger.End{}
	if ended := rec.ended.Load(); ended != nil {
		end = *ended
		reason += ", while g and l were measured"
	}
	end.Code, end.Reason = code, reason
	recorder.Close(&end, nil)
}

// place returns the command that reads the record, "" without a record.
func (rec *recording) place() string {
	recorder := rec.recorder.Load()
	if recorder == nil {
		return ""
	}
	return "migbsp report " + shell.Quote(recorder.Dir())
}

// openTable begins the table of supersteps that is printed while the program runs, if it is asked
// for. Rank 0 calls it.
func (rec *recording) openTable() error {
	f := rec.conf.flags
	if !f.streams() {
		return nil
	}
	w := rec.out()
	if f.view.File != "" {
		var err error
		if w, err = os.Create(f.view.File); err != nil {
			return fmt.Errorf("%s: %w", rec.conf.written("table"), err)
		}
		rec.rows = w
	}
	rec.steps = text.NewStepTable(w, *f.view, f.format, nil, text.DisplayOf(rec.out(), f.color))
	rec.book.Table = rec.steps
	return nil
}

// closeTable prints the last superstep. A write error is only a warning: the result is valid.
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
		fmt.Fprintln(rec.out())
	}
}

// printBanner warns that times are an emulated platform's, not this machine's.
func printBanner(conf *configuration) {
	if p := conf.plan; conf.say.lead && p.Emulates() && !conf.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets;\ntimes are those of the platform, not of this machine.\n",
			filepath.Base(p.Platform.Name), len(p.Comms), len(p.Platform.Sets))
	}
}

// openAccount passes the account to the engine, if one is kept, and enters the facts that are known
// before the run begins.
func (rec *recording) openAccount(stay bool) {
	if !rec.conf.plan.Measure || !rec.conf.say.lead {
		return
	}
	build, c := ledger.ThisBuild(), rec.conf.plan.Checkpoint.Caller
	run := ledger.Run{
		Program: c.Program, Args: c.Args, Version: build.Version, Commit: build.Commit, Go: runtime.Version(), MPI: mpi.Library(),
		Started: time.Now().UTC().Truncate(time.Second), Job: c.Job, Strategy: "off",
	}
	switch {
	case rec.conf.plan.Shake:
		run.Strategy = "shake (these moves are not counted)"
	case stay:
		run.Strategy = "off (processes cannot move)"
	case rec.conf.plan.Balance != nil && rec.conf.section: // its program may report this itself
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
	rec.book.Parts = rec.conf.earlier.parts(rec.conf.firstStep())
	rec.conf.plan.Account = &rec.book
}

// view returns the run as the printing packages show it.
func (rec *recording) view() *tell.View { return tell.Of(&rec.book, rec.ended.Load()) }

// out returns the file that the account goes to.
func (rec *recording) out() *os.File {
	if rec.conf.program.OwnOutput {
		return os.Stderr
	}
	return os.Stdout
}

// printResult prints the program's result, unless the format is for other programs to read.
func (rec *recording) printResult() error {
	f := rec.conf.flags
	switch {
	case f.format != "text":
		if r := rec.book.Result; r != nil && !r.Passed() && len(r.Checks) > 0 {
			fmt.Fprintf(os.Stderr, "%s: %v\n", rec.conf.say.name, failure.ErrNotVerified)
		}
		return nil
	case f.shown():
		return text.WriteResult(rec.out(), rec.view(), text.DisplayOf(rec.out(), f.color), f.view.Name)
	default:
		return text.WriteResult(rec.out(), rec.view(), text.Display{}, "none")
	}
}

// printAccount prints the account of the run.
func (rec *recording) printAccount(code int) int {
	f := rec.conf.flags
	var err error
	switch {
	case f.format == "json":
		err = ledger.WriteJSON(rec.out(), rec.view().Summary())
	case f.format == "csv" && f.view.Name != "steps":
		err = text.WriteCSV(rec.out(), rec.view(), f.view.Name)
	case f.format == "text" && f.shown():
		fmt.Fprintln(rec.out())
		table := f.view.Name
		if table == "steps" { // it has been printed
			table = "verdict"
		}
		err = text.WriteAccount(rec.out(), rec.view(), table, rec.place(), text.DisplayOf(rec.out(), f.color))
	}
	if err != nil {
		return rec.conf.say.refuse(ExitFailed, fmt.Errorf("printing the account: %w", err))
	}
	return code
}
