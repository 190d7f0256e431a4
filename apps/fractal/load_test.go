package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// replayed is what a run recorded of itself.
func replayed(t *testing.T, args string) *record.Replay {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if code, out, errs := apptest.Call(t, ".", args+" -balance off -quiet -run-dir "+dir); code != 0 {
		t.Fatalf("%s: code %d, %s%s", args, code, out, errs)
	}
	r, err := record.Open(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The simulator's workload has the messages and the states of a run, to the byte.
func TestWorkloadHasTheMessagesOfARun(t *testing.T) {
	for args, text := range map[string]string{
		"-size 128 -chroma none -procs 5":                     "fractal:n=128,p=5",
		"-size 100 -procs 4":                                  "fractal:n=100,p=4,colour=1",
		"-size 90 -procs 7 -block 4 -domains 50":              "fractal:n=90,p=7,block=4,domains=50,colour=1",
		"-size 40 -procs 1 -chroma none -block 16 -domains 2": "fractal:n=40,p=1,block=16,domains=2",
	} {
		want, err := sim.ParseWorkload(text)
		if err != nil {
			t.Fatal(err)
		}
		got := replayed(t, args)
		if last := apptest.Superstep(t, got, got.Steps()-1); got.Steps() != want.Steps()+1 || len(last.Messages) > 0 {
			t.Fatalf("%s: %d supersteps, want %d and the end", args, got.Steps(), want.Steps())
		}
		for k := range want.Steps() {
			if g, w := apptest.Sent(apptest.Superstep(t, got, k)), apptest.Sent(apptest.Superstep(t, want, k)); !maps.Equal(g, w) {
				t.Errorf("%s: superstep %d sends %v, want %v", args, k, g, w)
			}
		}
		for pid := range want.Processes() {
			if more := got.State(pid) - want.State(pid); more < 0 || more > 500 {
				t.Errorf("%s: process %d takes %g bytes along, want a little more than %g", args, pid, got.State(pid), want.State(pid))
			}
		}
	}
}

// And their work, as far as it can be told: runs share the machine with others, so
// that of each figure the least of several runs counts, and twice the work or half of
// it is not told apart from the same. In the first stage all is better than nothing,
// and takes longer.
func TestWorkloadHasTheWorkOfARun(t *testing.T) {
	apptest.Quiet(t)
	want, err := sim.ParseWorkload("fractal:n=256,p=4,block=4,domains=3000")
	if err != nil {
		t.Fatal(err)
	}
	const first, end = 2, 5 // stages
	least := make(map[string]float64)
	var wrong string
	for range 20 {
		got, ratios := replayed(t, "-size 256 -procs 4 -block 4 -domains 3000 -chroma none"), []float64(nil)
		for k := first; k < end; k++ {
			g, w := apptest.Superstep(t, got, k), apptest.Superstep(t, want, k)
			for pid, work := range g.Work {
				at := fmt.Sprint(k, pid)
				if was, ok := least[at]; !ok || work < was {
					least[at] = work
				}
				ratios = append(ratios, least[at]/w.Work[pid])
			}
		}
		if wrong = fmt.Sprint(ratios); slices.Max(ratios) < 2*slices.Min(ratios) {
			return
		}
	}
	t.Errorf("seconds for an operation, by stage and process: %s", wrong)
}
