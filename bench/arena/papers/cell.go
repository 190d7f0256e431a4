package papers

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// cell is one experiment: a workload with its initial mapping on a platform, and the
// strategies to try.
type cell struct {
	name   string
	config sim.Config
	specs  []string // strategies; each is also run with moves=0
	alphas []int    // supersteps after which strategies may first move something

	off     *sim.Result
	passed  []float64         // time of scenario i after so many supersteps
	decides map[string]*trial // with moves=0
	moves   map[string]*trial
	bounds  map[int]float64 // of the supersteps after so many
}

// trial is a run with a strategy, and its calls.
type trial struct {
	*sim.Result
	calls []rebalancer.Decision
}

// overhead returns the cost of deciding with a strategy, as a part of the plain time.
func (c *cell) overhead(spec string) float64 { return c.decides[spec].Time/c.off.Time - 1 }

// saved returns the saving of moves with a strategy, as a part of the plain time.
func (c *cell) saved(spec string) float64 { return 1 - c.moves[spec].Time/c.off.Time }

// possible is the most that can be saved by moves after so many supersteps, by the
// bound on those to come.
func (c *cell) possible(after int) float64 {
	return 1 - (c.passed[after]+c.bounds[after])/c.off.Time
}

// jobs are the runs that a cell needs, which may run at the same time.
func (c *cell) jobs() []func(ctx context.Context) error {
	c.decides, c.moves = make(map[string]*trial), make(map[string]*trial)
	all := []func(ctx context.Context) error{c.plain, c.bound}
	for _, spec := range c.specs {
		decides, moves := new(trial), new(trial)
		c.decides[spec], c.moves[spec] = decides, moves
		all = append(all, func(ctx context.Context) error { return c.run(ctx, moves, spec) },
			func(ctx context.Context) error { return c.run(ctx, decides, spec+",moves=0") })
	}
	return all
}

// plain is scenario i.
func (c *cell) plain(ctx context.Context) (err error) {
	c.passed = []float64{0}
	c.off, err = sim.Run(ctx, &c.config, sim.Report{Step: func(r *sim.StepRecord) { c.passed = append(c.passed, r.At+r.Total) }})
	return err
}

// run makes a trial of a strategy.
func (c *cell) run(ctx context.Context, t *trial, spec string) error {
	balance, err := rebalancer.Parse(spec)
	if err != nil {
		return err
	}
	config := c.config
	config.Balance = balance
	t.Result, err = sim.Run(ctx, &config, sim.Report{Call: func(r *sim.CallRecord) {
		t.calls = append(t.calls, r.Decision)
	}})
	if err != nil {
		return fmt.Errorf("%s with %s: %w", c.name, spec, err)
	}
	return nil
}

// bound computes the largest possible saving if the first move may follow each of the alphas.
func (c *cell) bound(context.Context) (err error) {
	c.bounds = make(map[int]float64)
	for _, alpha := range c.alphas {
		if c.bounds[alpha], err = sim.Bound(c.config.Platform, c.config.Workload, c.config.Barrier, alpha); err != nil {
			return err
		}
	}
	return nil
}

// record enters the times of all runs into the record.
func (c *cell) record(session *frame.Session) {
	session.Record(c.name+", off", "simulated time", "s", c.off.Time)
	for _, spec := range c.specs {
		session.Record(c.name+", "+spec, "simulated time", "s", c.moves[spec].Time)
		session.Record(c.name+", "+spec+",moves=0", "simulated time", "s", c.decides[spec].Time)
	}
}

// runAll simulates all cells on all cores, shows how far it is, and records the times.
func runAll(ctx context.Context, session *frame.Session, cells []*cell) error {
	var jobs []func(ctx context.Context) error
	for _, c := range cells {
		jobs = append(jobs, c.jobs()...)
	}
	begins := func(i int) {
		if i%(1+len(jobs)/10) == 0 {
			session.Progress("run %d of %d", i+1, len(jobs))
		}
	}
	if err := frame.AtOnce(ctx, len(jobs), begins, func(ctx context.Context, i int) error { return jobs[i](ctx) }); err != nil {
		return err
	}
	for _, c := range cells {
		c.record(session)
	}
	return nil
}
