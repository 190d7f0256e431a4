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
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	examples string
	only     string
	plots    string
	drawn    int // random platforms
}

// parts are the tables, by the name that -only takes.
var parts = []struct {
	name, about string
	run         func(ctx context.Context, s *settings, session *frame.Session) error
}{
	{"reference", "the policies beside the bound on the grid of 90 hosts, and figures of another simulator", referencePart},
	{"claims", "the paper's seven claims, and where they hold", claimsPart},
	{"platforms", "platforms drawn at random", platformsPart},
	{"slow", "hosts that slow down to a fifth", slowPart},
	{"unequal", "tasks that are not equal", unequalPart},
	{"managers", "chunks for Sets, which their managers share out", managersPart},
}

func main() { program.Main() }

var program = frame.Program{
	Name: "bags", Flags: define, Uses: []string{"examples/grid90.xml", "examples/clusters-of-clusters.xml", "examples/grid5000.xml"},
	About: "Shares out bags of independent tasks on simulated platforms, by all policies.\n\n" + listed(),
}

// listed are the parts, as -help has them.
func listed() string {
	var text strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&text, "  %-10s %s\n", part.name, part.about)
	}
	return text.String()
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.StringVar(&s.only, "only", "", "`part` to simulate; all if empty")
	flags.StringVar(&s.examples, "examples", "examples", "`directory` with the platforms")
	flags.StringVar(&s.plots, "plots", "", "write pictures into this `directory`")
	flags.IntVar(&s.drawn, "drawn", 20, "`platforms` to draw at random")
	return s.work
}

// work checks what the command line says.
func (s *settings) work() (frame.Work, error) {
	if s.drawn < 1 {
		return nil, fmt.Errorf("-drawn %d: expected a number from 1 on", s.drawn)
	}
	var names []string
	for _, part := range parts {
		if s.only == "" || s.only == part.name {
			return s.run, nil
		}
		names = append(names, part.name)
	}
	return nil, fmt.Errorf("-only %s: expected %s", s.only, strings.Join(names, ", "))
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	session.Print("SIMULATED: all times are those of simulated platforms.")
	for _, part := range parts {
		if s.only != "" && s.only != part.name {
			continue
		}
		session.Progress("%s", part.name)
		if err := part.run(ctx, s, session); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
