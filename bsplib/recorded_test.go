package bsplib_test

import (
	"bytes"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/ledger"
)

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (*memory) Close() error { return nil }

// recorded runs a program and reads the record of the run again. What it finds
// wrong with the record fails the test.
func recorded[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) *ledger.History {
	t.Helper()
	var file memory
	var book ledger.Account
	book.Run().Program = t.Name()
	book.Recorder = ledger.NewRecorder(&file, func(err error) { t.Error(err) })
	cfg.Account = &book
	if err := bsptest.Try(t, cfg, program); err != nil {
		t.Fatal(err)
	}
	whole := book.Whole()
	if err := book.Recorder.Close(&ledger.End{At: whole.Elapsed, Supersteps: book.Steps(), Emulation: book.Emulation}, nil); err != nil {
		t.Fatal(err)
	}
	h, err := ledger.ReadFrom(t.Name(), &file)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	return h
}
