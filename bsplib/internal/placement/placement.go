// Package placement decides the initial mapping of a run: the rank of each process before the
// first superstep.
//
// Each decision is a pure function of the platform, so that ranks that know the same platform
// reach the same mapping. A mapping file is the exception: rank 0 reads it.
package placement

import (
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/rebalancer"
)

// The words of -start. Any other text is the name of a mapping file.
const (
	Auto   = "auto"   // Speeds, or a better mapping by the program's hints
	Blocks = "blocks" // equal blocks of consecutive processes
	Speeds = "speeds" // blocks in proportion to the capacities of ranks
)

// Words are the words of -start.
var Words = []string{Auto, Blocks, Speeds}

// For returns the value of -start that applies to a run with a strategy, nil for none. The default
// is Auto, and Blocks with a published strategy, whose results depend on the initial mapping.
func (r *Request) For(strategy *rebalancer.Spec) string {
	if r != nil && r.How != "" {
		return r.How
	}
	if strategy == nil || strategy.Off() {
		return Auto
	}
	if name, _, _ := strings.Cut(strategy.String(), ","); name != "auto" {
		return Blocks
	}
	return Auto
}

// Start is an initial mapping.
type Start struct {
	Where    []int32 // rank of each process
	Why      string  // Blocks, or the origin of the mapping and the processes of each host
	Modelled bool    // hints or a profile chose the mapping
}

// Equal returns equal blocks of consecutive processes.
func Equal(procs, ranks int) Start { return Start{Where: hostfile.Blocks(procs, ranks), Why: Blocks} }

// Machine is the ranks of a run.
type Machine struct {
	Platform *rebalancer.Platform
	Room     Room
	Anchored bool // process 0 is on rank 0: the program has begun it there
}

// anchored puts process 0 on rank 0, if it has to be there.
func (m *Machine) anchored(where []int32) []int32 {
	if m.Anchored && len(where) > 0 {
		where[0] = 0
	}
	return where
}
