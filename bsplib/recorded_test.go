package bsplib_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// record is a record's file in memory.
type record struct{ bytes.Buffer }

func (*record) Close() error { return nil }

// leads reports whether the rank with number 0 is one of this process.
func leads(cfg bsplib.Config) bool { return cfg.Comm == nil || cfg.Comm.Rank() == 0 }

// recordOf runs a program and returns its record, on rank 0.
func recordOf[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) string {
	t.Helper()
	var file record
	book := ledger.Account{Recorder: ledger.NewRecorder(&file, func(err error) { t.Error(err) }).Unhurried()}
	book.Run().Program = t.Name()
	if cfg.Measure = true; leads(cfg) {
		cfg.Account = &book
	}
	must.Do(t, bsptest.Try(t, cfg, program))
	if !leads(cfg) {
		return ""
	}
	must.Do(t, book.Recorder.Close(&ledger.End{At: book.Whole().Elapsed, Supersteps: book.Steps(), Emulation: book.Emulation}, nil))
	return file.String()
}

// recorded runs a program and reads the record of the run again. What it finds
// wrong with the record fails the test.
func recorded[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) *ledger.History {
	t.Helper()
	h := must.Get(ledger.ReadFrom(t.Name(), strings.NewReader(recordOf(t, cfg, program))))(t)
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	return h
}
