package bsplib_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// equal returns an error of this process if got is not want.
func equal[T any](b *bsplib.Proc, what string, got, want T) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("process %d of %d: %s: got %v, want %v", b.Pid(), b.NProcs(), what, got, want)
}

// right and left are the neighbours of a process in a ring.
func right(b *bsplib.Proc) int { return (b.Pid() + 1) % b.NProcs() }
func left(b *bsplib.Proc) int  { return (b.Pid() + b.NProcs() - 1) % b.NProcs() }

// numbers returns n numbers from first on.
func numbers(first, n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = first + i
	}
	return v
}

// reverse: process i ends with the value of process p-1-i.
func reverse(b *bsplib.Proc, x int) int {
	mem := []int{x}
	area := bsplib.Register(b, mem)
	b.Sync()
	area.Put(b.NProcs()-1-b.Pid(), 0, mem[0])
	area.Pop()
	b.Sync()
	return mem[0]
}

func plus(a, b int) int { return a + b }

// platform reads a host file from a test.
func platform(t testing.TB, text string) *hostfile.File {
	t.Helper()
	return must.Get(hostfile.Parse("test.hosts", strings.NewReader(text)))(t)
}

// record is a record's file in memory.
type record struct{ bytes.Buffer }

func (*record) Close() error { return nil }

// leads reports whether rank 0 is in this operating system process.
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

// recorded runs a program and reads back the record of the run. Problems in the
// record fail the test.
func recorded[S any](t testing.TB, cfg bsplib.Config, program func(*bsplib.Proc, *S) error) *ledger.History {
	t.Helper()
	h := must.Get(ledger.ReadFrom(t.Name(), strings.NewReader(recordOf(t, cfg, program))))(t)
	for _, problem := range h.Problems {
		t.Error(problem)
	}
	return h
}
