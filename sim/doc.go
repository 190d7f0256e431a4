// Package sim runs workloads on platforms that are only described: hosts compute,
// messages share links, and rescheduling decides as in a run, by the same
// [github.com/migbsp/migbsp/rebalancer.Controller].
//
//	p, err := sim.Read("examples/clusters-of-clusters.xml")
//	load, err := sim.ParseWorkload("lu:n=2000,p=50")
//	where, err := p.Place(load.Processes(), "contiguous")
//	result, err := sim.Run(ctx, &sim.Config{Platform: p, Workload: load, Where: where, Balance: spec}, sim.Report{})
//
// Times are seconds of the platform. The same configuration gives the same result, bit
// for bit. docs/simulate.md says what is simulated, and how it was checked.
package sim
