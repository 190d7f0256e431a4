// Bags shares out bags of independent tasks on simulated platforms by all policies, and
// puts what comes out beside the claims of the paper on LDS (Ferreto, De Rose and
// Northfleet, 2005), bounds that nothing beats, and this library's own policy.
//
//	go run ./bench/bags
//	go run ./bench/bags -only claims
package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	examples string
	plots    string
	drawn    int // random platforms
}

var parts = frame.Parts[*settings]{
	{Name: "reference", About: "the policies beside the bound on the grid of 90 hosts, and figures of another simulator", Run: referencePart},
	{Name: "claims", About: "the paper's seven claims, and where they hold", Run: claimsPart},
	{Name: "platforms", About: "platforms drawn at random", Run: platformsPart},
	{Name: "slow", About: "hosts that slow down to a fifth", Run: slowPart},
	{Name: "unequal", About: "tasks that are not equal", Run: unequalPart},
	{Name: "managers", About: "chunks for Sets, which their managers share out", Run: managersPart},
}

func main() { program.Main() }

var program = frame.Program{
	Name: "bags", Flags: define, Uses: []string{"examples/grid90.xml", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Shares out bags of independent tasks on simulated platforms, by all policies.\n\n" + parts.List(),
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	only := flags.String("only", "", "`part` to simulate; all if empty")
	flags.StringVar(&s.examples, "examples", "examples", "`directory` with the platforms")
	flags.StringVar(&s.plots, "plots", "", "write pictures into this `directory`")
	flags.IntVar(&s.drawn, "drawn", 20, "`platforms` to draw at random")
	return func() (frame.Work, error) {
		if s.drawn < 1 {
			return nil, fmt.Errorf("-drawn %d: expected a number from 1 on", s.drawn)
		}
		chosen, err := parts.Only(*only)
		return func(ctx context.Context, session *frame.Session) error {
			session.Print("SIMULATED: all times are those of simulated platforms.")
			return chosen.Run(ctx, s, session)
		}, err
	}
}
