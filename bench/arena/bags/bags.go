// Package bags shares out bags of independent tasks on simulated platforms by all policies, and
// puts what comes out beside the claims of the paper on LDS (Ferreto, De Rose and
// Northfleet, 2005), bounds that nothing beats, and this library's own policy.
//
//	go run ./bench/arena bags
//	go run ./bench/arena bags -only claims
package bags

import (
	"context"
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	examples string
	drawn    int // random platforms
}

var parts = frame.Parts[*settings]{
	{Name: "claims", About: "the paper's seven claims, and where they hold", Run: claimsPart},
	{Name: "rest", About: "all policies on the paper's bags and on others: drawn platforms, hosts that slow down, unequal tasks, managers of Sets", Run: restPart},
}

// Program is the one of the package.
var Program = frame.Program{
	Name: "arena bags", Flags: define,
	From:  []string{"bench/arena/bags", "./sim", "examples/grid90.xml", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Shares out bags of independent tasks on simulated platforms, by all policies.\n\n" + parts.List(),
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	only := flags.String("only", "", "`part` to simulate; all if empty")
	flags.StringVar(&s.examples, "examples", "examples", "`directory` with the platforms")
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
