package bsplib_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
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
	if err := bsptest.Try(t, cfg, program); err != nil {
		t.Fatal(err)
	}
	if !leads(cfg) {
		return ""
	}
	if err := book.Recorder.Close(&ledger.End{At: book.Whole().Elapsed, Supersteps: book.Steps(), Emulation: book.Emulation}, nil); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// recorded runs a program and reads the record of the run again. What it finds
// wrong with the record fails the test.
func recorded[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) *ledger.History {
	t.Helper()
	h, err := ledger.ReadFrom(t.Name(), strings.NewReader(recordOf(t, cfg, program)))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	return h
}
