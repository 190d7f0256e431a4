// Papers simulates the experiments of MigBSP's papers anew and puts what comes out
// beside what was published: the plain program, rescheduling that decides but moves
// nothing, the papers' heuristics, what they moved and when, and in the same cells this
// library's own strategy, the best mapping that stays, and a bound that nothing beats.
//
//	go run ./bench/papers
//	go run ./bench/papers -only lu -tries 2000
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
	tries    int
	order    int
}

// parts are the papers, by the name that -only takes.
var parts = []struct {
	name string
	run  func(ctx context.Context, s *settings, session *frame.Session) error
}{{"lu", luPart}, {"dp", dpPart}, {"grid", gridPart}, {"jmigbsp", jmigbspPart}, {"readings", readingsPart}}

func main() { program.Main() }

var program = frame.Program{
	Name: "papers", Flags: define, Uses: []string{"examples/clusters-of-clusters.xml", "examples/grid5000.xml", "examples/jmigbsp.xml"},
	About: `Simulates the experiments of MigBSP's papers, beside what was published.

  lu        LU decomposition
  dp        dynamic programming
  grid      MigCube and MigHull on Grid'5000
  jmigbsp   compression of an image and explicit moves, of the dissertation on jMigBSP
  readings  what the papers leave open, and what comes out with it`,
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.StringVar(&s.only, "only", "", "`part` to simulate: lu, dp, grid, jmigbsp or readings; all if empty")
	flags.StringVar(&s.examples, "examples", "examples", "`directory` with clusters-of-clusters.xml, grid5000.xml and jmigbsp.xml")
	flags.StringVar(&s.plots, "plots", "", "write pictures into this `directory`")
	flags.IntVar(&s.tries, "tries", 400, "changes to look at for the best mapping that stays, in each cell")
	flags.IntVar(&s.order, "order", 5000, "largest matrices to decompose; those of 5000 take half of the time")
	return s.work
}

// work checks what the command line says.
func (s *settings) work() (frame.Work, error) {
	if s.tries < 0 {
		return nil, fmt.Errorf("-tries %d: expected a number from 0 on", s.tries)
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
	session.Print("SIMULATED: all times but the published ones are those of simulated platforms.")
	for _, part := range parts {
		if s.only != "" && s.only != part.name {
			continue
		}
		if err := part.run(ctx, s, session); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
