package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

// Numbers are made, sorted in nine passes, sent, merged as often as processes can be
// halved, and looked at twice to check them; process 0 sorts the samples.
func TestSimulatedPasses(t *testing.T) {
	for _, c := range []struct{ n, procs, samples, merges int }{{1000, 1, 1, 0}, {1000, 8, 8, 3}, {4097, 16, 32, 4}, {999, 65, 2, 7}} {
		made := must.Get(sim.ParseWorkload(fmt.Sprintf("sort:n=%d,p=%d,samples=%d,flops=1", c.n, c.procs, c.samples)))(t)
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
