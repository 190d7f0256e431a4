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
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// recording is the account of the run, its record, and what the program has reported.
type recording struct {
	conf     *configuration
	book     ledger.Account
	steps    *text.StepTable                 // of supersteps, while the program runs; nil if none is wanted
	rows     *os.File                        // that the table of supersteps is written to, nil if there is none
	recorder atomic.Pointer[ledger.Recorder] // nil unless the run is recorded
	result   ledger.Result                   // what the program has reported
	ended    atomic.Pointer[ledger.End]      // how the program has ended, once it has
}

// createRecord begins the record where it goes, with what stands for other things
// replaced. A program that may go on from a checkpoint finds there the record of
// its earlier part, and one with several sections those of others: then the directory's name gets
// the next number.
func (rec *recording) createRecord(now time.Time) (*ledger.Recorder, error) {
	stamp := now.UTC().Format("20060102T150405Z")
	dir := strings.NewReplacer("%j", cmp.Or(Job(), stamp), "%p", rec.conf.say.name, "%t", stamp, "%%", "%").Replace(rec.conf.flags.runDir)
	free := dir
	for n := 2; ; n++ {
		recorder, err := ledger.Create(free, func(err error) {
			fmt.Fprintf(&rec.conf.say.console, "%s: the record of the run ends here, the run goes on: %v\n", rec.conf.say.name, err)
		})
		if rec.conf.flags.restart == "" && !rec.conf.section || !errors.Is(err, fs.ErrExist) {
			return recorder, err
		}
		free = fmt.Sprintf("%s-%d", dir, n)
	}
}

// openFiles begins the record of the run and its table of supersteps on rank 0, where they
// are asked for. All ranks learn whether that was possible.
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

// callsIn is what writes the rescheduling calls of the run into its directory, where there
// are any.
func (rec *recording) callsIn(dir string) *calls.Writer {
	return calls.NewWriter(func() (io.WriteCloser, error) {
		return os.OpenFile(filepath.Join(dir, calls.Name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}, func(err error) {
		fmt.Fprintf(&rec.conf.say.console, "%s: rescheduling calls are not kept any longer: %v\n", rec.conf.say.name, err)
	})
}

// takeResult notes how the program has ended.
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

// closeRecord ends the record of a run that has come to its end. One that could not be
// written is told and forgotten: the result stands, and so does its exit code.
func (rec *recording) closeRecord(code int) {
	recorder := rec.recorder.Load()
	if recorder == nil {
		return
	}
	if err := rec.conf.plan.Calls.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the calls that were kept are not complete: %v\n", rec.conf.say.name, err)
	}
	end := *rec.ended.Load()
	end.Machine = rec.book.Machine
	if err := recorder.Close(&end, tell.Of(&rec.book, &end).Summary()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: warning: the result stands, but the record of the run is not complete: %v\n", rec.conf.say.name, err)
		rec.recorder.Store(nil)
	}
}

// breakRecord ends the record of a run that something else has ended. Any
// goroutine may call it.
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

// place says where the record is and what reads it, "" if there is none.
func (rec *recording) place() string {
	recorder := rec.recorder.Load()
	if recorder == nil {
		return ""
	}
	return "migbsp report " + shell.Quote(recorder.Dir())
}
