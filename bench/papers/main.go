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

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	examples string
	plots    string
	tries    int
	order    int
}

var parts = frame.Parts[*settings]{
	{Name: "lu", About: "LU decomposition", Run: luPart},
	{Name: "dp", About: "dynamic programming", Run: dpPart},
	{Name: "grid", About: "MigCube and MigHull on Grid'5000", Run: gridPart},
	{Name: "jmigbsp", About: "compression of an image and explicit moves, of the dissertation on jMigBSP", Run: jmigbspPart},
	{Name: "readings", About: "what the papers leave open, and what comes out with it", Run: readingsPart},
}

func main() { program.Main() }

var program = frame.Program{
	Name: "papers", Flags: define, Uses: []string{"examples/clusters-of-clusters.xml", "examples/grid5000.xml", "examples/jmigbsp.xml"},
	About: "Simulates the experiments of MigBSP's papers, beside what was published.\n\n" + parts.List(),
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	only := flags.String("only", "", "`part` to simulate; all if empty")
	flags.StringVar(&s.examples, "examples", "examples", "`directory` with clusters-of-clusters.xml, grid5000.xml and jmigbsp.xml")
	flags.StringVar(&s.plots, "plots", "", "write pictures into this `directory`")
	flags.IntVar(&s.tries, "tries", 400, "changes to look at for the best mapping that stays, in each cell")
	flags.IntVar(&s.order, "order", 5000, "largest matrices to decompose; those of 5000 take half of the time")
	return func() (frame.Work, error) {
		if s.tries < 0 {
			return nil, fmt.Errorf("-tries %d: expected a number from 0 on", s.tries)
		}
		chosen, err := parts.Only(*only)
		return func(ctx context.Context, session *frame.Session) error {
			session.Print("SIMULATED: all times but the published ones are those of simulated platforms.")
			return chosen.Run(ctx, s, session)
		}, err
	}
}
