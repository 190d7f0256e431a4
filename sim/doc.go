// Package sim runs workloads on simulated platforms: hosts compute, messages share links, and
// rescheduling decides as in a run, by the same [github.com/migbsp/migbsp/rebalancer.Controller].
//
//	p, err := sim.Read("examples/clusters-of-clusters.xml")
//	load, err := sim.ParseWorkload("lu:n=2000,p=50")
//	where, err := p.Place(load.Processes(), "contiguous")
//	result, err := sim.Run(ctx, &sim.Config{Platform: p, Workload: load, Where: where, Balance: spec}, sim.Report{})
//
// Times are seconds of the platform. The same configuration gives the same result, bit for bit.
// docs/guide/simulate.md describes the model and its validation.
//
// # Concepts and files
//
// A Platform has hosts and links, and a route between every two hosts (platform.go; zone.go finds
// routes, read.go and xml*.go read files, profile.go has shares that change over time, mapping.go
// places processes).
//
// A Workload gives the work and the messages of each superstep (workload.go; csv.go reads a table of
// them, load_spec.go parses the names of the programs' workloads in load_*.go).
//
// A run goes through the supersteps (run.go) on a machine, a platform with processes and a clock
// (machine.go). After each of them rescheduling observes, and calls when it is due (reschedule.go,
// call.go; ranks.go shows it the platform).
//
// A network finds when messages arrive: it groups messages that may slow each other down
// (network.go, grouping.go), and divides the rates of links among the flows of a group, by
// max-min fairness (sharing.go; incremental.go for very many flows).
//
// An oracle bounds the time of all mappings from below, and searches the best one
// (oracle_bound.go, oracle_static.go).
package sim
