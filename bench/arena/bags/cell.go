package bags

import (
	"context"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer/bag"
	"github.com/migbsp/migbsp/sim"
)

// cell is a bag on a platform, with the policies to try.
type cell struct {
	platform *sim.Platform
	load     *sim.Bag
	master   int
	mapping  string // order of the workers' first requests
	parallel bool
	managers bool
	specs    []string

	bound float64 // that no policy beats
	times map[string]float64
}

// compared are the policies of the tables: the paper's policies, the extreme chunk sizes of
// work queue, and ours.
var compared = []string{"workqueue", "static", "gss", "factoring", "lds,beta=5", "lds,beta=20", "auto"}

// newCell makes a cell with all policies.
func newCell(p *sim.Platform, load string) (*cell, error) {
	b, err := sim.ParseBag(load)
	return &cell{platform: p, load: b, mapping: "contiguous", specs: compared}, err
}

// run simulates one policy, and returns the time that it takes.
func (c *cell) run(ctx context.Context, spec string) (float64, error) {
	policy, err := bag.Parse(spec)
	if err != nil {
		return 0, err
	}
	where, err := c.load.Place(c.platform, c.master, c.mapping)
	if err != nil {
		return 0, err
	}
	r, err := sim.RunBag(ctx, &sim.BagConfig{
		Platform: c.platform, Bag: c.load, Policy: policy, Master: c.master, Where: where, Parallel: c.parallel, Managers: c.managers,
	})
	if err != nil {
		return 0, err
	}
	return r.Time, nil
}

// limits finds the bound.
func (c *cell) limits() error {
	where, err := c.load.Place(c.platform, c.master, c.mapping)
	if err != nil {
		return err
	}
	c.bound = c.load.Bound(c.platform, where)
	return nil
}

// over is the time of a policy over the bound.
func (c *cell) over(spec string) float64 { return c.times[spec] / c.bound }

// lost returns the excess time of our policy, as a part of the time of the best other policy.
func (c *cell) lost() float64 {
	best := math.Inf(1)
	for spec, time := range c.times {
		if spec != "auto" {
			best = min(best, time)
		}
	}
	return c.times["auto"]/best - 1
}

// runAll simulates all policies of all cells, on all processors.
func runAll(ctx context.Context, cells []*cell) error {
	type job struct {
		c    *cell
		spec string
	}
	var jobs []job
	for _, c := range cells {
		if err := c.limits(); err != nil {
			return err
		}
		c.times = make(map[string]float64)
		for _, spec := range c.specs {
			jobs = append(jobs, job{c, spec})
		}
	}
	times := make([]float64, len(jobs))
	err := frame.AtOnce(ctx, len(jobs), func(int) {}, func(ctx context.Context, k int) (err error) {
		j := jobs[k]
		if times[k], err = j.c.run(ctx, j.spec); err != nil {
			return fmt.Errorf("%s: %w", j.spec, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, j := range jobs {
		j.c.times[j.spec] = times[k]
	}
	return nil
}
