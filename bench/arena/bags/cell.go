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
	mapping  string // order in which workers ask at first
	parallel bool
	managers bool
	specs    []string

	bound   float64 // that no policy beats
	times   map[string]float64
	results map[string]*sim.BagResult
}

// compared are the policies of the tables: those of the paper, the ends of the size of
// work queue's chunks, and ours.
var compared = []string{"workqueue", "static", "gss", "factoring", "lds,beta=5", "lds,beta=20", "auto"}

// newCell makes a cell with all policies.
func newCell(p *sim.Platform, load string) (*cell, error) {
	b, err := sim.ParseBag(load)
	return &cell{platform: p, load: b, mapping: "contiguous", specs: compared}, err
}

// run simulates one policy.
func (c *cell) run(ctx context.Context, spec string) (*sim.BagResult, error) {
	policy, err := bag.Parse(spec)
	if err != nil {
		return nil, err
	}
	where, err := c.load.Place(c.platform, c.master, c.mapping)
	if err != nil {
		return nil, err
	}
	return sim.RunBag(ctx, &sim.BagConfig{
		Platform: c.platform, Bag: c.load, Policy: policy, Master: c.master, Where: where, Parallel: c.parallel, Managers: c.managers,
	})
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

// best returns the policy of some that is first, and its time.
func (c *cell) best(specs ...string) (spec string, time float64) {
	time = math.Inf(1)
	for _, s := range specs {
		if t, known := c.times[s]; known && t < time {
			spec, time = s, t
		}
	}
	return spec, time
}

// others are the policies but ours.
func (c *cell) others() (all []string) {
	for _, spec := range c.specs {
		if spec != "auto" {
			all = append(all, spec)
		}
	}
	return all
}

// lost is the part of the time of the best other policy by which ours takes longer.
func (c *cell) lost() float64 {
	_, best := c.best(c.others()...)
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
		c.times, c.results = make(map[string]float64), make(map[string]*sim.BagResult)
		for _, spec := range c.specs {
			jobs = append(jobs, job{c, spec})
		}
	}
	results := make([]*sim.BagResult, len(jobs))
	err := frame.AtOnce(ctx, len(jobs), func(int) {}, func(ctx context.Context, k int) (err error) {
		j := jobs[k]
		if results[k], err = j.c.run(ctx, j.spec); err != nil {
			return fmt.Errorf("%s: %w", j.spec, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, r := range results {
		j := jobs[k]
		j.c.times[j.spec], j.c.results[j.spec] = r.Time, r
	}
	return nil
}
