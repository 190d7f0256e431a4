package main

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// recorded is the record of a run of the program.
func recorded(t *testing.T, procs int) *record.Replay {
	t.Helper()
	return apptest.Recorded(t, func(book *ledger.Account) { run(t, bsplib.Config{Procs: procs, Account: book}) })
}

// The workload of the simulator has the supersteps and messages of the program, byte
// for byte, and has work for those processes that work.
func TestSimulatedWorkload(t *testing.T) {
	const before, iterations = 1, 2 // supersteps that set up
	for _, c := range []struct{ n, procs int }{{1 << 12, 1}, {1 << 12, 2}, {1 << 12, 8}, {1 << 10, 32}, {1 << 6, 16}, {1 << 5, 16}, {1 << 12, 6}, {4, 8}} {
		t.Run(fmt.Sprintf("n=%d,p=%d", c.n, c.procs), func(t *testing.T) {
			apptest.Set(t, "n", fmt.Sprint(c.n), "iterations", fmt.Sprint(iterations))
			real := recorded(t, c.procs)
			made, err := sim.ParseWorkload(fmt.Sprintf("fft:n=%d,p=%d,iterations=%d", c.n, c.procs, iterations))
			if err != nil {
				t.Fatal(err)
			}
			if real.Steps() < before+made.Steps() || made.Processes() != c.procs {
				t.Fatalf("%d supersteps, and %d are made", real.Steps(), made.Steps())
			}
			does := make([]float64, c.procs)
			for k := range made.Steps() {
				want, got := apptest.Superstep(t, real, before+k), apptest.Superstep(t, made, k)
				if !reflect.DeepEqual(apptest.Sent(got), apptest.Sent(want)) {
					t.Fatalf("superstep %d at %s: messages %v, the program sends %v", k, want.Site, apptest.Sent(got), apptest.Sent(want))
				}
				for pid := range does {
					does[pid] += got.Work[pid]
				}
			}
			for pid := range does {
				if (does[pid] != 0) != (pid < sharers(c.procs, c.n)) {
					t.Errorf("process %d has %g operations", pid, does[pid])
				}
			}
		})
	}
}

// Where the simulator has no work, in processes and in supersteps, the program has hardly
// any: less in all than where there is some.
func TestSimulatedWorkIsWhereWorkIs(t *testing.T) {
	const before, procs = 1, 6
	apptest.Set(t, "n", "2^16", "iterations", "2")
	real := recorded(t, procs)
	made := &sim.FFT{Size: 1 << 16, Procs: procs, Iterations: 2, Flops: 5, Element: 16}
	some, none := 0.0, 0.0
	for k := range made.Steps() {
		did, does := sim.Step{Work: make([]float64, procs)}, sim.Step{Work: make([]float64, procs)}
		if err := real.Fill(before+k, &did); err != nil {
			t.Fatal(err)
		}
		if err := made.Fill(k, &does); err != nil {
			t.Fatal(err)
		}
		for pid, work := range did.Work {
			if does.Work[pid] > 0 {
				some += work
			} else {
				none += work
			}
		}
	}
	if some <= none {
		t.Errorf("%g operations where there should be work, %g elsewhere", some, none)
	}
}

// What the simulator takes for work is what the program reports.
func TestSimulatedOperations(t *testing.T) {
	for _, c := range []struct{ n, procs int }{{1 << 12, 1}, {1 << 12, 8}, {1 << 6, 16}, {1 << 5, 16}} {
		load := &sim.FFT{Size: c.n, Procs: c.procs, Iterations: 1, Flops: 5, Element: 16}
		sum := 0.0
		for k := range load.Steps() {
			s := sim.Step{Work: make([]float64, c.procs)}
			if err := load.Fill(k, &s); err != nil {
				t.Fatal(err)
			}
			for _, work := range s.Work {
				sum += work
			}
		}
		rotations := 2 * 8 * c.n * (len(rounds(c.n, c.procs, 0)) - 1)
		log := 0
		for 1<<log < c.n {
			log++
		}
		if want := float64(2*5*c.n*log + rotations); sum != want {
			t.Errorf("n=%d p=%d: %g operations, want %g", c.n, c.procs, sum, want)
		}
	}
}
