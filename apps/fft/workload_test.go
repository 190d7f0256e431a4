package main

import (
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

// What the simulator takes for work is what the program reports, of the processes that work.
func TestSimulatedOperations(t *testing.T) {
	for _, c := range []struct{ n, procs int }{{1 << 12, 1}, {1 << 12, 8}, {1 << 6, 16}, {1 << 5, 16}, {1 << 12, 6}, {4, 8}} {
		load := &sim.FFT{Size: c.n, Procs: c.procs, Iterations: 1, Flops: 5, Element: 16}
		sum, each := 0.0, make([]float64, c.procs)
		for k := range load.Steps() {
			s := sim.Step{Work: make([]float64, c.procs)}
			must.Do(t, load.Fill(k, &s))
			for pid, work := range s.Work {
				sum += work
				each[pid] += work
			}
		}
		for pid, work := range each {
			if (work != 0) != (pid < sharers(c.procs, c.n)) {
				t.Errorf("n=%d p=%d: process %d has %g operations", c.n, c.procs, pid, work)
			}
		}
		rotations := 2 * 8 * c.n * (len(rounds(c.n, sharers(c.procs, c.n), 0)) - 1)
		log := 0
		for 1<<log < c.n {
			log++
		}
		if want := float64(2*5*c.n*log + rotations); sum != want {
			t.Errorf("n=%d p=%d: %g operations, want %g", c.n, c.procs, sum, want)
		}
	}
}
