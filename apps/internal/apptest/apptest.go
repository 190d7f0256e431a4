// Package apptest is what the tests of the programs have in common.
package apptest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// Set gives flags of the program values until the test ends: name, value, name, value.
func Set(t *testing.T, values ...string) {
	t.Helper()
	for i := 0; i < len(values); i += 2 {
		f := flag.Lookup(values[i])
		was := f.Value.String()
		t.Cleanup(func() { f.Value.Set(was) })
		if err := f.Value.Set(values[i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

// Recorded is the record of a run with the book that it is given, as a workload.
func Recorded(t *testing.T, run func(book *ledger.Account)) *record.Replay {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, ledger.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	book := ledger.Account{Recorder: ledger.NewRecorder(file, func(err error) { t.Error(err) }).Unhurried()}
	run(&book)
	if err := book.Recorder.Close(&ledger.End{Supersteps: book.Steps()}, nil); err != nil {
		t.Fatal(err)
	}
	replay, err := record.Open(dir, sim.Reference)
	if err != nil {
		t.Fatal(err)
	}
	return replay
}

// Quiet skips a test that compares times, unless MIGBSP_TEST_QUIET says that nothing else
// runs on the machine.
func Quiet(t *testing.T) {
	t.Helper()
	if os.Getenv("MIGBSP_TEST_QUIET") == "" {
		t.Skip("compares times; MIGBSP_TEST_QUIET=1 runs it on a machine that does nothing else")
	}
}

// Superstep is one of a workload's supersteps.
func Superstep(t *testing.T, w sim.Workload, k int) *sim.Step {
	t.Helper()
	s := &sim.Step{Work: make([]float64, w.Processes())}
	if err := w.Fill(k, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Sent are the bytes between each two processes in a superstep.
func Sent(s *sim.Step) map[[2]int32]float64 {
	bytes := make(map[[2]int32]float64)
	for _, m := range s.Messages {
		bytes[[2]int32{m.From, m.To}] += m.Bytes
	}
	return bytes
}
