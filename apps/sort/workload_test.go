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

// recorded is the record of a run of the program, and made the simulator's workload.
func recorded(t *testing.T, dist string, n, procs, samples int) (*record.Replay, sim.Workload) {
	t.Helper()
	const lists = 2
	apptest.Set(t, "dist", dist, "n", fmt.Sprint(n), "lists", fmt.Sprint(lists), "samples", fmt.Sprint(samples))
	real := apptest.Recorded(t, func(book *ledger.Account) { run(t, bsplib.Config{Procs: procs, Ranks: 2, Account: book}) })
	text := fmt.Sprintf("sort:n=%d,p=%d,lists=%d,samples=%d", n, procs, lists, samples)
	if dist == "sorted" || dist == "equal" {
		text += ",sorted=1"
	}
	made, err := sim.ParseWorkload(text)
	if err != nil {
		t.Fatal(err)
	}
	if made.Processes() != procs || real.Steps() < made.Steps() {
		t.Fatalf("%d supersteps, and %d are made", real.Steps(), made.Steps())
	}
	return real, made
}

// Of lists that are in order the simulator's workload has the messages of the program,
// byte for byte, and what a process takes along.
func TestSimulatedWorkload(t *testing.T) {
	for _, c := range []struct {
		dist              string
		n, procs, samples int
	}{
		{"sorted", 1000, 1, 0}, {"sorted", 1000, 7, 0}, {"sorted", 1001, 8, 3}, {"equal", 5000, 16, 100}, {"sorted", 5, 9, 0},
		{"sorted", 0, 3, 0}, {"equal", 500, 70, 0}, {"sorted", 20, 8, 3}, {"equal", 1000, 70, 15},
	} {
		real, made := recorded(t, c.dist, c.n, c.procs, c.samples)
		for k := range made.Steps() {
			want, got := apptest.Superstep(t, real, k), apptest.Superstep(t, made, k)
			if !maps.Equal(apptest.Sent(got), apptest.Sent(want)) {
				t.Fatalf("%v: superstep %d at %s: messages %v, the program sends %v", c, k, want.Site, apptest.Sent(got), apptest.Sent(want))
			}
		}
		last := real.Steps() - 1
		for pid, bytes := range apptest.Superstep(t, real, last).State {
			if more := bytes - made.State(pid); c.dist == "sorted" && math.Abs(more) > 500+8*float64(c.n)/float64(c.procs) {
				t.Errorf("%v: process %d takes %g bytes along, not %g", c, pid, bytes, made.State(pid))
			}
		}
	}
}

// Of lists in random order it has all messages, byte for byte, but those with numbers:
// these are about as large, and as many bytes in all but for what processes keep.
func TestSimulatedWorkloadInRandomOrder(t *testing.T) {
	const n, procs = 100_000, 8
	for _, dist := range []string{"uniform", "gauss", "zipf"} {
		real, made := recorded(t, dist, n, procs, 0)
		for k := range made.Steps() {
			want, got := apptest.Superstep(t, real, k), apptest.Superstep(t, made, k)
			sent, sends := apptest.Sent(got), apptest.Sent(want)
			if got.Site != "send" {
				if !maps.Equal(sent, sends) {
					t.Fatalf("%s: superstep %d at %s: messages %v, the program sends %v", dist, k, want.Site, sent, sends)
				}
				continue
			}
			if len(sent) != procs*(procs-1) {
				t.Fatalf("%s: superstep %d: %d messages", dist, k, len(sent))
			}
			all, really := 0.0, 0.0
			for ends, bytes := range sent {
				all, really = all+bytes, really+sends[ends]
				if dist != "zipf" && math.Abs(bytes-sends[ends]) > 0.25*bytes {
					t.Errorf("%s: superstep %d: %g bytes between %v, the program sends %g", dist, k, bytes, ends, sends[ends])
				}
			}
			if math.Abs(all-really) > 0.05*all {
				t.Errorf("%s: superstep %d: %g bytes, the program sends %g", dist, k, all, really)
			}
		}
	}
}

// Numbers are made, sorted in nine passes, sent, merged as often as processes can be
// halved, and looked at twice to check them; process 0 sorts the samples.
func TestSimulatedPasses(t *testing.T) {
	for _, c := range []struct{ n, procs, samples, merges int }{{1000, 1, 1, 0}, {1000, 8, 8, 3}, {4097, 16, 32, 4}, {999, 65, 2, 7}} {
		made, err := sim.ParseWorkload(fmt.Sprintf("sort:n=%d,p=%d,samples=%d,flops=1", c.n, c.procs, c.samples))
		if err != nil {
			t.Fatal(err)
		}
		work := 0.0
		for k := range made.Steps() {
			for _, w := range apptest.Superstep(t, made, k).Work {
				work += w
			}
		}
		samples := float64(c.procs * c.samples)
		if want := float64(c.n*(10+9+5+4*c.merges+2*1)) + samples*math.Log2(samples); math.Abs(work-want) > 1e-6*want {
			t.Errorf("%v: %g operations, want %g", c, work, want)
		}
	}
}
