package main

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// settingUp is the number of supersteps before the first iteration.
const settingUp = 3

// recorded is the record of a run of the program, and made the simulator's workload.
func recorded(t *testing.T, n, rows, cols int, density float64) (*record.Replay, sim.Workload) {
	t.Helper()
	const iterations = 2
	apptest.Set(t, "n", fmt.Sprint(n), "iterations", fmt.Sprint(iterations), "density", fmt.Sprint(density), "grid", fmt.Sprintf("%dx%d", rows, cols))
	real := apptest.Recorded(t, func(book *ledger.Account) { run(t, bsplib.Config{Procs: rows * cols, Ranks: 2, Account: book}) })
	made, err := sim.ParseWorkload(fmt.Sprintf("spmv:n=%d,p=%d,cols=%d,iterations=%d,density=%g", n, rows*cols, cols, iterations, density))
	if err != nil {
		t.Fatal(err)
	}
	if made.Processes() != rows*cols || real.Steps() < settingUp+made.Steps() {
		t.Fatalf("%d supersteps, and %d are made", real.Steps(), made.Steps())
	}
	return real, made
}

// Of the Laplacian the simulator's workload has the messages of the program, byte for
// byte, an operation's figure for each nonzero, and what a process takes along.
func TestSimulatedWorkload(t *testing.T) {
	for _, c := range []struct{ n, rows, cols int }{
		{100, 1, 1}, {100, 4, 1}, {103, 5, 1}, {1000, 2, 3}, {1000, 1, 7}, {997, 3, 4}, {50, 30, 1}, {40, 9, 5}, {3, 4, 1}, {2, 1, 4}, {600, 70, 1}, {600, 14, 5},
	} {
		real, made := recorded(t, c.n, c.rows, c.cols, 0)
		for k := range made.Steps() {
			want, got := apptest.Superstep(t, real, settingUp+k), apptest.Superstep(t, made, k)
			if !maps.Equal(apptest.Sent(got), apptest.Sent(want)) {
				t.Fatalf("%v: superstep %d at %s: messages %v, the program sends %v", c, k, want.Site, apptest.Sent(got), apptest.Sent(want))
			}
		}
		for pid := range made.Processes() {
			more := apptest.Superstep(t, real, real.Steps()-1).State[pid] - made.State(pid)
			if others := 40 * float64(c.rows); more < 0 || more > 600+others {
				t.Errorf("%v: process %d takes %g bytes more along than %g", c, pid, more, made.State(pid))
			}
		}
	}
}

// Each process has work for its nonzeros, and for the numbers that it adds, compares and
// scales.
func TestSimulatedNonzeros(t *testing.T) {
	for _, c := range []struct{ n, rows, cols int }{{100, 1, 1}, {103, 5, 1}, {1000, 2, 3}, {40, 9, 5}, {600, 14, 5}} {
		made, err := sim.ParseWorkload(fmt.Sprintf("spmv:n=%d,p=%d,cols=%d,iterations=1", c.n, c.rows*c.cols, c.cols))
		if err != nil {
			t.Fatal(err)
		}
		p := parameters{n: c.n}
		var counts []int
		each := func(f func(i, j int)) { p.each(0, c.n, func(i, j int, _ float64) { f(i, j) }) }
		each(func(i, _ int) {
			for len(counts) <= i {
				counts = append(counts, 0)
			}
			counts[i]++
		})
		d := distribution{c.rows, c.cols, boundsOf(counts, c.rows)}
		want, got := make([]float64, made.Processes()), make([]float64, made.Processes())
		each(func(i, j int) { want[d.at(d.row(i), j%c.cols)] += 2 })
		vectors := 2.
		if c.cols > 1 {
			vectors += float64(c.cols)
		}
		for pid := range want {
			want[pid] += vectors * float64(d.count(pid/c.cols, pid%c.cols))
		}
		for k := range made.Steps() {
			for pid, work := range apptest.Superstep(t, made, k).Work {
				got[pid] += work
			}
		}
		for pid := range want {
			if got[pid] != want[pid] {
				t.Errorf("%v: process %d has %g operations, want %g", c, pid, got[pid], want[pid])
			}
		}
	}
}

// Of a random matrix the messages are between the same processes, and about as large as
// those of the program.
func TestSimulatedRandomMatrix(t *testing.T) {
	for _, c := range []struct {
		n, rows, cols int
		density       float64
	}{{2000, 5, 1, 0.001}, {2000, 2, 3, 0.002}, {3000, 4, 2, 0.02}} {
		real, made := recorded(t, c.n, c.rows, c.cols, c.density)
		for k := range made.Steps() {
			want, got := apptest.Sent(apptest.Superstep(t, real, settingUp+k)), apptest.Sent(apptest.Superstep(t, made, k))
			if len(got) != len(want) {
				t.Fatalf("%v: superstep %d: %d messages, the program sends %d", c, k, len(got), len(want))
			}
			for ends, bytes := range got {
				if deviation := 8 * math.Sqrt(bytes/8); math.Abs(bytes-want[ends]) > 4*deviation {
					t.Errorf("%v: superstep %d: %g bytes between %v, the program sends %g", c, k, bytes, ends, want[ends])
				}
			}
		}
	}
}
