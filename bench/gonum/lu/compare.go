package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/ledger"
)

// comparison has the medians of how fast a task was, in Gflop/s.
type comparison struct {
	*task
	gonum float64
	ours  []float64 // in the order of dense.Kernels
}

// compare measures gonum and all kernels in turns.
func (s *settings) compare(ctx context.Context, t *task) (comparison, error) {
	kernels := dense.Kernels()
	defer dense.SetKernel(dense.Kernel())
	for _, kernel := range kernels {
		dense.SetKernel(kernel)
		if err := t.same(); err != nil {
			return comparison{}, err
		}
	}
	gonum, ours := make([]float64, s.rounds), make([][]float64, len(kernels))
	for round := range s.rounds {
		gonum[round] = t.rate(t.gonums, s.long)
		for i, kernel := range kernels {
			if ctx.Err() != nil {
				return comparison{}, ctx.Err()
			}
			dense.SetKernel(kernel)
			ours[i] = append(ours[i], t.rate(t.ours, s.long))
		}
	}
	c := comparison{task: t, gonum: median(gonum)}
	for _, rates := range ours {
		c.ours = append(c.ours, median(rates))
	}
	return c, nil
}

// rate is how many Gflop/s a calculation makes while it runs for so long, but once at least.
func (t *task) rate(calculate func(), long time.Duration) float64 {
	var took time.Duration
	count := 0
	for ; count == 0 || took < long; count++ {
		copy(t.operand, t.original)
		began := time.Now()
		calculate()
		took += time.Since(began)
	}
	return float64(count) * t.flops / took.Seconds() * 1e-9
}

func median(x []float64) float64 {
	return slices.Sorted(slices.Values(x))[len(x)/2]
}

// write prints two tables: how fast, and the ratios.
func (s *settings) write(w io.Writer, compared []comparison) error {
	header := append([]string{"task", "size", "gonum"}, dense.Kernels()...)
	rates, ratios := make([][]string, len(compared)), make([][]string, len(compared))
	for i, c := range compared {
		rates[i] = []string{c.name, c.size, fmt.Sprintf("%.3g", c.gonum)}
		ratios[i] = []string{c.name, c.size, "1"}
		for _, rate := range c.ours {
			rates[i] = append(rates[i], fmt.Sprintf("%.3g", rate))
			ratios[i] = append(ratios[i], fmt.Sprintf("%.3g", c.gonum/rate))
		}
	}
	fmt.Fprintf(w, "\n Products and factorisations on one core, Gflop/s, medians of %d in turns, with gonum's\n and each set of kernels of apps/lu/dense.\n", s.rounds)
	if err := ledger.WriteRows(w, header, rates, 0, 1); err != nil {
		return err
	}
	fmt.Fprint(w, "\n The same as ratios: time of ours / time of gonum's. Below 1 ours are faster.\n")
	return ledger.WriteRows(w, header, ratios, 0, 1)
}
