package main

import (
	"context"

	"github.com/migbsp/migbsp/sim"
)

// Scenarios that show the possible gain.
const (
	staticScenario = "static" // the best mapping found, without rescheduling
	boundScenario  = "bound"  // a lower bound of the time
)

// possibleResult returns the result of such a scenario; done reports whether the case is
// one.
func (s *simulation) possibleResult(ctx context.Context, c *simulatedCase, config *sim.Config) (r *sim.Result, done bool, err error) {
	switch c.scenario {
	case staticScenario:
		r = new(sim.Result)
		r.Where, r.Time, err = sim.BestStatic(ctx, config, [][]int32{c.where}, s.possible)
		return r, true, err
	case boundScenario:
		r = new(sim.Result)
		r.Time, err = sim.Bound(config.Platform, config.Workload, config.Barrier, 0)
		return r, true, err
	}
	return nil, false, nil
}
