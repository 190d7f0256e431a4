package main

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

// Each process has work for its nonzeros, and for the numbers that it adds, compares and
// scales.
func TestSimulatedNonzeros(t *testing.T) {
	for _, c := range []struct{ n, rows, cols int }{{100, 1, 1}, {103, 5, 1}, {1000, 2, 3}, {40, 9, 5}, {600, 14, 5}} {
		made := must.Get(sim.ParseWorkload(fmt.Sprintf("spmv:n=%d,p=%d,cols=%d,iterations=1", c.n, c.rows*c.cols, c.cols)))(t)
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
