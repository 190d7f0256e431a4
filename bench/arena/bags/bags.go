// Package bags runs bags of independent tasks on simulated platforms under all policies, and
// compares the results with the claims of the paper on LDS (Ferreto, De Rose and
// Northfleet, 2005), lower bounds, and this library's own policy.
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

// settings holds the parsed command line.
type settings struct {
	examples string
	drawn    int // random platforms
}

// part is one of the tables, by its name for -only.
type part struct {
	name string
	run  func(context.Context, *settings, *frame.Session) error
}

var parts = []part{{"claims", claimsPart}, {"rest", restPart}}

// Program is the one of the package.
var Program = frame.Program{
	Name: "arena bags", Flags: define,
	From: []string{"bench/arena/bags", "./sim", "examples/grid90.xml", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Shares out bags of independent tasks on simulated platforms, by all policies.\n\n" +
		"  claims  the paper's seven claims, and where they hold\n" +
		"  rest    all policies on the paper's bags and on others: drawn platforms, hosts that slow down, unequal tasks, managers of Sets\n",
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
		chosen, err := frame.Only(parts, *only, func(p part) string { return p.name })
		return func(ctx context.Context, session *frame.Session) error {
			session.Print("SIMULATED: all times are those of simulated platforms.")
			for _, p := range chosen {
				session.Progress("%s", p.name)
				if err := p.run(ctx, s, session); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
			}
			return nil
		}, err
	}
}
