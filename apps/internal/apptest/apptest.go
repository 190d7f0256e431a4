// Package apptest has the common parts of the programs' tests.
package apptest

import (
	"flag"
	"testing"

	"github.com/migbsp/migbsp/sim"
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
