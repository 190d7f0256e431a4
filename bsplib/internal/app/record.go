package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/mpi"
)

// Job is the number that the resource manager has given to this run, "" if none
// has.
func Job() string {
	for _, name := range []string{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"} {
		if id := os.Getenv(name); id != "" {
			return id
		}
	}
	return ""
}

// createRecord begins the record where it goes, with what stands for other things
// replaced. A program that may go on from a checkpoint finds there the record of
// its earlier part: then the directory's name gets the next number.
func (app *application) createRecord(now time.Time) (*ledger.Recorder, error) {
	stamp := now.UTC().Format("20060102T150405Z")
	dir := strings.NewReplacer("%j", cmp.Or(Job(), stamp), "%p", app.name, "%t", stamp, "%%", "%").Replace(app.flags.runDir)
	free := dir
	for n := 2; ; n++ {
		recorder, err := ledger.Create(free, func(err error) {
			fmt.Fprintf(&app.console, "%s: the record of the run ends here, the run goes on: %v\n", app.name, err)
		})
		if app.flags.restart == "" || !errors.Is(err, fs.ErrExist) {
			return recorder, err
		}
		free = fmt.Sprintf("%s-%d", dir, n)
	}
}

// openFiles begins the record of the run and its table of supersteps on rank 0, where they
// are asked for. All ranks learn whether that was possible.
func (app *application) openFiles() int {
	failed := []int64{0}
	refuse := func(err error) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", app.name, err)
		failed[0] = 1
	}
	if app.lead {
		if err := app.openTable(); err != nil {
			refuse(err)
		} else if err := app.openRecord(); err != nil {
			refuse(fmt.Errorf("-run-dir: %w", err))
		}
	}
	if app.flags.runDir == "" && app.flags.view.File == "" {
		return ExitOK
	}
	if c := app.plan.Comm; c != nil {
		if err := c.Combine(mpi.Max, failed); err != nil {
			return app.refuse(ExitFailed, err)
		}
	}
	if failed[0] != 0 {
		return ExitUsage
	}
	return ExitOK
}

func (app *application) openRecord() error {
	if app.flags.runDir == "" {
		return nil
	}
	recorder, err := app.createRecord(time.Now())
	app.recorder.Store(recorder)
	if err == nil {
		app.plan.Calls = app.callsIn(recorder.Dir())
	}
	return err
}

// callsIn is what writes the rescheduling calls of the run into its directory, where there
// are any.
func (app *application) callsIn(dir string) *calls.Writer {
	return calls.NewWriter(func() (io.WriteCloser, error) {
		return os.OpenFile(filepath.Join(dir, calls.Name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}, func(err error) {
		fmt.Fprintf(&app.console, "%s: rescheduling calls are not kept any longer: %v\n", app.name, err)
	})
}

// takeResult notes how the program has ended.
func (app *application) takeResult(code int) {
	b, r := &app.book, &app.result
	if code != ExitOK && len(r.Checks) == 0 {
		r.Checks = []ledger.Check{{Name: "the program's own", Passed: false}}
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

// closeRecord ends the record of a run that has come to its end. One that could not be
// written is told and forgotten: the result stands, and so does its exit code.
func (app *application) closeRecord(code int) {
	recorder := app.recorder.Load()
	if recorder == nil {
		return
	}
	if err := app.plan.Calls.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the calls that were kept are not complete: %v\n", app.name, err)
	}
	end := *app.ended.Load()
	end.Machine = app.book.Machine
	if err := recorder.Close(&end, tell.Of(&app.book, &end).Summary()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the record of the run is not complete: %v\n", app.name, err)
		app.recorder.Store(nil)
	}
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

// place says where the record is and what reads it, "" if there is none.
func (app *application) place() string {
	recorder := app.recorder.Load()
	if recorder == nil {
		return ""
	}
	return "migbsp report " + shell.Quote(recorder.Dir())
}
