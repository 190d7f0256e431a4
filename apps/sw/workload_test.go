package main

import (
	"math"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/sim"
)

// The simulator's workload has an operation's figure for each pair of letters.
func TestSimulatedCells(t *testing.T) {
	made, err := sim.ParseWorkload("sw:n=300,m=200,p=7,blocks=9,cell=2")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k := range made.Steps() {
		for _, work := range apptest.Superstep(t, made, k).Work {
			sum += work
		}
	}
	if math.Abs(sum-2*300*200) > 1e-6 {
		t.Errorf("%g operations, want 2 for each of 300 x 200 pairs", sum)
	}
}
