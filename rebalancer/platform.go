package rebalancer

import "github.com/migbsp/migbsp/rebalancer/platform"

// The description of the machine before the run, from package platform.
type (
	Platform = platform.Platform // all of it
	Set      = platform.Set      // ranks that are close to each other
	Rank     = platform.Rank     // where processes run, one after another
	Link     = platform.Link     // a link between ranks
	Flow     = platform.Flow     // the traffic of a superstep
	Traffic  = platform.Traffic  // traffic received from one process
	Move     = platform.Move     // takes a process from one rank to another

	Potential = platform.Potential // the expected gain of a process on another Set
	Verdict   = platform.Verdict   // why a process moves or stays
)

// Uniform is a platform of n ranks of speed 1 in one Set.
func Uniform(n int, link Link) Platform { return platform.Uniform(n, link) }
