package main

import (
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

// The simulator's workload has the operations of all cells that are computed.
func TestSimulatedCells(t *testing.T) {
	for _, c := range []struct {
		text, size, obstacle string
		flops                float64
	}{
		{"channel:length=30,height=17,p=5", "30x17", "none", 92},
		{"channel:length=30,height=17,p=17,hills=1", "30x17", "hills", 92},
		{"channel:length=10,height=8,breadth=5,p=3,hills=1", "10x8x5", "hills", 197},
	} {
		made := must.Get(sim.ParseWorkload(c.text))(t)
		p := channel(t, c.size, c.obstacle, 1)
		for pid, work := range apptest.Superstep(t, made, 0).Work {
			cells := 0
			for _, runs := range p.geometryOf(pid, made.Processes()).runs {
				for _, r := range runs {
					cells += r.length
				}
			}
			if work != c.flops*float64(cells) {
				t.Errorf("%s: process %d has %g operations for %d cells", c.text, pid, work, cells)
			}
		}
	}
}
