// Package papers repeats the experiments of MigBSP's papers by simulation. It compares the
// savings of the papers' heuristics and of auto with the published ones and with upper bounds,
// and each statement of the papers on moves, calls, times and gains with the result.
//
//	go run ./bench/arena papers
//	go run ./bench/arena papers -page docs/results/papers.md
package papers

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// Program is the one of the package.
var Program = frame.Program{
	Name: "arena papers", Flags: define, Uses: []string{"examples/clusters-of-clusters.xml", "examples/grid5000.xml", "examples/jmigbsp.xml"},
	About: "Simulates the experiments of MigBSP's papers, beside what was published.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	examples := flags.String("examples", "examples", "`directory` with clusters-of-clusters.xml, grid5000.xml and jmigbsp.xml")
	return func() (frame.Work, error) {
		return func(ctx context.Context, session *frame.Session) error {
			return repeat(ctx, session, *examples, experiments)
		}, nil
	}
}

// experiment is a simulation or measurement of one paper.
type experiment struct {
	cells  func(examples string) ([]*cell, error)
	gains  func(cells []*cell) [][]string
	claims func(ctx context.Context, examples string, cells []*cell) ([]claim, error)
}

var experiments = []experiment{
	{dpCells, dpGains, dpClaims},
	{luCells, luGains, luClaims},
	{gridCells, gridGains, gridClaims},
	{fractalCells, fractalGains, jmigbspClaims},
}

// repeat runs all cells of experiments and prints the two tables.
func repeat(ctx context.Context, session *frame.Session, examples string, experiments []experiment) error {
	session.Print("SIMULATED: all times but the published ones are those of simulated platforms.")
	all := make([][]*cell, len(experiments))
	for k, e := range experiments {
		var err error
		if all[k], err = e.cells(examples); err != nil {
			return err
		}
	}
	if err := runAll(ctx, session, slices.Concat(all...)); err != nil {
		return err
	}
	gains := frame.Table{Part: "gains", Title: "Part of the time of the plain program that is saved", Text: []int{0}, Header: []string{
		"experiment", "plain program off by", "published", "papers' heuristic", "auto", "at most",
	}}
	facts := frame.Table{Part: "claims", Title: "What the papers say, and yes where it comes out exactly so, else what does", Text: []int{0, 1, 2}, Header: []string{
		"statement", "published", "here",
	}}
	same, count, source := 0, 0, ""
	for k, e := range experiments {
		for _, row := range e.gains(all[k]) {
			gains.Add(row...)
		}
		claims, err := e.claims(ctx, examples, all[k])
		if err != nil {
			return err
		}
		for _, c := range bySource(claims) {
			if c.source != source {
				source = c.source
				facts.Add(source+":", "", "")
			}
			if count++; c.here == c.published {
				c.here = "yes"
				same++
			}
			facts.Add(c.about, c.published, c.here)
		}
	}
	facts.Notes = []string{fmt.Sprintf("%d of %d statements come out exactly.", same, count)}
	session.Table(gains)
	session.Table(facts)
	return nil
}

// bySource puts claims of one source together, the sources in the order of their first one.
func bySource(all []claim) []claim {
	first := make(map[string]int)
	for i, c := range all {
		if _, known := first[c.source]; !known {
			first[c.source] = i
		}
	}
	slices.SortStableFunc(all, func(a, b claim) int { return cmp.Compare(first[a.source], first[b.source]) })
	return all
}
